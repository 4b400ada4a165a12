//! The names of error reports: safe as file names, and recognisable without a path.

use crate::recording::Moment;
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// How much of a session's name goes into a file name.
const MAX_SESSION: usize = 80;
/// The longest name of a report: all its parts, and a number that tells it from others.
const MAX_NAME: usize = 140;
/// What stands in place of the time where no recording says it.
const UNDATED: &str = "undated";
/// The last moment whose year has four digits.
const LAST_WRITABLE: i64 = 253_402_300_799_999;

/// A session, as its report names it.
#[derive(Clone, Copy, Debug)]
pub struct SessionName<'a> {
    pub name: &'a str,
    /// When its last exchange took place, as far as recordings say.
    pub last: Option<Moment>,
}

/// So many names are remembered, and told apart by the smallest number that is free. Later ones are
/// numbered by how many came before them, which is beyond any number of those.
const REMEMBERED: u64 = 2_000;

/// The names given to reports of one run. Names differ even where letters' case does not count.
#[derive(Debug, Default)]
pub struct ReportNames {
    given: HashSet<String>,
    count: u64,
}

impl ReportNames {
    /// A name that no other report of the run has: `error_session-123_2026-02-19T16-12-07-955Z.txt`.
    /// Sessions that would share one are numbered in the order in which they ask.
    pub fn give(&mut self, session: &SessionName<'_>) -> String {
        let stem = ["error_", &safe(session.name), "_", &time(session.last)].concat();
        self.count += 1;
        if self.count > REMEMBERED {
            return format!("{stem}-{}.txt", self.count);
        }
        let mut name = [&*stem, ".txt"].concat();
        let mut number = 1_u64;
        while !self.given.insert(name.to_ascii_lowercase()) {
            number += 1;
            name = format!("{stem}-{number}.txt");
        }
        name
    }
}

/// A name with its session, its time and perhaps the number that tells it from equal ones.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    let time = "undated|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}-[0-9]{3}Z";
    let form = format!(r"^error_[A-Za-z0-9_-][A-Za-z0-9._-]*_({time})(-[0-9]+)?\.txt$");
    Regex::new(&form).expect("a test compiles it")
});

/// Whether a text is a name that [`ReportNames::give`] may have given. A path never is.
pub fn is_report_name(text: &str) -> bool {
    text.len() <= MAX_NAME && !text.contains("..") && NAME.is_match(text)
}

/// A session's name in the characters that every file system takes.
fn safe(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        // A dot is kept between other characters only: `..` must not come about.
        let next = match character {
            '.' if out.ends_with(['.', '-']) || out.is_empty() => '-',
            '-' | '_' | '.' => character,
            kept if kept.is_ascii_alphanumeric() => kept,
            _ => '-',
        };
        if out.len() >= MAX_SESSION {
            break;
        }
        if next != '-' || !(out.is_empty() || out.ends_with('-')) {
            out.push(next);
        }
    }
    let trimmed = out.trim_end_matches(['-', '.']);
    if trimmed.is_empty() { "session".to_owned() } else { trimmed.to_owned() }
}

fn time(moment: Option<Moment>) -> String {
    match moment.filter(|moment| (0..=LAST_WRITABLE).contains(&moment.0)) {
        None => UNDATED.to_owned(),
        Some(moment) => {
            let seconds = moment.rfc3339().trim_end_matches('Z').replace(':', "-");
            format!("{seconds}-{:03}Z", moment.0.rem_euclid(1000))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_names_is_told_apart_without_remembering_all() {
        let mut names = ReportNames::default();
        let (name, last) = ("x".repeat(10_000), Moment::parse("2026-02-19T16:12:07Z"));
        let session = SessionName { name: &name, last };
        let given: HashSet<String> = (0..3 * REMEMBERED).map(|_| names.give(&session)).collect();
        assert_eq!(given.len() as u64, 3 * REMEMBERED);
        assert!(given.iter().all(|name| is_report_name(name)));
        assert_eq!(names.given.len() as u64, REMEMBERED);
    }
}
