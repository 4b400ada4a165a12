//! Cuts a document into the values that are its records, byte by byte, without looking at what they mean.

use super::block::{UnitKind, UnitSpan};
use crate::json::{Kind, ListPath};
use crate::recording::LinePosition;

/// So many bytes are looked at before it is asked whether enough values were found.
pub(super) const STEP: usize = 1 << 14;

/// Names of members are compared up to this length.
const LONGEST_NAME: usize = 32;

/// Finds the elements of a list, or values that follow each other, in a stream of bytes.
#[derive(Debug)]
pub(super) struct Splitter {
    document: Document,
    array: Array,
    start: Option<Start>,
    depth: usize,
    /// How deep records stand.
    level: usize,
    in_string: bool,
    escaped: bool,
    line: u64,
    followed: Followed,
}

#[derive(Clone, Copy, Debug)]
struct Start {
    at: usize,
    line: u64,
    kind: UnitKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Document {
    /// One array: its elements are the records.
    Array,
    /// Values one after the other, each perhaps over many lines.
    Values,
    /// The same, whose records are the elements of a list in each.
    List(&'static ListPath),
}

/// How far the array was read that a document is. Other documents are none, and so are not awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Array {
    Awaited,
    Open,
    Closed,
}

/// How far a document was followed on the way to its list.
#[derive(Debug, Default)]
struct Followed {
    /// So many members on the way were entered.
    entered: usize,
    in_list: bool,
    has_elements: bool,
    /// The name of the member that was met last where the way goes on.
    name: Vec<u8>,
    naming: Naming,
    /// The value beside the list, which stands before it.
    beside: Option<OtherMember>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Naming {
    Awaited,
    /// The name goes on.
    Begun,
    #[default]
    Known,
}

#[derive(Debug)]
struct OtherMember {
    start: Start,
    /// Unknown while it goes on.
    end: Option<usize>,
}

impl Splitter {
    pub(super) fn new(document: Document) -> Self {
        Self {
            document,
            array: if document == Document::Array { Array::Awaited } else { Array::Closed },
            start: None,
            depth: 0,
            level: 0,
            in_string: false,
            escaped: false,
            line: 1,
            followed: Followed::default(),
        }
    }

    /// Adds values that end in `bytes[from..]`; `base`: the offset of `bytes[0]` in the recording.
    pub(super) fn feed(&mut self, bytes: &[u8], from: usize, base: u64, found: &mut Vec<UnitSpan>) {
        let mut at = from;
        while at < bytes.len() {
            if self.in_string {
                at = self.pass_string(bytes, at, base, found);
                continue;
            }
            let byte = bytes[at];
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.line += u64::from(byte == b'\n');
                    if self.depth == self.level {
                        self.finish(at, base, found);
                    }
                }
                b'"' => {
                    self.begin(at, byte, base, found);
                    self.in_string = true;
                }
                b'{' | b'[' if self.array == Array::Awaited => self.array = Array::Open,
                b'{' | b'[' => {
                    self.begin(at, byte, base, found);
                    self.depth += 1;
                    self.open(byte);
                }
                b'}' | b']' => self.close(at, byte, base, found),
                b',' => {
                    if self.is_list() && self.depth == self.level {
                        self.finish(at, base, found);
                    } else if self.depth == self.followed.entered + 1 {
                        self.followed.naming = Naming::Awaited;
                        self.end_beside(at, base, found);
                    } else {
                        self.begin(at, byte, base, found);
                    }
                }
                _ => self.begin(at, byte, base, found),
            }
            at += 1;
        }
    }

    /// Passes over the rest of a text, as far as there is one.
    fn pass_string(
        &mut self,
        bytes: &[u8],
        from: usize,
        base: u64,
        found: &mut Vec<UnitSpan>,
    ) -> usize {
        let rest = &bytes[from..];
        if std::mem::take(&mut self.escaped) {
            self.line += u64::from(rest[0] == b'\n');
            return from + 1;
        }
        let end = memchr::memchr3(b'"', b'\\', b'\n', rest);
        let passed = end.unwrap_or(rest.len());
        if self.followed.naming == Naming::Begun {
            let room = LONGEST_NAME.saturating_sub(self.followed.name.len());
            self.followed.name.extend_from_slice(&rest[..passed.min(room)]);
        }
        let Some(end) = end else { return bytes.len() };
        let at = from + end;
        match bytes[at] {
            b'\n' => self.line += 1,
            b'\\' => {
                self.escaped = true;
                if self.followed.naming == Naming::Begun {
                    self.followed.name.push(b'\\');
                }
            }
            _ => {
                self.in_string = false;
                if self.followed.naming == Naming::Begun {
                    self.followed.naming = Naming::Known;
                }
                if self.depth == self.level {
                    self.finish(at + 1, base, found);
                }
            }
        }
        at + 1
    }

