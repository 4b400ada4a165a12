//! A call that was found, as people may read it.

use super::find::Located;
use super::masking::{Clean, Masking};
use crate::check::{Judge, VerdictLine, input_text, judged_text};
use crate::recording::{Exchange, Moment, Reply};
use crate::redact::{MaskedText, Redactor};
use crate::rulebook::Rulebook;
use crate::verdict::{ByteSpan, Field, Verdict};
use std::borrow::Cow;

/// What may be shown of a call.
#[derive(Debug)]
pub struct MaskedCall<'t> {
    located: &'t Located<'t>,
    /// It masks in the reply what it masks in the arguments.
    redactor: Cow<'t, Redactor>,
    /// The call with its names masked, where that changes them.
    named: Option<Box<Exchange<'t>>>,
}

/// A verdict that may be shown, as plain data and in words.
#[derive(Debug)]
pub struct ToldVerdict<'t> {
    named: &'t Exchange<'t>,
    rulebook: &'t Rulebook,
    masking: Masking<'t>,
    pub verdict: Verdict,
    /// The arguments of a valid call, cleaned of what its contract drops.
    pub sanitized: Option<MaskedText>,
}

impl Located<'_> {
    /// The call for people to read, without what these rules mask.
    pub fn tell<'t>(&'t self, redactor: &'t Redactor) -> MaskedCall<'t> {
        let recorded = self.as_recorded();
        let moment = recorded.recorded_at.as_deref().and_then(Moment::parse);
        let named = Masking::of_names(redactor).call(&mut Clean::default(), recorded, moment);
        let redactor = redactor.knowing(input_text(recorded));
        MaskedCall { located: self, redactor, named }
    }
}

impl<'t> MaskedCall<'t> {
    fn recorded(&self) -> &'t Exchange<'t> {
        self.located.as_recorded()
    }

    pub fn file(&self) -> MaskedText {
        self.redactor.tell(self.located.file_as_recorded())
    }

    pub fn server(&self) -> MaskedText {
        self.redactor.tell(&self.recorded().server)
    }

    pub fn tool(&self) -> MaskedText {
        self.redactor.tell(&self.recorded().tool.name)
    }

    pub fn scenario(&self) -> Option<MaskedText> {
        self.recorded().scenario.as_deref().map(|scenario| self.redactor.tell(scenario))
    }

    pub fn input(&self) -> MaskedText {
        self.redactor.tell(input_text(self.recorded()))
    }

    /// The code of a protocol error.
    pub fn code(&self) -> Option<MaskedText> {
        match &self.recorded().reply {
            Reply::Error(error) => Some(self.redactor.tell(&error.code)),
            Reply::Result(_) | Reply::Document(_) | Reply::None => None,
        }
    }

    /// The document, of what is no call.
    pub fn document(&self) -> Option<MaskedText> {
        match &self.recorded().reply {
            Reply::Document(document) => Some(self.redactor.tell(document.raw().text())),
            Reply::Result(_) | Reply::Error(_) | Reply::None => None,
        }
    }

    pub fn structured(&self) -> Option<MaskedText> {
        match &self.recorded().reply {
            Reply::Result(result) => Some(self.redactor.tell(result.structured?.text())),
            Reply::Error(_) | Reply::Document(_) | Reply::None => None,
        }
    }

    /// The text that is judged under a rulebook, as one line.
    pub fn text(&self, rulebook: &Rulebook) -> MaskedText {
        self.redactor.tell(&judged_text(self.recorded(), rulebook, true))
    }

    /// The same, of several lines.
    pub fn lines(&self, rulebook: &Rulebook) -> MaskedText {
        self.redactor.tell_lines(&judged_text(self.recorded(), rulebook, true))
    }

    /// A place in a field, with so many bytes before and after it.
    pub fn around(
        &self,
        rulebook: &Rulebook,
        field: Field,
        place: ByteSpan,
        context: usize,
    ) -> Passage {
        let exchange = self.recorded();
        let field = match (field, &exchange.reply) {
            (Field::Text, _) => judged_text(exchange, rulebook, true),
            (Field::Tool, _) => exchange.tool.name.as_str().into(),
            (Field::Input, _) => input_text(exchange).into(),
            (Field::Scenario, _) => exchange.scenario.as_deref().unwrap_or_default().into(),
            (Field::Code, Reply::Error(error)) => (&*error.code).into(),
            (Field::Code, Reply::Result(result)) => result.stated_code(),
            (Field::Code, Reply::Document(_) | Reply::None) => "".into(),
        };
        let start = field.floor_char_boundary((place.start as usize).min(field.len()));
        let end = field.ceil_char_boundary((place.end as usize).min(field.len())).max(start);
        let masked = self.redactor.mask_whole(&field);
        let within = masked.place(start..end);
        let from = masked.text.floor_char_boundary(within.start.saturating_sub(context));
        let to = masked.text.ceil_char_boundary((within.end + context).min(masked.text.len()));
        let part = |range| masked.tell_line(range).unwrap_or_default();
        Passage {
            before: part(from..within.start),
            is_cut_before: from > 0,
            is_cut_after: to < masked.text.len(),
            after: part(within.end..to),
            hit: part(within),
        }
    }

    pub fn verdict<'v>(&'v self, judge: &mut Judge<'_>, rulebook: &'v Rulebook) -> ToldVerdict<'v> {
        let masking = Masking::new(&self.redactor, rulebook, true);
        let mut verdict = judge.judge(self.recorded());
        masking.verdict(&mut Clean::default(), &mut verdict, None);
        let sanitized = verdict.sanitized.take();
        let sanitized = sanitized.map(|arguments| self.redactor.tell(&arguments.to_string()));
        let named = self.named.as_deref().unwrap_or(self.recorded());
        ToldVerdict { named, rulebook, masking, verdict, sanitized }
    }
}

impl ToldVerdict<'_> {
    pub fn line(&self) -> VerdictLine<'_> {
        let mut line = VerdictLine::new(self.named, &self.verdict, self.rulebook);
        self.masking.line(&mut Clean::default(), &mut line);
        line
    }
}

/// A place of a text, and what stands around it.
#[derive(Debug)]
pub struct Passage {
    pub before: MaskedText,
    pub is_cut_before: bool,
    pub hit: MaskedText,
    pub after: MaskedText,
    pub is_cut_after: bool,
}
