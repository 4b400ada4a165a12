//! The text of a baseline: digests and counts first, then a line for each call below its tool, then the
//! verdicts that these lines name. It is a snapshot as `insta` keeps them.

use super::counts::Counts;
use super::model::{Baseline, Note, is_plainly_fine, verdict};
use super::seal::{DIGEST, Seal};
use super::spell::{Within, spell};
use super::verdict_text::{BAR, write_count};
use super::wrap::{WIDTH, wrapped};
use crate::compare::{Entry, Header, UnreadableFiles};
use crate::recording::Key;
use crate::store::NamedVerdict;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io;
use xxhash_rust::xxh3::xxh3_128;

/// Marks a text as a baseline of ours; the number of its grammar follows.
pub(super) const FORMAT: &str = "tapecheck-baseline/";
pub const GRAMMAR: &str = "6";
/// Before the path of the recordings.
pub(super) const COLLECTION: &str = "collection ";
/// Before the path of the rulebook's file.
pub(super) const RULEBOOK_FILE: &str = "rulebook file ";
/// Before a server and a tool, whose calls follow; the first one ends the header.
pub(super) const TOOL: &str = "# ";
/// Begins the line of a call.
pub(super) const CALL: &str = "  ";
/// Before the verdicts that the calls name.
pub(super) const VERDICTS: &str = "verdicts";
/// What stands before the text in a file, for `insta`: it names who makes the snapshot.
pub(super) const PREAMBLE: &str = "---\nsource: tapecheck snapshot\n---\n";
/// Stands between an exchange and the request it answers.
pub(super) const ANSWERS: char = '<';
/// Less of a reply is not worth showing.
const LEAST_TEXT: usize = 20;
/// How many digits of the hash of a verdict name it: the first of these that tells all of them apart.
const DIGITS: [usize; 3] = [8, 16, 32];

