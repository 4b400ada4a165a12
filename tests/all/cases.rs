//! Cases that tests keep in files: what goes in and, behind `=>`, what must come out.
//!
//! ```text
//! What the cases are about.
//!
//! CALL = {"tool":…,"id":1}
//!
//! == what the next cases show
//! CALL "heat"
//! => heat has no answer
//! ```
//!
//! A line that begins with the name of a text stands for that text, with what follows the name in place of its `…`.
//! `TAPECHECK_WRITE_CASES=1` writes into the file what comes out.

use std::ops::Range;
use std::path::Path;

/// What goes in.
pub(crate) struct Case {
    pub(crate) text: String,
    /// What it shows.
    shows: String,
    line: usize,
    /// Where what must come out stands in the file.
    expected: Range<usize>,
}

impl Case {
    /// The lines that ask something, which begin with one of these words, and the text that the others are.
    #[allow(dead_code, reason = "the tests of the library ask so")]
    pub(crate) fn questions(&self, words: &[&str]) -> (Vec<&str>, String) {
        let asks = |line: &&str| {
            line.split_once(' ')
                .is_some_and(|(word, rest)| words.contains(&word) && !rest.starts_with('='))
        };
        let (questions, text): (Vec<&str>, Vec<&str>) = self.text.lines().partition(asks);
        (questions, text.join("\n"))
    }
}

/// Checks all cases of a file below the project's folder.
pub(crate) fn check(file: &str, answer: impl Fn(&Case) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let mut text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let cases = cases(&text, file);
    assert!(!cases.is_empty(), "{file} has no cases");
    let mut wrong = Vec::new();
    for case in cases.into_iter().rev() {
        let found = answer(&case);
        let lines = if found.is_empty() { vec![""] } else { found.lines().collect() };
        let lines = lines.iter().map(|line| format!("=> {line}").trim_end().to_owned() + "\n");
        let (found, expected) = (lines.collect::<String>(), &text[case.expected.clone()]);
        if found != expected {
            let Case { text, shows, line, .. } = &case;
            wrong.push(format!(
                "{file}:{line}: {shows}\n{text}\nexpected\n{expected}found\n{found}"
            ));
        }
        text.replace_range(case.expected, &found);
    }
    if !wrong.is_empty() && std::env::var_os("TAPECHECK_WRITE_CASES").is_some() {
        return std::fs::write(&path, text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    wrong.reverse();
    assert!(wrong.is_empty(), "{}\nTAPECHECK_WRITE_CASES=1 accepts this", wrong.join("\n"));
}

fn cases(text: &str, file: &str) -> Vec<Case> {
    let (mut named, mut shows) = (Vec::new(), None);
    let (mut found, mut input) = (Vec::<Case>::new(), Vec::<String>::new());
    let mut end = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let begin = end;
        end += line.len();
        let line = line.trim_end_matches('\n');
        if let Some(heading) = line.strip_prefix("== ") {
            assert!(input.is_empty(), "{file}:{number}: no line `=>` ends the case before");
            shows = Some(heading);
        } else if line == "=>" || line.starts_with("=> ") {
            if input.is_empty() {
                found.last_mut().expect("a case comes before `=>`").expected.end = end;
                continue;
            }
            found.push(Case {
                shows: shows.unwrap_or_default().to_owned(),
                line: number - input.len(),
                text: input.join("\n").trim_end().to_owned(),
                expected: begin..end,
            });
            input.clear();
        } else if shows.is_none() {
            named.extend(line.split_once(" = "));
        } else if !(line.is_empty() && input.is_empty()) {
            input.push(written_out(line, &named));
        }
    }
    assert!(input.is_empty(), "{file}: no line `=>` ends the last case");
    found
}

/// A line with the text that its name stands for.
fn written_out(line: &str, named: &[(&str, &str)]) -> String {
    let written = |(name, text): &(&str, &str)| {
        let rest = line.strip_prefix(name)?;
        match rest.strip_prefix(' ') {
            Some(rest) => text.contains('…').then(|| (name.len(), text.replacen('…', rest, 1))),
            None => rest.is_empty().then(|| (name.len(), (*text).to_owned())),
        }
    };
    let longest = named.iter().filter_map(written).max_by_key(|(length, _)| *length);
    longest.map_or_else(|| line.to_owned(), |(_, text)| text)
}
