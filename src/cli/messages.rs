//! Calls by what their replies say: equal messages are one, with their number.

use super::terminal::{counted, cut, harmless};
use crate::compare::show::said;
use crate::recording::Key;
use crate::view::{Block, Field, Item, Line};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Further messages count as one.
const MOST: usize = 10_000;
/// So many characters of a message are kept.
const LONGEST: usize = 300;

#[derive(Debug, Default)]
pub(super) struct Messages {
    /// By outcome and kind, and by the message without its numbers, names and quotations.
    groups: HashMap<(String, String), Group>,
    others: u64,
}

#[derive(Debug)]
struct Group {
    calls: u64,
    message: String,
    /// Server and tool.
    tools: BTreeSet<String>,
    first: Key,
}

impl Messages {
    pub(super) fn add(&mut self, became: String, tool: String, reply: &str, key: Key) {
        let message = said(reply).unwrap_or_default();
        let name = (became, blanked(&message));
        if self.groups.len() >= MOST && !self.groups.contains_key(&name) {
            self.others += 1;
            return;
        }
        let group = self.groups.entry(name).or_insert_with(|| Group {
            calls: 0,
            message: cut(&message, LONGEST),
            tools: BTreeSet::new(),
            first: key,
        });
        group.calls += 1;
        group.tools.insert(tool);
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len() + usize::from(self.others > 0)
    }

    /// The most frequent ones, and the first call of all.
    pub(super) fn items(self, most: usize) -> (Vec<Item>, Option<Key>) {
        let mut groups: Vec<_> = self.groups.into_iter().collect();
        groups.sort_by(|(one, a), (other, b)| {
            (Reverse(a.calls), one).cmp(&(Reverse(b.calls), other))
        });
        let first = groups.first().map(|(_, group)| group.first);
        let item = |((became, _), group): ((String, String), Group)| {
            let mut item = Item::new(Line::from(format!("×{}  {became}", group.calls)));
            let tools = group.tools.len() as u64;
            let tool = group.tools.into_iter().next().unwrap_or_default();
            let others = match tools {
                0 | 1 => String::new(),
                _ => format!(" and {}", counted(tools - 1, "other tool")),
            };
            let message = Line::recorded(harmless(&group.message));
            let mut fields = vec![
                Field::new("says", message),
                Field::new("tool", Line::recorded(tool).then(others)),
                Field::new("call", group.first.to_string()),
            ];
            fields.retain(|field| !field.value.is_empty());
            item.below.push(Block::Fields(fields));
            item
        };
        (groups.into_iter().take(most).map(item).collect(), first)
    }
}

/// A message without what differs from call to call: words with a digit in them, and quotations.
fn blanked(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(next) = rest.chars().next() {
        let quoted = ['"', '\'', '`'].contains(&next).then(|| rest[1..].find(next)).flatten();
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let taken = match quoted {
            Some(end) => {
                out.push('…');
                end + 2
            }
            None if word > 0 => {
                let has_digit = rest[..word].contains(|c: char| c.is_ascii_digit());
                out.push_str(if has_digit { "#" } else { &rest[..word] });
                word
            }
            None => {
                out.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::blanked;

    #[test]
    fn what_differs_from_call_to_call_is_blank() {
        for (message, expected) in [
            ("User 'ann' not found: 7", "User … not found: #"),
            ("job a81f-22 timed out after 30s", "job #-# timed out after #"),
            ("it's gone, \"x\" and `y", "it's gone, … and `y"),
            ("日本 \"é", "日本 \"é"),
            ("", ""),
        ] {
            assert_eq!(blanked(message), expected);
        }
    }
}
