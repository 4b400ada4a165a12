//! Which programs may have written a file, by texts that stand in all files of each.

use super::PROGRAMS;
use super::head::{Head, LINES, PREFACES};
use crate::json::{BLOCK, stops};
use memchr::memmem;
use std::sync::LazyLock;

/// Stands for the names of lines that say nothing of a session.
const PREFACE: u32 = 1 << 31;
const SLOTS: usize = 1 << 10;

/// The signs of all programs, each with whose it is, as bits.
struct Signs {
    /// Those behind a quotation mark, as all are that may stand in an object: without it, in their slots.
    slots: Vec<Vec<(String, u32)>>,
    others: Vec<(&'static str, u32)>,
}

static SIGNS: LazyLock<Signs> = LazyLock::new(|| {
    let (mut slots, mut others) = (vec![Vec::new(); SLOTS], Vec::new());
    for name in PREFACES.map(|name| format!("{name}\"")) {
        slots[slot_of(&name)].push((name, PREFACE));
    }
    for (program, bit) in PROGRAMS.iter().zip(0..) {
        for sign in program.signs {
            match sign.strip_prefix('"') {
                Some(name) => slots[slot_of(name)].push((name.to_owned(), 1 << bit)),
                None => others.push((*sign, 1 << bit)),
            }
        }
    }
    Signs { slots, others }
});

/// The programs of which a sign stands in a file, as bits: among its first lines where all its lines are objects, or
/// anywhere.
pub(super) fn in_file(head: &Head<'_>) -> u32 {
    let Some(lines) = head.objects() else {
        let others = SIGNS.others.iter();
        let others = others.filter(|(it, _)| memmem::find(head.bytes, it.as_bytes()).is_some());
        return others.fold(SIGNS.behind_marks(head.bytes), |all, (_, of)| all | of) & !PREFACE;
    };
    let (mut found, mut left) = (0, LINES);
    for signs in lines.map(|line| SIGNS.behind_marks(line)) {
        found |= signs;
        left -= usize::from(signs & PREFACE == 0);
        if left == 0 {
            break;
        }
    }
    found & !PREFACE
}

/// Whether a line names a line that says nothing of a session, wherever in it.
pub(super) fn may_be_preface(line: &[u8]) -> bool {
    SIGNS.behind_marks(line) & PREFACE != 0
}

/// Whether a line has a program's sign, wherever in it.
pub fn has_sign(line: &[u8]) -> bool {
    SIGNS.behind_marks(line) & !PREFACE != 0
}

impl Signs {
    /// Whose signs stand behind the quotation marks of a text, as bits.
    fn behind_marks(&self, text: &[u8]) -> u32 {
        let mut found = 0;
        for start in (0..text.len()).step_by(BLOCK) {
            let mut marks = stops(&text[start..]);
            while marks != 0 {
                let at = start + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                let Some(beginning) = text[at..].first_chunk() else { break };
                let signs = &*self.slots[slot(u32::from_le_bytes(*beginning))];
                found |= if signs.is_empty() { 0 } else { those_at(&text[at..], signs) };
            }
        }
        found
    }
}

/// Whose of these signs stand behind the mark that a text begins with, as bits.
#[inline(never)]
fn those_at(text: &[u8], signs: &[(String, u32)]) -> u32 {
    let Some(name) = text.strip_prefix(b"\"") else { return 0 };
    let stand = signs.iter().filter(|(sign, _)| name.starts_with(sign.as_bytes()));
    stand.fold(0, |found, (_, of)| found | of)
}

/// The slot of a name behind a byte, told by its first three bytes.
fn slot(beginning: u32) -> usize {
    ((beginning >> 8).wrapping_mul(0x9E37_79B1) >> (u32::BITS - SLOTS.ilog2())) as usize
}

/// The slot of a sign; none is shorter than what tells it.
fn slot_of(sign: &str) -> usize {
    slot(sign.bytes().take(3).fold(0, |told, byte| told >> 8 | u32::from(byte) << 24))
}

#[cfg(test)]
mod tests {
    use super::super::Units;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_sign_hides_another_and_those_of_objects_stand_behind_quotation_marks() {
        let all = PROGRAMS.iter().flat_map(|program| program.signs);
        for (sign, other) in
            all.clone().flat_map(|sign| all.clone().map(move |other| (sign, other)))
        {
            assert!(sign == other || !other.contains(sign), "`{sign}` and `{other}`");
        }
        for program in PROGRAMS.iter().filter(|program| program.units == Units::Lines) {
            let is_name = program.signs.iter().map(|sign| sign.starts_with('"'));
            assert!(is_name.clone().all(|it| it) || !is_name.clone().any(|it| it), "{program:?}");
        }
    }

    #[test]
    fn signs_are_looked_for_among_the_first_lines_where_all_are_objects() {
        const SIGN: &str = r#"{"sessionId":1}"#;
        let signs = |text: &str| in_file(&Head::of(text.as_bytes(), true, 64));
        let is_found = |lines: &[&str]| signs(&lines.join("\n")) != 0;
        let object = format!(r#"{{"a":"{}"}}"#, "a".repeat(1 << 10));
        let objects = [&*object; LINES];
        assert!(!is_found(&objects) && !is_found(&[&objects[..], &[SIGN]].concat()));
        assert!(is_found(&[&objects[1..], &[SIGN]].concat()));
        let prefaces = [r#"{"type":"mode"}"#; LINES];
        assert!(is_found(&[&objects[1..], &prefaces, &["", SIGN]].concat()));
        for other in ["2026-03-01 [info] {", "[1]", "  {}"] {
            assert!(is_found(&[&objects[..], &[other, SIGN]].concat()), "`{other}`");
        }
    }

    proptest! {
        #[test]
        fn a_line_has_the_signs_that_stand_in_it(
            parts in proptest::collection::vec(("[a-z\"\\\\_: .é]{0,70}", 0..64_usize), 1..4),
        ) {
            let signs: Vec<&(String, u32)> = SIGNS.slots.iter().flatten().collect();
            let mut line = String::new();
            for (before, number) in parts {
                line.extend([&*before, "\"", &signs[number % signs.len()].0]);
            }
            let stand = signs.iter().filter(|(sign, _)| line.contains(&format!("\"{sign}")));
            let expected = stand.fold(0, |all, (_, of)| all | of);
            prop_assert_eq!(SIGNS.behind_marks(line.as_bytes()), expected);
        }
    }
}
