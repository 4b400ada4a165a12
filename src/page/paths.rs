//! Paths as a page that is passed on may show them: without the folders of a machine before them.

/// So many parts at the end of a path say which one it is.
const TOLD: usize = 2;
/// Folders below which people have theirs.
const HOMES: [&str; 2] = ["home", "Users"];
/// How a home is shown that is all of a path.
const HOME: &str = "~";

/// A path as it is shown: as it was typed where it leads from some folder to another, else its end.
pub fn shown(path: &str) -> String {
    in_command(path, TOLD)
}

/// A path as it stands in a command that may be copied elsewhere: where it begins at the root of a machine or at
/// somebody's home, or climbs up to one, so many parts of its end.
pub fn in_command(path: &str, parts: usize) -> String {
    let mut all: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." && all.last().is_some_and(|last| *last != "..") {
            all.pop();
        } else {
            all.push(part);
        }
    }
    let below = below_homes(&all);
    let climbs = all.first() == Some(&"..") && below.len() < all.len();
    if all.is_empty() || !(climbs || path.starts_with(['/', '\\', '~']) || is_drive(path)) {
        return path.to_owned();
    }
    // A drive is told where it is all there is.
    let below = match below {
        [drive, rest @ ..] if is_drive(drive) && !rest.is_empty() => rest,
        whole => whole,
    };
    match below {
        [] => HOME.to_owned(),
        below => below[below.len().saturating_sub(parts)..].join("/"),
    }
}

fn is_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// What is below the last home: who somebody is does not say which recordings were read.
fn below_homes<'p>(parts: &'p [&'p str]) -> &'p [&'p str] {
    let is_homes = |at: usize| {
        // Drives do not tell letters by their case.
        let has_case = !parts[..at].iter().any(|part| is_drive(part));
        let is = |homes| {
            if has_case { parts[at] == homes } else { parts[at].eq_ignore_ascii_case(homes) }
        };
        at + 1 < parts.len() && HOMES.into_iter().any(is)
    };
    let (mut from, mut at) = (0, 0);
    while at < parts.len() {
        let is_home = at == 0 && parts[at].starts_with('~');
        let length = if is_home { 1 } else { 2 };
        let is_taken = is_home || is_homes(at);
        at += if is_taken { length } else { 1 };
        from = if is_taken { at } else { from };
    }
    &parts[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_a_machine_are_not_told() {
        crate::cases::check("tests/cases/paths.txt", |case| match case.text.split_once(' ') {
            Some((path, parts)) => in_command(path, parts.parse().expect("a number")),
            None => shown(&case.text),
        });
    }
}