    /// Whether the values that are wanted are elements of a list.
    fn is_list(&self) -> bool {
        self.document == Document::Array || self.followed.in_list
    }

    fn path(&self) -> Option<&'static ListPath> {
        match self.document {
            Document::List(path) => Some(path),
            Document::Array | Document::Values => None,
        }
    }

    /// A list or an object was opened.
    fn open(&mut self, byte: u8) {
        let Some(path) = self.path() else { return };
        let followed = &mut self.followed;
        if followed.in_list || self.depth > followed.entered + 2 {
            return;
        }
        if self.depth == 1 {
            followed.naming = if byte == b'{' { Naming::Awaited } else { Naming::Known };
            return;
        }
        let is_on_way = self.depth == followed.entered + 2
            && path.members.get(followed.entered).is_some_and(|it| followed.is_at(it));
        let is_last = followed.entered + 1 == path.members.len();
        if is_on_way && is_last && byte == b'[' {
            followed.in_list = true;
            self.level = self.depth;
        } else if is_on_way && !is_last && byte == b'{' {
            followed.entered += 1;
            followed.naming = Naming::Awaited;
        }
    }

    /// A list or an object is closed.
    fn close(&mut self, at: usize, byte: u8, base: u64, found: &mut Vec<UnitSpan>) {
        if self.depth == self.level {
            if !self.is_list() || byte == b'}' {
                self.begin(at, byte, base, found);
                return;
            }
            self.finish(at, base, found);
            self.array = Array::Closed;
            if std::mem::take(&mut self.followed.in_list) {
                self.level = 0;
                self.depth -= 1;
            }
            return;
        }
        if self.depth == self.followed.entered + 1 {
            self.end_beside(at, base, found);
        }
        self.depth -= 1;
        if self.depth == self.level {
            self.finish(at + 1, base, found);
        }
        if self.path().is_some() && !self.followed.in_list {
            if self.depth == 0 {
                self.followed = Followed::default();
            } else if self.depth == self.followed.entered {
                self.followed.entered -= 1;
            }
        }
    }

    /// Where the unfinished value begins, if there is one.
    pub(super) fn pending(&self) -> Option<usize> {
        self.start.map(|start| start.at)
    }

    /// Takes the unfinished value as it stands.
    pub(super) fn flush(&mut self, end: usize, base: u64, found: &mut Vec<UnitSpan>) {
        self.followed.in_list = false;
        self.finish(end, base, found);
        self.depth = 0;
        self.in_string = false;
    }

    /// Whether a document that holds records goes on, although no value is unfinished.
    pub(super) fn is_inside(&self) -> bool {
        self.start.is_none() && (self.array == Array::Open || self.depth > 0)
    }

    /// Gives up what stands before the list of a document. Says whether that is where the unfinished value is.
    pub(super) fn pass_beginning(&mut self) -> bool {
        let is_before = self.path().is_some()
            && self.depth > 0
            && !self.followed.in_list
            && !self.followed.has_elements;
        if is_before {
            self.start = None;
            self.followed.beside = None;
            self.followed.has_elements = true;
        }
        is_before
    }

    /// Tells the splitter that the first `bytes` bytes of its buffer are gone.
    pub(super) fn shift(&mut self, bytes: usize) {
        if let Some(start) = &mut self.start {
            start.at -= bytes;
        }
        if let Some(beside) = &mut self.followed.beside {
            beside.start.at -= bytes;
            beside.end = beside.end.map(|end| end - bytes);
        }
    }

    /// The line on which the unfinished value begins; the current one where there is none.
    pub(super) fn pending_line(&self) -> u64 {
        self.start.map_or(self.line, |start| start.line)
    }

    /// A byte of a value, or of what stands around values.
    fn begin(&mut self, at: usize, byte: u8, base: u64, found: &mut Vec<UnitSpan>) {
        let start = Start { at, line: self.line, kind: UnitKind::Record };
        let Some(path) = self.path() else {
            self.start.get_or_insert(start);
            return;
        };
        let followed = &mut self.followed;
        if followed.in_list {
            if !followed.has_elements {
                followed.has_elements = true;
                self.start = None;
                found.extend(followed.beside.take().and_then(|it| it.span(UnitKind::Before, base)));
            }
            if self.start.is_none() {
                self.start = Some(Start { kind: UnitKind::Element, ..start });
            }
            return;
        }
        if self.start.is_none() && !followed.has_elements {
            self.start = Some(start);
        }
        if self.depth != followed.entered + 1 {
            return;
        }
        if followed.naming == Naming::Awaited {
            followed.naming = if byte == b'"' { Naming::Begun } else { Naming::Known };
            followed.name.clear();
        } else if followed.entered + 1 == path.beside.len()
            && followed.is_at(path.beside[followed.entered])
            && byte == first_byte(path.beside_kind)
        {
            if followed.has_elements {
                self.start = Some(Start { kind: UnitKind::After, ..start });
            } else {
                followed.beside = Some(OtherMember { start, end: None });
            }
        }
    }

    /// A member of a document around records ends.
    fn end_beside(&mut self, at: usize, base: u64, found: &mut Vec<UnitSpan>) {
        if let Some(beside) = &mut self.followed.beside {
            beside.end.get_or_insert(at);
        }
        if self.start.is_some_and(|start| start.kind == UnitKind::After) {
            self.finish(at, base, found);
        }
    }

    fn finish(&mut self, end: usize, base: u64, found: &mut Vec<UnitSpan>) {
        // A document whose list is empty is a record itself.
        let is_before = self.followed.in_list && !self.followed.has_elements;
        if let Some(start) = self.start.take_if(|_| !is_before) {
            found.push(start.span(end, base));
        }
    }
}

