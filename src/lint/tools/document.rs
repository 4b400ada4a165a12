//! The advice as a document, written from its table.

use super::advice::{ADVICE, Priority, Whose};
use std::fmt::Write as _;

/// `docs/tool-advice.md`.
pub fn advice_document() -> String {
    let mut text = String::from(INTRODUCTION);
    for advice in &ADVICE {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | `{}` | {} | {} |",
            advice.id,
            advice.whose.name(),
            advice.priority.name(),
            advice.severity().name(),
            advice.kind.name(),
            advice.message.replace("`{}`", "…"),
            advice.suggestion,
        );
    }
    text
}

impl Whose {
    fn name(self) -> &'static str {
        match self {
            Self::Everybody => "everybody",
            Self::House => "house style",
        }
    }
}

impl Priority {
    fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Nice => "nice to have",
        }
    }
}

const INTRODUCTION: &str = "# Advice on tool definitions

What `tapecheck check RECORDINGS` looks for in tool definitions, written from the table in the code; house style
only with `--verbose`. What must
or should be done is a warning; what is nice to have is an info. One piece of advice is given at up to 20
places of a definition. Fields are looked for at every level of a schema: below `properties`, `items`,
`prefixItems`, `additionalProperties`, `patternProperties`, `allOf`, `anyOf`, `oneOf`, `then`, `else`,
`$defs` and `definitions`, down to 24 levels and 5,000 schemas. A field counts as described where it, or
what it refers to within its schema, has a description or a title.

A tool is looked at once for each definition it has. Definitions come from call lines, from lists of
tools in recordings, from answers to `tools/list`, and from files that are tool lists; at most 10,000 of them
and 64 MiB of text are kept. Tools that are called but defined nowhere are counted, and named with
`--format json`.

| advice | whose | importance | severity | issue type | what is wrong | what to do |
|---|---|---|---|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_document_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tool-advice.md");
        if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
            fs::write(path, advice_document()).expect("writable");
        }
        let found = fs::read_to_string(path).unwrap_or_default();
        assert!(
            found == advice_document(),
            "docs/tool-advice.md is out of date; run the tests with TAPECHECK_WRITE_DOCS=1 to write it"
        );
    }
}
