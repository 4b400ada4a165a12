//! As much of Markdown as the documents use: fences, links and headings.

use super::root;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A document of the project.
pub(super) struct Document {
    /// Its path below the project, with slashes.
    pub(super) name: String,
    /// Its text.
    pub(super) text: String,
}

/// A fenced block.
#[derive(Debug)]
pub(super) struct Fence {
    /// What stands after the opening fence.
    pub(super) info: String,
    /// What is in it.
    pub(super) body: String,
    /// The line of its opening fence, from 1.
    pub(super) line: usize,
}

impl Fence {
    /// The language it is highlighted as.
    pub(super) fn language(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or_default()
    }

    /// The file that it shows, if it is one: the second word after the opening fence.
    pub(super) fn file(&self) -> Option<&str> {
        self.info.split_whitespace().nth(1)
    }
}

impl Document {
    /// Whether its commands are run: those of the README and of `docs`.
    pub(super) fn is_ours_to_run(&self) -> bool {
        self.name == "README.md" || self.name.starts_with("docs/")
    }

    /// Its fenced blocks, in order.
    pub(super) fn fences(&self) -> Vec<Fence> {
        let mut found = Vec::new();
        let mut open: Option<Fence> = None;
        for (at, line) in self.text.lines().enumerate() {
            match (&mut open, line.strip_prefix("```")) {
                (Some(_), Some(_)) => found.extend(open.take()),
                (Some(fence), None) => {
                    fence.body.push_str(line);
                    fence.body.push('\n');
                }
                (None, Some(info)) => {
                    let info = info.to_owned();
                    open = Some(Fence { info, body: String::new(), line: at + 1 });
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a fence is never closed", self.name);
        found
    }

    /// Its lines outside of fences, with their numbers.
    fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut fenced = false;
        self.text.lines().enumerate().filter_map(move |(at, line)| {
            let is_fence = line.starts_with("```");
            fenced ^= is_fence;
            (!fenced && !is_fence).then_some((at + 1, line))
        })
    }

    /// Its links to other parts of the project, with their lines.
    pub(super) fn links(&self) -> Vec<(usize, String)> {
        let link = regex::Regex::new(r"\]\(([^)\s]+)\)").expect("a regex");
        self.prose()
            .flat_map(|(number, line)| {
                let targets: Vec<String> =
                    link.captures_iter(line).map(|found| found[1].to_owned()).collect();
                targets.into_iter().map(move |target| (number, target))
            })
            .filter(|(_, target)| !target.contains("://"))
            .collect()
    }

    /// The anchors of its headings, as code hosts make them.
    pub(super) fn anchors(&self) -> Vec<String> {
        self.prose()
            .filter(|(_, line)| line.starts_with('#'))
            .map(|(_, line)| {
                let title = line.trim_start_matches('#').trim().to_lowercase();
                title
                    .chars()
                    .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                    .map(|c| if c == ' ' { '-' } else { c })
                    .collect()
            })
            .collect()
    }
}

/// Every document of the project, sorted by name.
pub(super) fn documents() -> Vec<Document> {
    let mut names: Vec<String> =
        ["README.md", "CHANGELOG.md", "corpus/README.md", "benches/README.md"]
            .map(str::to_owned)
            .to_vec();
    for folder in ["docs", "docs/stories"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of documents") {
            let path = entry.expect("a readable entry").path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                names.push(format!("{folder}/{name}"));
            }
        }
    }
    names.sort();
    let read = |name: String| {
        let text = fs::read_to_string(root().join(&name))
            .unwrap_or_else(|error| panic!("cannot read {name}: {error}"));
        Document { name, text }
    };
    names.into_iter().map(read).collect()
}

/// A path without `..`.
pub(super) fn resolve(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}
