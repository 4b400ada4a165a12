//! Why verdicts changed: what is told must be true when a rulebook is really changed back.

use crate::support::corpus;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use tapecheck::check::Judge;
use tapecheck::check::schema::Schemas;
use tapecheck::compare::{Collector, Explanation, Matched, Proof, Side, explain_all};
use tapecheck::corpus::{Bounds, CorpusReader, Input};
use tapecheck::rulebook::Rulebook;
use tapecheck::run::for_each_exchange;

fn builtin(name: &str) -> Arc<Rulebook> {
    Arc::new(Rulebook::builtin(name).expect("built in"))
}

/// The same exchanges under several rulebooks.
fn sides(folder: &Path, rulebooks: &[Arc<Rulebook>]) -> Vec<Side> {
    let schemas: Vec<Schemas> =
        rulebooks.iter().map(|rulebook| Schemas::new(rulebook.schema.clone())).collect();
    let mut judges: Vec<Judge<'_>> = rulebooks
        .iter()
        .zip(&schemas)
        .map(|(rulebook, schemas)| Judge::new(rulebook, schemas))
        .collect();
    let mut collectors: Vec<Collector> =
        rulebooks.iter().map(|rulebook| Collector::new(Arc::clone(rulebook))).collect();
    let bounds = Bounds::default();
    let reader =
        CorpusReader::new(&[Input::Path(folder.to_owned())], bounds.clone()).expect("a corpus");
    let over = for_each_exchange(reader, &bounds, |located| {
        for (judge, collector) in judges.iter_mut().zip(&mut collectors) {
            let verdict = judge.judge(located.exchange);
            collector.add(located.exchange, &verdict, located.file);
        }
        ControlFlow::<()>::Continue(())
    });
    over.expect("a corpus that can be read");
    let named = collectors.into_iter().zip(rulebooks);
    named.map(|(collector, rulebook)| collector.into_side(&rulebook.name)).collect()
}

/// The different changes between two sides of the same exchanges, with how many exchanges had them.
fn changes(before: &Side, after: &Side) -> Vec<(u32, u32, Matched, u64)> {
    let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (old, new) in before.entries.iter().zip(&after.entries) {
        assert_eq!((old.key, old.before), (new.key, new.before));
        if before.said[old.said as usize] != after.said[new.said as usize] {
            *counts.entry((old.said, new.said)).or_default() += 1;
        }
    }
    counts.into_iter().map(|((old, new), count)| (old, new, Matched::Exchange, count)).collect()
}

#[test]
fn look() {
    let names = ["guide", "inspector", "calibrated"];
    let rulebooks = names.map(builtin);
    let sides = sides(&corpus(), &rulebooks);
    for (before, after) in [(0, 0), (0, 1), (1, 0), (0, 2)] {
        let (before, after) = (&sides[before], &sides[after]);
        let pairs = changes(before, after);
        let start = std::time::Instant::now();
        let told = explain_all(before, after, &pairs);
        eprintln!(
            "{} -> {}: {} entries {} pairs in {:?}",
            before.header.name,
            after.header.name,
            before.entries.len(),
            pairs.len(),
            start.elapsed()
        );
        let mut sizes: BTreeMap<(String, usize, bool), (usize, u64)> = BTreeMap::new();
        let mut groups: BTreeMap<&Explanation, u64> = BTreeMap::new();
        for ((old, new, _, count), told) in pairs.iter().zip(&told) {
            let proof = match &told.proof {
                Proof::Observed(why) => why.clone(),
                proof => format!("{proof:?}"),
            };
            let flip =
                before.said[*old as usize].standing() != after.said[*new as usize].standing();
            let entry = sizes.entry((proof, told.causes.len(), flip)).or_default();
            entry.0 += 1;
            entry.1 += count;
            *groups.entry(told).or_default() += count;
        }
        for ((proof, size, flip), (pairs, count)) in sizes {
            eprintln!("  {proof} size {size} flip {flip}: {pairs} pairs {count} exchanges");
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        eprintln!("  {} groups", groups.len());
        for (told, count) in groups.iter().take(25) {
            let words: Vec<&str> = told.causes.iter().map(|cause| cause.change.as_str()).collect();
            eprintln!("    {count} {:?} {:?} {}", told.origin, told.proof, words.join(" + "));
        }
    }
}
