//! Cuts a document into its top-level values, byte by byte, without looking at what they mean.

use super::block::UnitSpan;

/// Finds the elements of an array, or values that follow each other, in a stream of bytes.
#[derive(Debug)]
pub(super) struct Splitter {
    /// Inside the array whose elements are wanted; always true where values merely follow.
    entered: bool,
    document: Document,
    start: Option<Start>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    line: u64,
}

#[derive(Clone, Copy, Debug)]
struct Start {
    at: usize,
    line: u64,
}

/// What kind of document is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Document {
    /// One array: its elements are the records.
    Array,
    /// Values one after the other, each perhaps over many lines.
    Values,
}

impl Splitter {
    pub(super) fn new(document: Document) -> Self {
        Self {
            entered: document == Document::Values,
            document,
            start: None,
            depth: 0,
            in_string: false,
            escaped: false,
            line: 1,
        }
    }

    /// Scans `bytes[from..]` and appends the values that end there. `base` is the offset of
    /// `bytes[0]` in the recording.
    pub(super) fn feed(&mut self, bytes: &[u8], from: usize, base: u64, found: &mut Vec<UnitSpan>) {
        for (at, byte) in bytes.iter().enumerate().skip(from) {
            if *byte == b'\n' {
                self.line += 1;
            }
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_string = false;
                        if self.depth == 0 {
                            self.finish(at + 1, base, found);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => {
                    self.begin(at);
                    self.in_string = true;
                }
                b'{' | b'[' => {
                    if self.entered {
                        self.begin(at);
                        self.depth += 1;
                    } else {
                        self.entered = true;
                    }
                }
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.finish(at + 1, base, found);
                    }
                }
                b' ' | b'\t' | b'\r' | b'\n' => {
                    if self.depth == 0 {
                        self.finish(at, base, found);
                    }
                }
                b',' | b']' if self.document == Document::Array && self.depth == 0 => {
                    self.finish(at, base, found);
                }
                _ => self.begin(at),
            }
        }
    }

    /// Where the unfinished value begins, if there is one.
    pub(super) fn pending(&self) -> Option<usize> {
        self.start.map(|start| start.at)
    }

    /// Takes the unfinished value as it stands.
    pub(super) fn flush(&mut self, end: usize, base: u64, found: &mut Vec<UnitSpan>) {
        self.finish(end, base, found);
        self.depth = 0;
        self.in_string = false;
    }

    /// Tells the splitter that the first `bytes` bytes of its buffer are gone.
    pub(super) fn shift(&mut self, bytes: usize) {
        if let Some(start) = &mut self.start {
            start.at -= bytes;
        }
    }

    /// The line on which the unfinished value begins; the current one where there is none.
    pub(super) fn pending_line(&self) -> u64 {
        self.start.map_or(self.line, |start| start.line)
    }

    fn begin(&mut self, at: usize) {
        if self.start.is_none() {
            self.start = Some(Start { at, line: self.line });
        }
    }

    fn finish(&mut self, end: usize, base: u64, found: &mut Vec<UnitSpan>) {
        if let Some(start) = self.start.take() {
            found.push(UnitSpan {
                start: start.at,
                end,
                line: start.line,
                byte: base + start.at as u64,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(document: Document, text: &str) -> Vec<(&str, u64)> {
        let mut splitter = Splitter::new(document);
        let mut found = Vec::new();
        splitter.feed(text.as_bytes(), 0, 0, &mut found);
        splitter.flush(text.len(), 0, &mut found);
        found.iter().map(|unit| (&text[unit.start..unit.end], unit.line)).collect()
    }

    #[test]
    fn the_elements_of_an_array_are_found() {
        let text = "[\n {\"a\":\"},]\"},\n 5, \"x\\\"y\", [1,[2]]\n]\n";
        assert_eq!(
            split(Document::Array, text),
            [("{\"a\":\"},]\"}", 2), ("5", 3), ("\"x\\\"y\"", 3), ("[1,[2]]", 3)]
        );
    }

    #[test]
    fn values_that_follow_each_other_are_found() {
        let text = "{\n \"a\": 1\n}\n{\"b\":[]} 7\n";
        assert_eq!(
            split(Document::Values, text),
            [("{\n \"a\": 1\n}", 1), ("{\"b\":[]}", 4), ("7", 4)]
        );
    }

    #[test]
    fn an_unfinished_value_is_kept() {
        assert_eq!(
            split(Document::Array, "[{\"a\":1},{\"b\":"),
            [("{\"a\":1}", 1), ("{\"b\":", 1)]
        );
    }

    #[test]
    fn cutting_the_stream_anywhere_changes_nothing() {
        let text = "[ {\"a\":\"\\\\\"}, [1], 22 ,\"q\" ]";
        let whole = split(Document::Array, text);
        for cut in 0..text.len() {
            let mut splitter = Splitter::new(Document::Array);
            let mut found = Vec::new();
            splitter.feed(&text.as_bytes()[..cut], 0, 0, &mut found);
            splitter.feed(text.as_bytes(), cut, 0, &mut found);
            splitter.flush(text.len(), 0, &mut found);
            let units: Vec<_> =
                found.iter().map(|unit| (&text[unit.start..unit.end], unit.line)).collect();
            assert_eq!(units, whole, "cut at {cut}");
        }
    }
}