impl Baseline {
    /// The text that people read, without what stands before it for `insta`.
    pub fn text(&self) -> String {
        let mut text = Vec::new();
        // Memory takes whatever is written.
        let _ = self.write_text(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Writes the whole file.
    pub(super) fn write_file(&self, out: &mut impl io::Write) -> io::Result<()> {
        out.write_all(PREAMBLE.as_bytes())?;
        self.write_text(out)
    }

    /// Writes the text line by line: once for the digest, which stands at its head, and once to `out`.
    fn write_text(&self, out: &mut impl io::Write) -> io::Result<()> {
        let digits = self.digits_needed();
        let mut seal = Seal::default();
        self.each_line(digits, &mut |line| {
            seal.line(line);
            Ok(())
        })?;
        let mut digest = Some(seal.digest());
        self.each_line(digits, &mut |line| {
            writeln!(out, "{}", wrapped(line))?;
            digest.take().map_or(Ok(()), |digest| writeln!(out, "{DIGEST}{digest}"))
        })
    }

    /// Every line but that of the digest.
    fn each_line(&self, digits: u8, take: Take<'_>) -> io::Result<()> {
        self.header_text(digits).lines().try_for_each(&mut *take)?;
        let names = self.verdict_names();
        let order: Vec<usize> = (0..self.side.entries.len()).collect();
        let mut tool = None;
        for alike in order.chunk_by(|a, b| self.is_written_alike(*a, *b)) {
            let entry = self.side.entries[alike[0]];
            if tool.replace((entry.server, entry.tool)) != Some((entry.server, entry.tool)) {
                let mut line = TOOL.to_owned();
                spell(self.side.names.get(entry.server), Within::Who, &mut line);
                line.push('/');
                spell(self.side.names.get(entry.tool), Within::Who, &mut line);
                take(&line)?;
            }
            if let Some((verdict, name)) = self.verdict(&entry).zip(names.get(&entry.verdict)) {
                let call = Call { entry: &entry, verdict, name, note: &self.notes[alike[0]] };
                take(&call.line(digits, alike.len() as u64))?;
            }
        }
        take(VERDICTS)?;
        let text = |number: &u32| verdict(&self.side.verdicts[*number as usize]);
        let mut verdicts: Vec<_> =
            names.iter().map(|(number, name)| (text(number), name)).collect();
        verdicts.sort_unstable();
        verdicts.iter().try_for_each(|(text, name)| take(&format!("{name} {text}")))
    }

    /// The verdicts of its calls, named by their hashes: a name changes with its verdict and with nothing else.
    fn verdict_names(&self) -> BTreeMap<u32, String> {
        let used: HashSet<u32> = self.side.entries.iter().map(|entry| entry.verdict).collect();
        let all = used.iter().filter_map(|number| {
            let named = self.side.verdicts.get(*number as usize)?;
            Some((*number, format!("{:032x}", xxh3_128(verdict(named).as_bytes()))))
        });
        let mut names: BTreeMap<u32, String> = all.collect();
        let short = |digits: &usize| {
            names.values().map(|name| &name[..*digits]).collect::<HashSet<_>>().len() == names.len()
        };
        let digits = DIGITS.into_iter().find(short).unwrap_or(DIGITS[2]);
        for name in names.values_mut() {
            name.truncate(digits);
        }
        names
    }

    /// Everything before the exchanges apart from the digest.
    fn header_text(&self, digits: u8) -> String {
        let Header { corpus_digest, rulebook, checks, version, .. } = &self.side.header;
        let Header { unreadable, unreadable_files, overall_confidence, .. } = &self.side.header;
        let mut text = format!("{FORMAT}{GRAMMAR}\n");
        let _ = writeln!(text, "corpus {corpus_digest}");
        let path = |word: &str, path: &Option<String>, text: &mut String| {
            if let Some(path) = path {
                text.push_str(word);
                spell(path, Within::Id, text);
                text.push('\n');
            }
        };
        path(COLLECTION, &self.origin.collection, &mut text);
        text.push_str("rulebook ");
        spell(&rulebook.name, Within::Who, &mut text);
        let _ = writeln!(text, " {}", rulebook.digest);
        path(RULEBOOK_FILE, &self.origin.rulebook_file, &mut text);
        if let Some(checks) = checks {
            let _ = writeln!(text, "checks {checks}");
        }
        if let Some(version) = version {
            let _ = writeln!(text, "version {version}");
        }
        if let Some(unreadable) = unreadable {
            let _ = writeln!(text, "unreadable lines {unreadable}");
        }
        if let Some(UnreadableFiles { damaged, read_errors, unanswered, .. }) = unreadable_files {
            let _ = writeln!(text, "damaged files {damaged}\nunreadable files {read_errors}");
            if *unanswered > 0 {
                let _ = writeln!(text, "files without replies {unanswered}");
            }
        }
        if let Some(confidence) = overall_confidence {
            let _ = writeln!(text, "overall confidence {confidence}");
        }
        let _ = writeln!(text, "key digits {digits}");
        let _ = writeln!(text, "exchanges {}", self.side.entries.len());
        for (name, count) in self.counts().iter() {
            let _ = writeln!(text, "  {name} {count}");
        }
        text
    }

    /// The exchanges it lists, counted.
    pub fn counts(&self) -> Counts {
        Counts::of(self.side.entries.iter().filter_map(|entry| self.verdict(entry)))
    }

    fn is_written_alike(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.side.entries[a], self.side.entries[b]);
        let written =
            |entry: Entry| (entry.server, entry.tool, entry.verdict, entry.key, entry.request);
        written(one) == written(other) && self.notes[a].id == self.notes[b].id
    }
}

/// Takes one line after the other, without their ends.
type Take<'t> = &'t mut dyn FnMut(&str) -> io::Result<()>;

/// What a line is about.
struct Call<'b> {
    entry: &'b Entry,
    verdict: &'b NamedVerdict,
    /// The name of its verdict.
    name: &'b str,
    note: &'b Note,
}

impl Call<'_> {
    fn line(&self, digits: u8, count: u64) -> String {
        let Self { entry, verdict, name, note } = self;
        let mut line = format!("{CALL}{} {name} ", verdict.outcome.name());
        write_key(entry.key, digits, &mut line);
        // A request that was never answered is its own exchange.
        if entry.request != entry.key {
            line.push(ANSWERS);
            write_key(entry.request, digits, &mut line);
        }
        if let Some(id) = &note.id {
            line.push_str(" [");
            spell(id, Within::Id, &mut line);
            line.push(']');
        }
        write_count(count, &mut line);
        if is_plainly_fine(verdict) {
            return line;
        }
        line.push_str(BAR);
        spell(why(verdict), Within::List, &mut line);
        let room = WIDTH.saturating_sub(line.chars().count() + BAR.len());
        if let Some(text) = note.text.as_deref().filter(|_| room >= LEAST_TEXT) {
            line.push_str(BAR);
            line.extend(text.chars().take(room));
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// What decided, in a word: the rule, else the first issue, else what came back.
fn why(verdict: &NamedVerdict) -> &str {
    let issue = || verdict.issues.first()?.split_once(' ').map(|(_, kind)| kind);
    verdict.decided_by.as_deref().or_else(issue).unwrap_or(verdict.reply.name())
}

fn write_key(key: Key, digits: u8, text: &mut String) {
    let hex = key.to_string();
    text.push_str(hex.get(..usize::from(digits)).unwrap_or(&hex));
}
