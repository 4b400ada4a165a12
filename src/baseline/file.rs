//! The file of a baseline: an object with digests and counts, then one line for each call, then one line for each
//! verdict that these lines name. It is a snapshot as `insta` keeps them.

use super::model::{Baseline, Note, UNRECORDED, is_plainly_fine, verdict};
use super::snapshot_path::{Origin, kept_rulebook};
use super::{BaselineError, Wrong};
use crate::compare::{Entry, Header, Names, Side, Texts, UnreadableFiles, WHOLE_KEY};
use crate::recording::Key;
use crate::store::{NamedVerdict, RulebookName};
use crate::verdict::{Answer, Classification, Outcome, harmless, harmless_json};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// The version of this layout.
pub const FORMAT: u64 = 7;
/// Before the version, in files of versions up to 6.
const OLDER: &str = "tapecheck-baseline/";
/// What stands before the text in a file, for `insta`: it names who makes the snapshot.
const PREAMBLE: &str = "---\nsource: tapecheck snapshot\n---\n";
/// Begins the line of the digest, which does not count for it.
const DIGEST: &str = "  \"digest\"";
/// Begins the line of a verdict, and of no call.
const VERDICT: &str = "{\"verdict\"";
/// How many digits of the hash of a verdict name it: the first of these that tells all of them apart.
const DIGITS: [usize; 3] = [8, 16, 32];

/// The object at the head of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    tapecheck_baseline: u64,
    /// Hash of all other lines.
    digest: String,
    pub corpus: String,
    #[serde(flatten)]
    pub origin: Origin,
    pub rulebook: RulebookName,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable_lines: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable_files: Option<UnreadableFiles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_confidence: Option<f64>,
    key_digits: u8,
    pub calls: u64,
    /// Calls by class, and by what was answered.
    counts: BTreeMap<String, u64>,
}

impl Head {
    fn lines(&self) -> Vec<String> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.lines().map(harmless_json).collect()
    }

    /// Its counts, in the order in which they are shown.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        names_of_counts().filter_map(|name| Some((name, *self.counts.get(name)?)))
    }

    pub fn header(&self, name: &Path) -> Header {
        Header {
            name: name.to_string_lossy().into_owned(),
            corpus_digest: self.corpus.clone(),
            rulebook: self.rulebook.clone(),
            checks: self.checks.clone(),
            redaction: None,
            version: self.version.clone(),
            unreadable: self.unreadable_lines,
            unreadable_files: self.unreadable_files.clone(),
            overall_confidence: self.overall_confidence,
        }
    }
}

/// A call, or several that are alike. The outcome and the reason are those of the verdict.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallLine<'t> {
    server: Cow<'t, str>,
    tool: Cow<'t, str>,
    outcome: Outcome,
    verdict: Cow<'t, str>,
    key: Cow<'t, str>,
    /// Left out where it has the digits of the key, as of a request that was never answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<Cow<'t, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<Cow<'t, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    because: Option<Cow<'t, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'t, str>>,
}

#[derive(Serialize, Deserialize)]
struct VerdictLine<'t> {
    #[serde(rename = "verdict")]
    name: Cow<'t, str>,
    #[serde(flatten)]
    said: Cow<'t, NamedVerdict>,
}

/// One line of JSON in which nothing acts on whoever shows it.
pub(super) fn json(value: &impl Serialize) -> String {
    harmless_json(&serde_json::to_string(value).unwrap_or_default())
}

/// Hash of lines: the length of each comes first, so that no two lists of lines are taken alike.
fn digest<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut hash = Xxh3::new();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with(DIGEST)) {
        hash.update(&(line.len() as u64).to_le_bytes());
        hash.update(line.as_bytes());
    }
    format!("{:032x}", hash.digest128())
}

impl Baseline {
    pub(super) fn file_text(&self) -> String {
        PREAMBLE.to_owned() + &self.text()
    }

