//! The one way from a recording to what is written: secrets are masked in the names of calls, in verdicts
//! and in what is told of lines that cannot be read. The texts of calls are masked where they are cut.

use crate::check::{VerdictLine, input_text};
use crate::corpus::{FileNote, HEAD_CHARS, Unreadable};
use crate::recording::{Exchange, Moment, Reply, Task, Tool};
use crate::redact::{CallInput, CleanTexts, Quotations, Redactor};
use crate::rulebook::Rulebook;
use crate::verdict::{Issue, Verdict};
use hashbrown::HashMap;
use memchr::memchr_iter;
use std::borrow::Cow;
use std::sync::Arc;

/// So many names are remembered by each thread, which are those of nearly all calls.
const REMEMBERED: usize = 20_000;
/// No secret is shorter that has no sign in it.
const SHORTEST: usize = 12;

/// What is told of an issue whose words the recording has, where no texts are kept.
const REPORTED: &str = "the recording reports it, and texts are not kept";
/// What is told where the rest of a message could be a secret.
const WITHHELD: &str = "one long word, which may hold a secret";

/// Masks what is told of calls.
#[derive(Clone, Debug)]
pub struct Masking<'r> {
    redactor: Cow<'r, Redactor>,
    quotations: Quotations,
    /// Whether messages may quote what was recorded.
    keeps_texts: bool,
}

/// What a thread has looked for secrets in.
#[derive(Debug, Default)]
pub struct Clean {
    /// Names, of which some forms need no search, and what stands for those with a secret in them.
    names: HashMap<Box<str>, Option<Box<str>>>,
    texts: CleanTexts,
    pub(super) replies: CleanTexts,
    /// Sentences that may quote something that was cut.
    messages: CleanTexts,
}

impl<'r> Masking<'r> {
    /// Masks by rules what is said under a rulebook, and leaves out what is quoted where no texts are kept.
    pub fn new(redactor: &'r Redactor, rulebook: &Rulebook, keeps_texts: bool) -> Self {
        let quotations = Quotations::of(rulebook);
        Self { redactor: Cow::Borrowed(redactor), quotations, keeps_texts }
    }

    /// Masks names by rules: no message is worded.
    pub fn of_names(redactor: &'r Redactor) -> Self {
        let quotations = Quotations::default();
        Self { redactor: Cow::Borrowed(redactor), quotations, keeps_texts: true }
    }

