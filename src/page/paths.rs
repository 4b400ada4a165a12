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

/// A path as it stands in a command that may be copied elsewhere: from the folder that holds what it
/// leads to, with so many parts of it.
pub fn in_command(path: &str, parts: usize) -> String {
    end(path, parts).unwrap_or_else(|| path.to_owned())
}

/// Whether a path begins at the root of a machine or at somebody's home, or climbs up to one.
fn is_of_machine(path: &str) -> bool {
    let climbs = || {
        let parts = parts_of(path);
        parts.first() == Some(&"..") && without_homes(&parts).len() < parts.len()
    };
    path.starts_with(['/', '\\', '~']) || is_drive(path) || climbs()
}

fn is_drive(path: &str) -> bool {
    let mut start = path.chars();
    start.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && start.next() == Some(':')
}

/// The parts of a path, without those that are left again.
fn parts_of(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts
}

/// What is below the last home: who somebody is does not say which recordings were read.
fn without_homes<'p>(parts: &'p [&'p str]) -> &'p [&'p str] {
    let mut from = 0;
    let mut at = 0;
    while at < parts.len() {
        let part = parts[at];
        // Drives do not tell letters by their case.
        let has_case = !parts[..at].iter().any(|part| is_drive(part));
        let is_homes = HOMES
            .iter()
            .any(|homes| part == *homes || (!has_case && part.eq_ignore_ascii_case(homes)));
        let taken = if at == 0 && part.starts_with('~') {
            1
        } else if is_homes && at + 1 < parts.len() {
            2
        } else {
            0
        };
        at += taken.max(1);
        if taken > 0 {
            from = at;
        }
    }
    &parts[from..]
}

/// The last parts of a path that begins at a root; `None` of others.
fn end(path: &str, parts: usize) -> Option<String> {
    if !is_of_machine(path) {
        return None;
    }
    let all = parts_of(path);
    let below = without_homes(&all);
    if below.is_empty() && !all.is_empty() {
        return Some(HOME.to_owned());
    }
    // A drive is told where it is all there is.
    let below = match below {
        [drive, rest @ ..] if is_drive(drive) && !rest.is_empty() => rest,
        whole => whole,
    };
    let from = below.len().saturating_sub(parts.max(1));
    (!below.is_empty()).then(|| below[from..].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_a_machine_are_not_told() {
        let cases = [
            ("corpus/recorded", "corpus/recorded"),
            ("../recordings", "../recordings"),
            ("-", "-"),
            ("/srv/nightly/2026-06-30/recordings", "2026-06-30/recordings"),
            ("/srv/nightly/recordings/", "nightly/recordings"),
            ("/home/ann/recordings", "recordings"),
            ("/home/ann/work/recordings", "work/recordings"),
            ("~/recordings", "recordings"),
            ("~ann/recordings", "recordings"),
            ("~", "~"),
            ("~ann", "~"),
            ("/home/ann", "~"),
            ("/home/ann/", "~"),
            ("/home", "home"),
            ("/home/home/recordings", "recordings"),
            ("/mnt/c/Users/ann/recordings", "recordings"),
            ("/mnt/c/Users/ann", "~"),
            ("/export/home/ann/recordings", "recordings"),
            ("/var/home/ann/of/the/recordings", "the/recordings"),
            ("/home/ann/backup/home/ben/recordings", "recordings"),
            ("/srv/homes/of/recordings", "of/recordings"),
            ("/srv/users/of/recordings", "of/recordings"),
            ("../../home/ann/recordings", "recordings"),
            ("corpus/../../home/ann/recordings", "recordings"),
            ("/home/ann/../ben/recordings", "recordings"),
            ("..\\..\\Users\\ann\\recordings", "recordings"),
            ("../users/recordings", "../users/recordings"),
            ("corpus/home/recordings", "corpus/home/recordings"),
            ("/data", "data"),
            ("/", "/"),
            ("C:\\Users\\ann\\recordings", "recordings"),
            ("c:\\users\\ann", "~"),
            ("\\\\?\\C:\\Users\\ann\\recordings", "recordings"),
            ("D:\\recordings", "recordings"),
            ("D:\\", "D:"),
            ("C:\\data\\of\\recordings", "of/recordings"),
        ];
        for (path, expected) in cases {
            assert_eq!(shown(path), expected, "{path}");
        }
        assert_eq!(in_command("/srv/nightly/recordings", 1), "recordings");
        assert_eq!(in_command("nightly/recordings", 1), "nightly/recordings");
        assert_eq!(in_command("/srv/run/rulebook.toml", 2), "run/rulebook.toml");
    }
}