    /// The file without what stands before it for `insta`.
    pub fn text(&self) -> String {
        let digits = self.digits_needed();
        let (names, entries) = (self.verdict_names(), &self.side.entries);
        let mut lines: Vec<String> = Vec::new();
        let order: Vec<usize> = (0..entries.len()).collect();
        for alike in order.chunk_by(|a, b| self.is_written_alike(*a, *b)) {
            let (entry, note) = (entries[alike[0]], &self.notes[alike[0]]);
            let Some((verdict, name)) = self.verdict(&entry).zip(names.get(&entry.verdict)) else {
                continue;
            };
            let is_shown = !is_plainly_fine(verdict);
            let [key, request] = [entry.key, entry.request].map(|key| hex(key, digits));
            lines.push(json(&CallLine {
                server: self.side.names.get(entry.server).into(),
                tool: self.side.names.get(entry.tool).into(),
                outcome: verdict.outcome,
                verdict: name.into(),
                request: (request != key).then(|| request.into()),
                key: key.into(),
                id: note.id.as_deref().map(Into::into),
                times: Some(alike.len() as u64).filter(|times| *times > 1),
                because: is_shown.then(|| reason(verdict).into()),
                text: note.text.as_deref().filter(|_| is_shown).map(Into::into),
            }));
        }
        let of_names = names.iter().map(|(number, name)| {
            let said = Cow::Borrowed(&self.side.verdicts[*number as usize]);
            json(&VerdictLine { name: name.into(), said })
        });
        let mut verdicts: Vec<String> = of_names.collect();
        verdicts.sort_unstable();
        lines.extend(verdicts);
        let mut head = self.head(digits);
        head.digest = digest(head.lines().iter().chain(&lines).map(String::as_str));
        format!("{}\n{}\n", head.lines().join("\n"), lines.join("\n"))
    }

    fn head(&self, key_digits: u8) -> Head {
        let header = self.side.header.clone();
        Head {
            tapecheck_baseline: FORMAT,
            digest: String::new(),
            corpus: header.corpus_digest,
            origin: self.origin.clone(),
            rulebook: header.rulebook,
            checks: header.checks,
            version: header.version,
            unreadable_lines: header.unreadable,
            // Which files they were is not told.
            unreadable_files: header
                .unreadable_files
                .map(|files| UnreadableFiles { read_error_names: Vec::new(), ..files }),
            overall_confidence: header.overall_confidence,
            key_digits,
            calls: self.side.entries.len() as u64,
            counts: self.counts(),
        }
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::<&str, u64>::new();
        for verdict in self.side.entries.iter().filter_map(|entry| self.verdict(entry)) {
            let judgement = verdict.judgement();
            let answer = words(judgement.answer);
            for name in std::iter::once(judgement.class.name()).chain(answer) {
                *counts.entry(name).or_default() += 1;
            }
        }
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
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

    fn is_written_alike(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.side.entries[a], self.side.entries[b]);
        let written =
            |entry: Entry| (entry.server, entry.tool, entry.verdict, entry.key, entry.request);
        written(one) == written(other) && self.notes[a].id == self.notes[b].id
    }
}

fn hex(key: Key, digits: u8) -> String {
    let mut hex = key.to_string();
    hex.truncate(digits.into());
    hex
}

/// What decided, in a word: the rule, else the first issue, else what came back.
fn reason(verdict: &NamedVerdict) -> &str {
    let issue = || verdict.issues.first()?.split_once(' ').map(|(_, kind)| kind);
    verdict.decided_by.as_deref().or_else(issue).unwrap_or(verdict.reply.name())
}

/// Reads a baseline, together with the rulebook that judged it where that is kept among the snapshots.
pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
    let text = text_of(path, |_| false)?;
    let mut baseline = read_text(&text, path).map_err(|wrong| at(path, wrong))?;
    // SNAPSHOTS/COLLECTION/RULEBOOK.snap; one that lies elsewhere has its rulebook beside it.
    let own = path.parent();
    let folders = [own.and_then(Path::parent), own];
    let mut kept =
        folders.iter().flatten().filter_map(|folder| kept_rulebook(folder, &baseline.side.header));
    baseline.side.rulebook = kept.next().map(Arc::new);
    Ok(baseline)
}

/// Reads the head of a baseline, without all that was accepted.
pub fn peek(path: &Path) -> Result<Head, BaselineError> {
    let text = text_of(path, |line| line.trim_ascii_end() == b"}")?;
    Ok(read_head(&text).map_err(|wrong| at(path, wrong))?.0)
}