    pub fn input<'e>(&self, clean: &mut Clean, exchange: &'e Exchange<'_>) -> CallInput<'_, 'e> {
        self.redactor.input(input_text(exchange), Some(&mut clean.texts))
    }

    /// The same for what is told of a call, whose reply may quote secrets of its input.
    pub fn of_call(&self, input: &CallInput<'_, '_>) -> Cow<'_, Self> {
        if input.rules().knows_nothing() {
            return Cow::Borrowed(self);
        }
        let (redactor, quotations) = (Cow::Owned(input.rules().clone()), self.quotations.clone());
        Cow::Owned(Self { redactor, quotations, keeps_texts: self.keeps_texts })
    }

    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redactor.mask(text)
    }

    /// A call with its names, ids and error code as they may be told; input and reply stay. `moment` is when it was
    /// recorded, as far as that can be read. `None` where they may be told as they are.
    pub fn call<'e>(
        &self,
        clean: &mut Clean,
        exchange: &'e Exchange<'e>,
        moment: Option<Moment>,
    ) -> Option<Box<Exchange<'e>>> {
        let Exchange { id, server, session, scenario, label, recorded_at, tool, reply, .. } =
            exchange;
        let copy = || Box::new(exchange.clone());
        let mut told = None;
        if let Some(masked) = self.name(clean, server) {
            told.get_or_insert_with(copy).server = masked.into();
        }
        if let Some(masked) = self.name(clean, session) {
            told.get_or_insert_with(copy).session = masked.into();
        }
        if let Some(masked) = self.name(clean, &tool.name) {
            told.get_or_insert_with(copy).tool =
                Arc::new(Tool { name: masked, ..(**tool).clone() });
        }
        if let Some(masked) = scenario.as_ref().and_then(|name| self.name(clean, name)) {
            told.get_or_insert_with(copy).scenario = Some(masked.into());
        }
        if let Some(masked) = label.as_ref().and_then(|name| self.name(clean, name)) {
            told.get_or_insert_with(copy).label = Some(masked.into());
        }
        if let Some(masked) = id.as_ref().and_then(|id| self.id(id)) {
            told.get_or_insert_with(copy).id = Some(masked.into());
        }
        let time = recorded_at.as_ref().filter(|_| moment.is_none());
        if let Some(masked) = time.and_then(|time| self.id(time)) {
            told.get_or_insert_with(copy).recorded_at = Some(masked.into());
        }
        if let Reply::Error(error) = reply
            && let Some(masked) = self.id(&error.code)
            && let Reply::Error(error) = &mut told.get_or_insert_with(copy).reply
        {
            error.code = masked.into();
        }
        told
    }

    /// What stands for a name with a secret in it.
    fn name(&self, clean: &mut Clean, name: &str) -> Option<String> {
        if let Some(known) = clean.names.get(name) {
            return known.as_deref().map(str::to_owned);
        }
        let masked = self.id(name);
        if clean.names.len() < REMEMBERED {
            clean.names.insert(name.into(), masked.as_deref().map(Into::into));
        }
        masked
    }

    /// The same for what hardly two calls share: most ids are numbers in some form.
    fn id(&self, id: &str) -> Option<String> {
        let is_number = || id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        let has_sign = || id.bytes().any(|byte| !byte.is_ascii_alphanumeric() && byte != b'-');
        if is_number() || id.len() < SHORTEST && !has_sign() {
            return None;
        }
        owned(self.text(id))
    }

    /// A verdict whose messages may quote a text that holds no secret.
    pub fn verdict(&self, clean: &mut Clean, verdict: &mut Verdict, quoted: Option<&str>) {
        if !self.keeps_texts {
            for reported in &verdict.reported {
                if let Some(issue) = verdict.issues.get_mut(reported.place) {
                    REPORTED.clone_into(&mut issue.message);
                }
            }
        }
        verdict.issues.iter_mut().for_each(|issue| self.issue(clean, issue, quoted));
        verdict.reported.iter_mut().flat_map(|it| &mut it.name).for_each(|name| self.mask(name));
        verdict.passed_criteria.iter_mut().for_each(|criterion| self.mask(criterion));
        verdict.failed_criteria.iter_mut().for_each(|criterion| self.mask(criterion));
        if let Some(metadata) = &mut verdict.metadata {
            for kind in &mut metadata.content_types {
                if let Cow::Owned(kind) = kind {
                    self.mask(kind);
                }
            }
            if let Some(error) =
                metadata.output_schema.as_mut().and_then(|schema| schema.error.as_mut())
            {
                self.mask(error);
            }
        }
        for name in verdict.parameter_keys.iter_mut().flatten() {
            self.mask_known(&mut clean.texts, name);
        }
    }

    pub fn issue(&self, clean: &mut Clean, issue: &mut Issue, quoted: Option<&str>) {
        self.message(clean, &mut issue.message, quoted);
        for text in [&mut issue.location, &mut issue.suggestion].into_iter().flatten() {
            self.mask_known(&mut clean.texts, text);
        }
    }

    /// Masks a text that many calls may share.
    fn mask_known(&self, clean: &mut CleanTexts, text: &mut String) {
        if let Some(masked) = self.masked(clean, text, || self.text(text)) {
            *text = masked;
        }
    }

    /// A text masked, where that changes it. What the input of a call holds is in no text that is known to be clean.
    fn masked<'t>(
        &self,
        clean: &mut CleanTexts,
        text: &'t str,
        mask: impl FnOnce() -> Cow<'t, str>,
    ) -> Option<String> {
        let mut masked = None;
        let is_clean = || {
            masked = owned(mask());
            masked.is_none()
        };
        if self.redactor.knows_nothing() {
            clean.has(text, is_clean);
        } else {
            is_clean();
        }
        masked
    }

    /// A line that is a log: the reasons of a verdict quote its reply, and values of arguments are left out.
    pub fn line(&self, clean: &mut Clean, line: &mut VerdictLine<'_>) {
        line.sanitized_parameters = None;
        line.evidence.iter_mut().for_each(|reason| self.message(clean, reason, None));
    }

    /// A sentence that may quote a part of a reply, which is this text where that holds no secret.
    fn message(&self, clean: &mut Clean, text: &mut String, quoted: Option<&str>) {
        if !self.keeps_texts
            && let Some(without) = self.quotations.without(text)
        {
            *text = without;
        }
        let Clean { texts, messages, .. } = clean;
        // Hardly two calls share a message that quotes.
        let masked = match quoted.and_then(|quoted| before_quotation(text, quoted)) {
            Some(own_words) => {
                let masked = self.masked(texts, own_words, || self.text(own_words));
                owned(self.redactor.mask_message(text, &self.quotations, masked.is_none()))
            }
            None => self.masked(messages, text, || {
                self.redactor.mask_message(text, &self.quotations, false)
            }),
        };
        if let Some(masked) = masked {
            let is_message = masked.chars().nth(Issue::SHORTEST - 1).is_some();
            *text = if is_message { masked } else { WITHHELD.to_owned() };
        }
    }

    pub fn unreadable(&self, unreadable: &mut Unreadable) {
        self.mask(&mut unreadable.file);
        self.mask(&mut unreadable.detail);
        // A word at the cut may be a part of a secret.
        let was_cut = unreadable.head.chars().nth(HEAD_CHARS - 1).is_some();
        if was_cut {
            unreadable.head.push('…');
        }
        self.mask(&mut unreadable.head);
        if was_cut {
            unreadable.head.truncate(unreadable.head.trim_end_matches('…').len());
        }
    }

    pub fn note(&self, note: &mut FileNote) {
        self.mask(&mut note.file);
        self.mask(&mut note.detail);
    }

    pub fn task(&self, task: &mut Task) {
        let Task { id, name, status } = task;
        let texts = [Some(id), name.as_mut(), status.as_mut()];
        texts.into_iter().flatten().for_each(|text| self.mask(text));
    }

    pub fn mask(&self, text: &mut String) {
        if let Cow::Owned(masked) = self.text(text) {
            *text = masked;
        }
    }
}

