//! Regular expressions of strangers: linear in the text, and bounded in what each of its bytes may cost.

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

/// The longest a pattern may be, in bytes.
const LONGEST: usize = 4000;
/// How much memory a compiled pattern may take, in bytes.
const MEMORY: usize = 1 << 20;
/// How many places a pattern may be at, at the same time.
const MOST_PLACES: u64 = 1000;

/// A regular expression that knows what looking for it costs.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    places: u64,
}

impl Pattern {
    pub fn compile(source: &str) -> Result<Self, String> {
        if source.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let parsed = regex_syntax::parse(source).map_err(|error| last_line(&error))?;
        let places = places_of(&parsed);
        if places > MOST_PLACES {
            return Err(format!(
                "it is too complex to match (more than {MOST_PLACES} states); begin it with `^`, \
                 or repeat less"
            ));
        }
        let regex = RegexBuilder::new(source).size_limit(MEMORY).build();
        let regex = regex.map_err(|error| last_line(&error))?;
        Ok(Self { regex, places })
    }

    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// Whether the pattern is found anywhere in a text.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// How many steps looking for it in a text may take: for each byte, every place that it may be at.
    pub fn steps(&self, text: &str) -> u64 {
        self.places.saturating_mul(text.len() as u64)
    }
}

/// What an error says, below the pattern that it shows.
fn last_line(error: &dyn std::fmt::Display) -> String {
    error.to_string().lines().last().unwrap_or_default().to_owned()
}

/// Any number of characters.
const ANY: u64 = u64::MAX;

/// At how many places of a pattern a search may be, at most, after any number of characters.
fn places_of(pattern: &Hir) -> u64 {
    let is_anchored = pattern.properties().look_set_prefix().contains(Look::Start);
    let mut starts = if is_anchored { 1 } else { ANY };
    places(pattern, &mut starts).saturating_add(1)
}

/// The places of a part that may begin after so many different numbers of characters, which becomes how
/// many there are behind it. Its depth is bounded by the parser.
fn places(part: &Hir, starts: &mut u64) -> u64 {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(text) => (text.0.len() as u64).min(*starts),
        HirKind::Capture(capture) => places(&capture.sub, starts).saturating_add(1),
        HirKind::Concat(parts) => {
            parts.iter().fold(0, |sum: u64, part| sum.saturating_add(places(part, starts)))
        }
        HirKind::Alternation(parts) => {
            let (before, mut behind) = (*starts, 0_u64);
            let sum = parts.iter().fold(0, |sum: u64, part| {
                let mut starts = before;
                let inner = places(part, &mut starts);
                behind = behind.saturating_add(starts);
                sum.saturating_add(inner).saturating_add(1)
            });
            *starts = behind;
            sum
        }
        HirKind::Repetition(repetition) => repeated(repetition, starts),
    }
}

fn repeated(Repetition { min, max, sub, .. }: &Repetition, starts: &mut u64) -> u64 {
    let copies = u64::from(max.unwrap_or(min.saturating_add(1)).max(1));
    let is_one_character = match sub.kind() {
        HirKind::Class(_) => true,
        HirKind::Literal(text) => {
            std::str::from_utf8(&text.0).is_ok_and(|text| text.chars().count() == 1)
        }
        _ => false,
    };
    if !is_one_character {
        *starts = ANY;
        return places(sub, starts).saturating_add(1).saturating_mul(copies);
    }
    // Each copy is as far into the text as those before it: only where they begin differs.
    let sum = copies.min(*starts);
    *starts = max.map_or(ANY, |max| starts.saturating_add(u64::from(max - min)));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_cheap_and_what_is_everywhere_at_once_is_not() {
        for (source, least, most) in [
            ("^[A-Z]{3}-[0-9]{4}$", 2, 10),
            ("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", 5, 40),
            (r"^[\w.+-]+@[\w-]+\.[\w.]+$", 5, 12),
            ("^.{1,500}$", 2, 6),
            ("^(?:open|closed|late)$", 3, 20),
            ("[ab]*a[ab]{600}c", 600, 700),
            ("(a|bc){100}", 300, 800),
        ] {
            let pattern = Pattern::compile(source).unwrap_or_else(|why| panic!("{source}: {why}"));
            let places = pattern.steps("x");
            assert!((least..=most).contains(&places), "{source}: {places}");
            assert_eq!(pattern.steps("xyz"), 3 * places);
        }
    }

    #[test]
    fn what_costs_too_much_is_refused() {
        for (source, why) in [
            ("(", "unclosed group"),
            ("[ab]*a[ab]{600}[ab]{600}c", "too complex"),
            ("((a{1000}){1000}){1000}", "too complex"),
            ("(?:|a){2000}", "too complex"),
            (r"^\w{500}$", "size limit"),
            (&"a".repeat(5000), "longer than 4000 bytes"),
        ] {
            let refused = Pattern::compile(source).expect_err(why);
            assert!(refused.contains(why), "{source}: {refused}");
        }
    }
}