fn at(path: &Path, wrong: Wrong) -> BaselineError {
    BaselineError::Wrong { path: path.to_owned(), wrong }
}

/// The text of a file, up to the first line that is the last one.
fn text_of(path: &Path, is_last: fn(&[u8]) -> bool) -> Result<String, BaselineError> {
    let unreadable = |source| BaselineError::Unreadable { path: path.to_owned(), source };
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let (mut bytes, mut begin) = (Vec::new(), 0);
    while file.read_until(b'\n', &mut bytes).map_err(unreadable)? > 0 && !is_last(&bytes[begin..]) {
        begin = bytes.len();
    }
    let text = String::from_utf8(bytes).map_err(|_| at(path, Wrong::NoHeader))?;
    Ok(text.replace("\r\n", "\n"))
}

/// What stands behind the lines for `insta`, which may rewrite them, and how many lines these are.
fn behind_preamble(text: &str) -> Result<(&str, usize), Wrong> {
    let parts = text.split_once("\n---\n").filter(|_| text.starts_with("---\n"));
    parts.map(|(own, rest)| (rest, own.lines().count() + 1)).ok_or(Wrong::NoHeader)
}

/// The head, and how many lines come before the calls.
fn read_head(text: &str) -> Result<(Head, usize), Wrong> {
    #[derive(Deserialize)]
    struct Format {
        tapecheck_baseline: u64,
    }
    let (text, before) = behind_preamble(text)?;
    if let Some(found) = text.lines().next().and_then(|line| line.strip_prefix(OLDER)) {
        return Err(Wrong::Format { found: cut(found) });
    }
    let end = text.find("\n}\n").map(|at| at + 2).ok_or(Wrong::NoHeader)?;
    let format: Format = serde_json::from_str(&text[..end]).map_err(|_| Wrong::NoHeader)?;
    if format.tapecheck_baseline != FORMAT {
        return Err(Wrong::Format { found: format.tapecheck_baseline.to_string() });
    }
    let wrong = |error: serde_json::Error| Wrong::line(before + error.line(), said(&error));
    let head = serde_json::from_str::<Head>(&text[..end]).map_err(wrong)?;
    if !(1..=WHOLE_KEY).contains(&head.key_digits) {
        let what = format!("keys do not have {} digits", head.key_digits);
        return Err(Wrong::line(before + 1, what));
    }
    Ok((head, before + text[..end].lines().count()))
}

/// What is wrong with JSON, without the place.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
}

pub(super) fn read_text(text: &str, path: &Path) -> Result<Baseline, Wrong> {
    let marks = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
    if let Some(at) = text.lines().position(|line| marks.iter().any(|it| line.starts_with(it))) {
        return Err(Wrong::Conflict { line: at + 1 });
    }
    let (head, before) = read_head(text)?;
    if !text.ends_with('\n') {
        return Err(Wrong::line(text.lines().count(), "the text ends within this line"));
    }
    let mut reader = Reader { digits: head.key_digits, calls: head.calls, ..Reader::default() };
    for (line, number) in text.lines().zip(1..).skip(before).filter(|(line, _)| !line.is_empty()) {
        let is_verdict = line.starts_with(VERDICT);
        let read = if is_verdict { reader.verdict(line) } else { reader.call(line) };
        read.map_err(|what| Wrong::line(number, what))?;
    }
    let Reader { entries, notes, names, numbers, verdicts, .. } = reader;
    if let Some((name, _)) = numbers.iter().find(|(_, at)| !verdicts.contains_key(at)) {
        let what = format!("the verdict `{}` is missing", cut(name));
        return Err(Wrong::line(text.lines().count(), what));
    }
    let side = Side {
        header: head.header(path),
        rulebook: None,
        verdicts: verdicts.into_values().collect(),
        entries,
        names,
        texts: Texts::default(),
        key_digits: head.key_digits,
    };
    let (origin, stated) = (head.origin.clone(), head.digest.clone());
    let baseline = Baseline::new(side, notes).from(origin);
    counts_fit(&head, &baseline)?;
    let found = digest(behind_preamble(text)?.0.lines());
    if found == stated { Ok(baseline) } else { Err(Wrong::Edited { stated: cut(&stated), found }) }
}

