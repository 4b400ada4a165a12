//! The lists of what an operator acts on, in words.

use super::lists::Page;
use super::overview::{FEW, called};
use crate::count::{List, bytes_words, milliseconds_words, rounded_down};
use crate::recording::Key;
use crate::store::ListRow;
use crate::verdict::{counted, grouped};
use crate::view::{Block, Field, Item, Line, Section};

/// What a list is called on a page.
fn title(list: List) -> &'static str {
    match list {
        List::Failures => "What failed",
        List::Struggle => "Struggle",
        List::Slow => "Slow and hung",
        List::Large => "Large replies",
        List::NoReason => "No reason given",
    }
}

/// What is said of the calls of a list.
pub fn about(list: List) -> &'static str {
    match list {
        List::Failures => "failed or invalid, by what they say",
        List::Struggle => "repeated in vain, for the third time or more in a session",
        List::Slow => "of 10 s or longer, or without an answer",
        List::Large => "with a reply of 40 kB or more, about 10,000 tokens",
        List::NoReason => "refused or failed without a reason",
    }
}

/// How the parts of an entry are made fit to be shown: a text, a server and its tool, and a call.
pub(crate) struct Showing<'s> {
    pub(crate) text: &'s dyn Fn(&str) -> String,
    pub(crate) tool: &'s dyn Fn(&str, &str) -> Line,
    pub(crate) call: &'s dyn Fn(Key) -> Line,
}

/// The entries of a list, as many as somebody wants.
pub(crate) fn entries(rows: &[&ListRow], most: usize, showing: &Showing<'_>) -> Section {
    let mut section = Section::default();
    if !rows.is_empty() && rows.iter().all(|row| row.calls == 0) {
        section.note("no such call; these come closest:");
    }
    section.items(rows.iter().take(most).map(|row| item(row, showing)).collect());
    section.more(rows.len(), most, "");
    section
}

fn item(row: &ListRow, showing: &Showing<'_>) -> Item {
    let tool = (showing.tool)(&row.server, &row.tool);
    let says = (showing.text)(&row.says);
    let mut fields = Vec::new();
    let line = if row.list == List::Failures {
        let others = match row.tools {
            0 | 1 => String::new(),
            tools => format!(" and {}", counted(tools - 1, "other tool")),
        };
        fields.push(Field::new("tool", tool.then(others)));
        Line::from(format!("×{}  ", grouped(row.calls))).then_recorded(says)
    } else {
        if row.list == List::Struggle {
            fields.push(Field::new("last reply", Line::recorded(says)));
        }
        tool.then(format!(": {}", measured(row)))
    };
    fields.extend(row.key.map(|key| Field::new("call", (showing.call)(key))));
    fields.retain(|field| !field.value.is_empty());
    let below = if fields.is_empty() { Vec::new() } else { vec![Block::Fields(fields)] };
    Item { line, below }
}

/// What was counted and measured of a tool.
fn measured(row: &ListRow) -> String {
    let mut parts = Vec::new();
    let amounts = |words: fn(f64) -> String| {
        let [typical, p95, most] =
            [row.typical, row.p95, row.most].map(|it| Some(words(rounded_down(it?))));
        let (typical, p95, most) = (typical?, p95?, most?);
        Some(match row.of {
            0 | 1 => most,
            // Of fewer, 95 of 100 are all.
            2..20 => format!("median {typical}, largest {most}"),
            _ => format!("median {typical}, 95 % up to {p95}, largest {most}"),
        })
    };
    match row.list {
        List::Failures => {}
        List::Struggle => {
            if row.calls > 0 {
                let sessions = counted(row.sessions.unwrap_or_default(), "session");
                let most = row.most.unwrap_or_default();
                parts.push(format!("×{} in {sessions}, up to {most} attempts", grouped(row.calls)));
            }
            let recovered = row.recovered.unwrap_or_default();
            if recovered > 0 {
                parts.push(format!("{} a later call of the tool worked", times(recovered)));
            }
        }
        List::Slow => {
            parts.extend(amounts(milliseconds_words).map(|it| it.replace("largest", "longest")));
            parts.push(row.says.clone());
        }
        List::Large => {
            parts.extend(amounts(bytes_words));
            let copies = row.copies.unwrap_or_default();
            if copies > 0 {
                parts.push(format!(
                    "{} of {} with as much text beside structuredContent",
                    grouped(copies),
                    grouped(row.of)
                ));
            }
        }
        List::NoReason => {
            parts.push(format!("{} of {} errors", grouped(row.calls), grouped(row.of)));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", grouped(count)) }
}

/// What a page shows of them: those that have calls on them, and of the slow and the large the worst tools.
pub(super) fn lists(page: &Page) -> Option<Section> {
    // Whoever wants to see the calls of a tool goes to them.
    let tool = |server: &str, tool: &str| {
        let [server, tool] = [server, tool].map(|name| match name {
            "" => String::new(),
            name => page.showing.name(name).to_string(),
        });
        called(&server, &tool, &[])
    };
    let showing = Showing {
        text: &|text| page.showing.words(text).to_string(),
        tool: &tool,
        call: &|_| Line::default(),
    };
    let part = |of: List| {
        let rows: Vec<&ListRow> = page.run.lists.iter().filter(|row| row.list == of).collect();
        let calls = rows.iter().map(|row| row.calls).sum::<u64>();
        let mut part = Section { title: title(of).into(), ..entries(&rows, FEW, &showing) };
        part.blocks
            .insert(0, Block::Note(format!("{} {}", counted(calls, "call"), about(of)).into()));
        Block::Section(part)
    };
    let is_there = |of: &List| page.run.lists.iter().any(|row| row.list == *of);
    let columns =
        [vec![List::Failures], vec![List::Struggle, List::NoReason], vec![List::Slow, List::Large]];
    let columns = columns.map(|lists| {
        let blocks = lists.into_iter().filter(is_there).map(part).collect();
        Section { blocks, ..Section::default() }
    });
    let mut section = Section::new("What to act on");
    section.beside(columns.into_iter().filter(|column| !column.blocks.is_empty()).collect());
    (!section.blocks.is_empty()).then_some(section)
}
