//! The calls of a run that were asked for, with their texts.

use crate::cli::command_line::CommandLine;
use crate::cli::terminal::{counted, cut, harmless, log_width, print};
use crate::cli::{Exit, Failure, cannot_print};
use crate::store::{ReportError, Table, TableReader, TextColumn};
use crate::verdict::Outcome;
use crate::view::text::text;
use crate::view::{Block, Field, Item, Line, Section};
use std::collections::BTreeSet;
use std::path::Path;

/// How much of an input or a reply is shown.
const SHOWN: usize = 400;
/// So many names are suggested where one is not found.
const SUGGESTED: usize = 10;

/// Which calls of a run are listed.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "List calls, with their texts")]
pub(super) struct Filter {
    /// Those that failed or are invalid
    #[arg(long)]
    failed: bool,
    /// Those of a server
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Those of a tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Those of a session
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Those with a confidence below this, of 100
    #[arg(long, value_name = "CONFIDENCE", value_parser = clap::value_parser!(u8).range(1..=100))]
    below: Option<u8>,
    /// How many to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
}

/// A column that a name is looked for in.
struct Wanted<'a> {
    column: &'static str,
    name: &'a str,
    seen: BTreeSet<String>,
    is_found: bool,
}

impl Filter {
    pub(super) fn is_some(&self) -> bool {
        self.failed
            || self.below.is_some()
            || self.server.is_some()
            || self.tool.is_some()
            || self.session.is_some()
    }

    pub(super) fn show(&self, run: &Path) -> Result<Exit, Failure> {
        let mut wanted: Vec<Wanted<'_>> =
            [("server", &self.server), ("tool", &self.tool), ("session", &self.session)]
                .into_iter()
                .filter_map(|(column, name)| {
                    let name = name.as_deref()?;
                    Some(Wanted { column, name, seen: BTreeSet::new(), is_found: false })
                })
                .collect();
        let (items, found, first) = self.find(run, &mut wanted).map_err(|error| {
            Failure::unfinished(error).next("classify the recordings again with tapecheck run")
        })?;
        if let Some(missing) = wanted.iter().find(|wanted| !wanted.is_found) {
            return Err(missing.failure());
        }
        let below = self.below.map_or_else(String::new, |confidence| {
            format!(" with a confidence below {confidence}")
        });
        let mut list = Section::new(format!(
            "{}{below} in {}",
            counted(found, if self.failed { "failed or invalid call" } else { "call" }),
            run.display()
        ));
        let listed = items.len();
        list.items(items);
        let mut end = Section::default();
        if (listed as u64) < found {
            end.text(format!("{listed} are listed; --top {found} lists all"));
        }
        if let Some(key) = first {
            let line = CommandLine::new("tapecheck explain").word(key).word(run);
            end.text(Line::from("next: ").then_command(line.to_string()));
        }
        print(&text(&[list, end], log_width())).map_err(|error| cannot_print(&error))?;
        Ok(Exit::Clean)
    }

    /// The calls to list, how many there are, and the key of the first.
    fn find(
        &self,
        run: &Path,
        wanted: &mut [Wanted<'_>],
    ) -> Result<(Vec<Item>, u64, Option<String>), ReportError> {
        let (mut items, mut found, mut first) = (Vec::new(), 0, None);
        let mut table = TableReader::open(run, Table::Verdicts)?;
        for group in 0..table.groups() {
            let outcomes = table.texts(group, "outcome")?;
            let mut rows: Vec<usize> = (0..outcomes.rows.len()).collect();
            for wanted in &mut *wanted {
                let column = table.texts(group, wanted.column)?;
                wanted.look(&column);
                rows.retain(|row| column.get(*row) == Some(wanted.name));
            }
            if self.failed {
                rows.retain(|row| outcomes.get(*row).is_some_and(is_bad));
            }
            let mut confidences = Vec::new();
            if let Some(below) = self.below {
                confidences = table.floats(group, "confidence")?;
                rows.retain(|row| confidences[*row].is_some_and(|is| is < f64::from(below)));
            }
            found += rows.len() as u64;
            let room = self.top.saturating_sub(items.len());
            rows.truncate(room);
            if rows.is_empty() {
                continue;
            }
            let mut column = |name| table.texts_in(group, name, &rows);
            let columns = [
                column("key")?,
                column("server")?,
                column("tool")?,
                column("file")?,
                column("input_excerpt")?,
                column("reply_excerpt")?,
            ];
            let lines = table.ints(group, "line")?;
            for (at, row) in rows.iter().enumerate() {
                let texts =
                    columns.each_ref().map(|column| column[at].as_deref().unwrap_or_default());
                let outcome = outcomes.get(*row).unwrap_or_default();
                first.get_or_insert_with(|| texts[0].to_owned());
                let mut item = item(outcome, texts, lines[*row]);
                if let Some(confidence) = confidences.get(*row).copied().flatten() {
                    let field = Field::new("confidence", confidence.to_string());
                    item.below.insert(0, Block::Fields(vec![field]));
                }
                items.push(item);
            }
        }
        Ok((items, found, first))
    }
}

fn item(outcome: &str, [key, server, tool, file, input, reply]: [&str; 6], line: i64) -> Item {
    let head = Line::from(format!("{outcome:<7} "));
    let head = head.then_recorded(format!("{server} / {tool}")).then("  ");
    let mut item = Item::new(head.then_recorded(format!("{file}:{line}")).then(format!("  {key}")));
    let fields = [("input", input), ("reply", reply)].into_iter();
    let fields = fields.filter(|(_, text)| !text.is_empty());
    let fields =
        fields.map(|(name, text)| Field::new(name, Line::recorded(cut(&harmless(text), SHOWN))));
    item.below.push(Block::Fields(fields.collect()));
    item
}

fn is_bad(outcome: &str) -> bool {
    Outcome::ALL.into_iter().any(|known| known.is_bad() && known.name() == outcome)
}

impl Wanted<'_> {
    fn look(&mut self, column: &TextColumn) {
        self.is_found |= column.texts.iter().any(|text| text == self.name);
        let room = (SUGGESTED + 1).saturating_sub(self.seen.len());
        self.seen.extend(column.texts.iter().take(room).map(str::to_owned));
    }

    fn failure(&self) -> Failure {
        let names: Vec<String> =
            self.seen.iter().take(SUGGESTED).map(|name| harmless(name)).collect();
        let more = if self.seen.len() > SUGGESTED { ", …" } else { "" };
        Failure::usage(format!("the run has no {} `{}`", self.column, harmless(self.name)))
            .next(format!("name one of {}{more} with --{}", names.join(", "), self.column))
    }
}