/// What a message says before it quotes a text from its beginning, to its end or to a cut, where it does.
fn before_quotation<'m>(message: &'m str, quoted: &str) -> Option<&'m str> {
    const SIGN: usize = 12;
    let quoted = quoted.trim_start().as_bytes();
    let sign = quoted.get(..SIGN)?;
    let mut places = memchr_iter(sign[0], message.as_bytes());
    let at = places.find(|at| message.as_bytes()[*at..].starts_with(sign))?;
    let behind = &message.as_bytes()[at..];
    let pairs = behind.iter().zip(quoted);
    let length = if quoted.starts_with(behind) {
        behind.len()
    } else {
        pairs.take_while(|(byte, other)| byte == other).count()
    };
    let rest = message.get(at + length..)?;
    rest.trim_start().trim_start_matches('…').is_empty().then(|| &message[..at])
}

/// What differs from what was there.
fn owned(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_needs_no_search_makes_no_text_clean() {
        let redactor = Redactor::builtin();
        let (masking, mut clean) = (Masking::of_names(&redactor), Clean::default());
        let secret = format!("AC{}", "3f9ac2d4".repeat(4));
        assert_eq!(masking.name(&mut clean, &secret), None, "a number in its form");
        let told = masking.masked(&mut clean.texts, &secret, || masking.text(&secret));
        assert!(told.is_some_and(|told| !told.contains("3f9ac2d4")));
    }
}
