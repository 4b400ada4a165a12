//! Paths as a page that is passed on may show them: without the folders of a machine before them.

/// So many parts at the end of a path say which one it is.
const TOLD: usize = 2;
/// Folders below which people have theirs.
const HOMES: [&str; 2] = ["home", "Users"];

/// A path as it is shown: as it was typed where it leads from some folder to another, else its end.
#[must_use]
pub fn shown(path: &str) -> String {
    in_command(path, TOLD)
}

/// A path as it stands in a command that may be copied elsewhere: from the folder that holds what it
/// leads to, with so many parts of it.
#[must_use]
pub fn in_command(path: &str, parts: usize) -> String {
    end(path, parts).unwrap_or_else(|| path.to_owned())
}

/// Whether a path begins at the root of a machine, or at somebody's home.
pub(super) fn is_of_machine(path: &str) -> bool {
    let drive = |path: &str| {
        let mut start = path.chars();
        start.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && start.next() == Some(':')
    };
    path.starts_with(['/', '\\', '~']) || drive(path)
}

/// The last parts of a path that begins at a root; `None` of others.
fn end(path: &str, parts: usize) -> Option<String> {
    if !is_of_machine(path) {
        return None;
    }
    let mut all: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let last = all.pop()?;
    if all.first().is_some_and(|drive| drive.ends_with(':') || drive.starts_with('~')) {
        all.remove(0);
    }
    // Who somebody is does not say which tapes were read.
    if all.first().is_some_and(|first| HOMES.contains(first)) {
        all.drain(..all.len().min(2));
    }
    let from = all.len().saturating_sub(parts.saturating_sub(1));
    all.drain(..from);
    all.push(last);
    Some(all.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_a_machine_are_not_told() {
        let cases = [
            ("corpus/recorded", "corpus/recorded"),
            ("../tapes", "../tapes"),
            ("-", "-"),
            ("/srv/nightly/2026-06-30/tapes", "2026-06-30/tapes"),
            ("/srv/nightly/tapes/", "nightly/tapes"),
            ("/home/ann/tapes", "tapes"),
            ("/home/ann/work/tapes", "work/tapes"),
            ("~/tapes", "tapes"),
            ("/data", "data"),
            ("/", "/"),
            ("C:\\Users\\ann\\tapes", "tapes"),
            ("C:\\data\\of\\tapes", "of/tapes"),
        ];
        for (path, expected) in cases {
            assert_eq!(shown(path), expected, "{path}");
        }
        assert_eq!(in_command("/srv/nightly/tapes", 1), "tapes");
        assert_eq!(in_command("nightly/tapes", 1), "nightly/tapes");
        assert_eq!(in_command("/srv/run/rulebook.toml", 2), "run/rulebook.toml");
    }
}