fn counts_fit(head: &Head, found: &Baseline) -> Result<(), Wrong> {
    let wrong = |name: &str, stated, found| Wrong::Counts { name: name.to_owned(), stated, found };
    if head.calls != found.exchanges() {
        return Err(wrong("calls", head.calls, found.exchanges()));
    }
    let counts = found.counts();
    let both = |name: &str| [&head.counts, &counts].map(|it| it.get(name).copied().unwrap_or(0));
    let differing = |name: &str| match both(name) {
        [stated, found] if stated == found => None,
        [stated, found] => Some(wrong(&format!("of `{name}`"), stated, found)),
    };
    let known = names_of_counts().find_map(differing);
    let first = known.or_else(|| head.counts.keys().find_map(|name| differing(name)));
    first.map_or(Ok(()), Err)
}

fn names_of_counts() -> impl Iterator<Item = &'static str> {
    let classes = Classification::ALL.into_iter().map(Classification::name);
    classes.chain(Answer::LISTED.into_iter().filter_map(words))
}

/// An answer as lines say it.
fn words(answer: Answer) -> Option<&'static str> {
    match answer {
        Answer::NotAsked | Answer::Fine => None,
        Answer::BusinessLogic => Some("business logic"),
        Answer::ToolFailure => Some("tool failure"),
        Answer::HiddenFailure => Some("hidden failure"),
        Answer::HiddenRefusal => Some("hidden refusal"),
    }
}

#[derive(Default)]
struct Reader {
    digits: u8,
    /// How many calls the head tells of.
    calls: u64,
    entries: Vec<Entry>,
    notes: Vec<Note>,
    names: Names,
    /// Verdicts by name.
    numbers: HashMap<String, u32>,
    verdicts: BTreeMap<u32, NamedVerdict>,
}

impl Reader {
    fn call(&mut self, line: &str) -> Result<(), String> {
        let call: CallLine<'_> = serde_json::from_str(line).map_err(|error| said(&error))?;
        // A count could ask for any amount of memory.
        let times = call.times.unwrap_or(1);
        if (self.entries.len() as u64).saturating_add(times) > self.calls {
            return Err(format!("there are more calls than the {} in the head", self.calls));
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let verdict = *self.numbers.entry(call.verdict.into_owned()).or_insert(next);
        let key = self.key(&call.key)?;
        let request = call.request.as_deref().map_or(Ok(key), |request| self.key(request))?;
        let [server, tool] = [call.server, call.tool].map(|name| self.names.number(&name));
        let entry = Entry { key, verdict, request, server, tool, ..UNRECORDED };
        let [id, text] = [call.id, call.text].map(|text| text.as_deref().map(Into::into));
        for _ in 0..times {
            self.entries.push(entry);
            self.notes.push(Note { id: id.clone(), text: text.clone() });
        }
        Ok(())
    }

    fn verdict(&mut self, line: &str) -> Result<(), String> {
        let line: VerdictLine<'_> = serde_json::from_str(line).map_err(|error| said(&error))?;
        let number = self.numbers.get(&*line.name);
        let number =
            number.ok_or_else(|| format!("no call has the verdict `{}`", cut(&line.name)))?;
        let said = line.said.into_owned();
        self.verdicts.insert(*number, NamedVerdict { fate: said.outcome.fate(), ..said });
        Ok(())
    }

    /// A key of which the first digits are told.
    fn key(&self, text: &str) -> Result<Key, String> {
        let is_key = text.len() == usize::from(self.digits)
            && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let number = is_key.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        let wrong = || format!("`{}` is not a key of {} digits", cut(text), self.digits);
        let left_out = 4 * u32::from(WHOLE_KEY.saturating_sub(self.digits));
        Ok(Key(number.ok_or_else(wrong)?.checked_shl(left_out).unwrap_or(0)))
    }
}

/// Enough of a text to find it.
fn cut(text: &str) -> String {
    harmless(&crate::verdict::cut(text, 60))
}
