//! YAML as JSON text, for recordings that are kept in it.

use super::texts::quoted;
use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use std::borrow::Cow;
use std::collections::HashMap;

/// How much longer than the file what its aliases stand for may become.
const MOST_EXPANSION: usize = 4;

/// Reads YAML node by node. Scalars are what YAML 1.2 says, except that a number with an exponent needs a point: the
/// writers of recordings follow YAML 1.1 there, and leave a text such as `1e5` without quotes.
pub(super) struct Yaml<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// What anchors stand for, as JSON.
    anchors: HashMap<usize, String>,
    /// Bytes that anchors and aliases may still take.
    room: usize,
    max_depth: usize,
    /// The line of the last event, from 1.
    line: usize,
}

/// A collection that has not ended.
struct Nest {
    is_map: bool,
    expects_key: bool,
    is_empty: bool,
    anchor: usize,
    start: usize,
}

impl<'a> Yaml<'a> {
    pub(super) fn new(text: &'a str, max_depth: usize) -> Self {
        Self {
            parser: Parser::new_from_str(text),
            anchors: HashMap::new(),
            room: text.len().saturating_mul(MOST_EXPANSION),
            max_depth,
            line: 1,
        }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The next event.
    pub(super) fn next(&mut self) -> Result<Event<'a>, String> {
        let (event, Span { start, .. }) = self
            .parser
            .next_event()
            .ok_or("the document ends too early")?
            .map_err(|error| error.to_string())?;
        self.line = start.line();
        Ok(event)
    }

    /// The node that begins with an event, as JSON.
    pub(super) fn node(&mut self, first: Event<'a>) -> Result<String, String> {
        let mut out = String::new();
        let mut open: Vec<Nest> = Vec::new();
        let mut event = first;
        loop {
            let (start, is_key) = match open.last_mut() {
                Some(nest) if !matches!(event, Event::MappingEnd | Event::SequenceEnd) => {
                    nest.begin(&mut out)
                }
                _ => (out.len(), false),
            };
            match event {
                Event::Scalar(text, style, anchor, tag) => {
                    let is_text = is_key
                        || style != ScalarStyle::Plain
                        || tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                    out.push_str(&if is_text { quoted(&text) } else { plain(&text) });
                    self.keep(anchor, &out[start..])?;
                }
                Event::Alias(anchor) => {
                    let text = self.anchors.get(&anchor).map_or("null", String::as_str);
                    self.room =
                        self.room.checked_sub(text.len()).ok_or("aliases stand for too much")?;
                    out.push_str(&if is_key && !text.starts_with('"') {
                        quoted(text)
                    } else {
                        text.to_owned()
                    });
                }
                Event::SequenceStart(..) | Event::MappingStart(..) if is_key => {
                    return Err("a key is a collection".to_owned());
                }
                Event::SequenceStart(anchor, _) => {
                    self.open(&mut open, Nest::new(false, anchor, start))?;
                    out.push('[');
                }
                Event::MappingStart(anchor, _) => {
                    self.open(&mut open, Nest::new(true, anchor, start))?;
                    out.push('{');
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let Some(nest) = open.pop() else {
                        return Err("a collection ends twice".to_owned());
                    };
                    out.push(if nest.is_map { '}' } else { ']' });
                    self.keep(nest.anchor, &out[nest.start..])?;
                }
                Event::DocumentEnd | Event::StreamEnd => {
                    return Err("the document ends too early".to_owned());
                }
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
            }
            if open.is_empty() {
                return Ok(out);
            }
            if is_key {
                out.push(':');
            }
            event = self.next()?;
        }
    }

    fn open(&self, open: &mut Vec<Nest>, nest: Nest) -> Result<(), String> {
        if open.len() >= self.max_depth {
            return Err("nested too deeply".to_owned());
        }
        open.push(nest);
        Ok(())
    }

    fn keep(&mut self, anchor: usize, json: &str) -> Result<(), String> {
        if anchor > 0 {
            self.room = self.room.checked_sub(json.len()).ok_or("aliases stand for too much")?;
            self.anchors.insert(anchor, json.to_owned());
        }
        Ok(())
    }
}

impl Nest {
    fn new(is_map: bool, anchor: usize, start: usize) -> Self {
        Self { is_map, expects_key: is_map, is_empty: true, anchor, start }
    }

