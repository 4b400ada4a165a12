//! Variants of patterns that are there, as people and programs read them.

use super::Report;
use super::text::TEXT;
use crate::cli::terminal::{counted, cut};
use crate::tune::{Asked, Count, Variant, Variation, Veto};
use crate::view::{Block, Item, Line, Section};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Report<'_> {
    /// Variants with their evidence, for people.
    pub(super) fn variants(&self) -> Section {
        let variants = &self.study.learned.variants;
        if variants.is_empty() {
            return Section::new("No variant of a pattern corrects answers on several servers");
        }
        let item = |variant: &Variant| {
            let taken = if self.is_used(variant) { "+ " } else { "" };
            let line = Line::from(taken).then_recorded(variant.variation.to_string());
            let mut item = Item::new(line);
            item.below.push(Block::Text(
                format!(
                    "corrects {}, breaks {}; matches {}",
                    on(variant.mended),
                    on(variant.broken),
                    about(variant).join(", "),
                )
                .into(),
            ));
            let reply = variant.examples.first().and_then(|at| self.replies.all.get(*at));
            item.below.extend(reply.map(|reply| {
                let name = Line::from(format!("{}: ", reply.label.name()));
                Block::Text(name.then_recorded(cut(&reply.text, TEXT)))
            }));
            item
        };
        let mut section =
            Section::new("Variants of patterns that correct answers on several servers");
        section.items(variants.iter().map(item).collect());
        if variants.iter().any(|variant| self.is_used(variant)) {
            section.note("+: adopted: it also helps on servers it was not learned from");
        }
        section
    }

    /// The same for programs.
    pub(super) fn variants_json(&self) -> Vec<Value> {
        self.study.learned.variants.iter().map(|variant| self.variant_json(variant)).collect()
    }

    fn variant_json(&self, variant: &Variant) -> Value {
        let about = variant.about.iter();
        let hits: BTreeMap<&str, Count> =
            about.map(|(label, seen)| (label.name(), *seen)).collect();
        let mut json = json!({
            "what": variant.variation.to_string(),
            "question": match variant.asked {
                Asked::Failed => "errors",
                Asked::Hidden => "hidden_failures",
            },
            "hits": hits,
            "mended": variant.mended,
            "broken": variant.broken,
            "taken": self.is_used(variant),
            "examples": self.examples_json(&variant.examples),
        });
        let which = match &variant.variation {
            Variation::Without { list, entry } => {
                json!({"kind": "without", "list": list, "entry": entry})
            }
            Variation::Word { list, entry, to } => {
                json!({"kind": "word", "list": list, "entry": entry, "to": to})
            }
            Variation::Veto { signal, by: Veto::Signal(other) } => {
                json!({"kind": "veto", "signal": signal, "unless_signal": other})
            }
            Variation::Veto { signal, by: Veto::Phrase(phrase) } => {
                json!({"kind": "veto", "signal": signal, "unless_phrase": phrase})
            }
        };
        if let (Some(json), Value::Object(which)) = (json.as_object_mut(), which) {
            json.extend(which);
        }
        json
    }

    /// Whether a variant is part of the proposed changes.
    fn is_used(&self, variant: &Variant) -> bool {
        self.study.learned.changes.contains(&variant.change())
    }
}

fn on(count: Count) -> String {
    let replies = count.replies as u64;
    match replies {
        0 => "none".to_owned(),
        _ => {
            format!("{} on {}", counted(replies, "answer"), counted(count.servers as u64, "server"))
        }
    }
}

fn about(variant: &Variant) -> Vec<String> {
    let seen = variant.about.iter();
    seen.map(|(label, seen)| format!("{} of {} on {}", seen.replies, label.name(), seen.servers))
        .collect()
}