impl Followed {
    fn is_at(&self, member: &str) -> bool {
        self.naming == Naming::Known && self.name == member.as_bytes()
    }
}

impl Start {
    fn span(self, end: usize, base: u64) -> UnitSpan {
        let place = LinePosition { line: self.line, byte: base + self.at as u64 };
        UnitSpan { start: self.at, end, place, kind: self.kind }
    }
}

impl OtherMember {
    fn span(self, kind: UnitKind, base: u64) -> Option<UnitSpan> {
        Some(Start { kind, ..self.start }.span(self.end?, base))
    }
}

fn first_byte(kind: Kind) -> u8 {
    match kind {
        Kind::Array => b'[',
        Kind::Object => b'{',
        Kind::String => b'"',
        Kind::Null | Kind::Bool | Kind::Number => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    const ENTRIES: ListPath = ListPath {
        members: &["log", "entries"],
        beside: &["log", "comment"],
        beside_kind: Kind::String,
    };

    const EXCHANGES: ListPath =
        ListPath { members: &["exchanges"], beside: &["tools"], beside_kind: Kind::Array };

    /// The values of a text that comes in two pieces, each with its kind and line.
    fn split(document: Document, text: &str, cut: usize) -> Vec<String> {
        let mut splitter = Splitter::new(document);
        let mut found = Vec::new();
        splitter.feed(&text.as_bytes()[..cut], 0, 0, &mut found);
        splitter.feed(text.as_bytes(), cut, 0, &mut found);
        let is_inside = splitter.is_inside();
        splitter.flush(text.len(), 0, &mut found);
        let shown = |UnitSpan { start, end, place, kind }: &UnitSpan| {
            format!("{kind:?} {}: {}", place.line, text[*start..*end].replace('\n', "\\n"))
        };
        let goes_on = is_inside.then(|| "goes on".to_owned());
        found.iter().map(shown).chain(goes_on).collect()
    }

    #[test]
    fn values_are_found_wherever_the_stream_is_cut() {
        cases::check("tests/cases/splits.txt", |case| {
            let (document, text) = case.text.split_once('\n').expect("a document and its text");
            let document = match document {
                "array" => Document::Array,
                "values" => Document::Values,
                "exchanges" => Document::List(&EXCHANGES),
                _ => Document::List(&ENTRIES),
            };
            let whole = split(document, text, 0);
            for cut in 0..text.len() {
                assert_eq!(split(document, text, cut), whole, "cut at {cut}");
            }
            whole.join("\n")
        });
    }
}