    /// Makes room for a child. Returns where it begins, and whether it is a key.
    fn begin(&mut self, out: &mut String) -> (usize, bool) {
        let is_key = self.is_map && self.expects_key;
        if !self.is_empty && (is_key || !self.is_map) {
            out.push(',');
        }
        self.is_empty = false;
        // After this value comes a key.
        self.expects_key = self.is_map && !is_key;
        (out.len(), is_key)
    }
}

/// A scalar without quotes, as JSON.
fn plain(text: &str) -> String {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => "null".to_owned(),
        "true" | "True" | "TRUE" => "true".to_owned(),
        "false" | "False" | "FALSE" => "false".to_owned(),
        _ => number(text).map_or_else(|| quoted(text), Cow::into_owned),
    }
}

fn number(text: &str) -> Option<Cow<'_, str>> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return (unsigned.len() == text.len()
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| u128::from_str_radix(digits, 16).ok().map(|number| number.to_string().into()))?;
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some("null".into());
    }
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_number = is_digits(whole)
        && is_digits(fraction.unwrap_or_default())
        && whole.len() + fraction.map_or(0, str::len) > 0
        && exponent.is_none_or(|exponent| {
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            fraction.is_some() && !digits.is_empty() && is_digits(digits)
        });
    if !is_number {
        return None;
    }
    let is_json = !text.starts_with('+')
        && (whole == "0" || (!whole.is_empty() && !whole.starts_with('0')))
        && fraction != Some("");
    if is_json {
        return Some(text.into());
    }
    let whole = whole.trim_start_matches('0');
    let sign = if text.starts_with('-') { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction
        .filter(|fraction| !fraction.is_empty())
        .map_or(String::new(), |it| format!(".{it}"));
    let exponent = exponent.map_or(String::new(), |exponent| format!("e{exponent}"));
    Some(format!("{sign}{whole}{fraction}{exponent}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Result<String, String> {
        let mut yaml = Yaml::new(text, 16);
        loop {
            match yaml.next()? {
                Event::StreamStart | Event::DocumentStart(_) => {}
                first => return yaml.node(first),
            }
        }
    }

    #[test]
    fn scalars_are_those_of_yaml_1_2() {
        for (scalar, expected) in [
            ("yes", r#""yes""#),
            ("No", r#""No""#),
            ("on", r#""on""#),
            ("2026-05-01", r#""2026-05-01""#),
            ("12:30:45", r#""12:30:45""#),
            ("1_000", r#""1_000""#),
            ("NORM_ID_1", r#""NORM_ID_1""#),
            ("true", "true"),
            ("~", "null"),
            ("", "null"),
            ("17", "17"),
            ("-2.50", "-2.50"),
            ("1.0e+20", "1.0e+20"),
            ("6e53", r#""6e53""#),
            ("0x1F", "31"),
            ("007", "7"),
            ("+4", "4"),
            (".5", "0.5"),
            ("3.", "3"),
            ("1.2.3", r#""1.2.3""#),
            (".", r#"".""#),
            ("'17'", r#""17""#),
            ("\"a\\tb\"", r#""a\tb""#),
            ("!!str 17", r#""17""#),
        ] {
            let text = format!("k: {scalar}");
            assert_eq!(
                json(&text).as_deref(),
                Ok(format!(r#"{{"k":{expected}}}"#).as_str()),
                "{scalar}"
            );
        }
    }

    #[test]
    fn collections_and_block_scalars_become_json() {
        let text = "a: [1, {b: x}, []]\nc: |\n  two\n   lines\nd: >-\n  one\n  line\ne:\n- f: {}\n  7: g\n";
        let expected =
            r#"{"a":[1,{"b":"x"},[]],"c":"two\n lines\n","d":"one line","e":[{"f":{},"7":"g"}]}"#;
        assert_eq!(json(text).as_deref(), Ok(expected));
    }

    #[test]
    fn aliases_stand_for_what_was_anchored_within_bounds() {
        assert_eq!(json("a: &x [1]\nb: *x\n").as_deref(), Ok(r#"{"a":[1],"b":[1]}"#));
        let bomb = "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n";
        assert!(json(bomb).is_err());
        assert!(json(&format!("{}x", "[".repeat(40))).is_err(), "nested too deeply, and cut");
        assert!(json("? [a]\n: b\n").is_err());
    }
}
