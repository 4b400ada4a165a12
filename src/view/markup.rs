//! HTML that is escaped whoever writes it: text goes in as text, and only what is written in this
//! program's own source can be markup.

use super::escape;
use std::fmt::Write as _;

/// Markup: whatever was recorded is escaped in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

/// An element that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    name: &'static str,
    attributes: String,
    inner: String,
}

pub(crate) fn tag(name: &'static str) -> Tag {
    Tag { name, attributes: String::new(), inner: String::new() }
}

/// Elements that have no content and no end.
const VOID: [&str; 4] = ["br", "input", "link", "meta"];

impl Html {
    /// Escaped text.
    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        let mut out = String::new();
        write_text(text.as_ref(), &mut out);
        Self(out)
    }

    /// Markup, styles or script of this program's own source.
    pub(crate) fn constant(source: &'static str) -> Self {
        Self(source.to_owned())
    }

    /// Markup of this program's own source, with parts in the places of their names in braces.
    pub(crate) fn filled(source: &'static str, parts: &[(&str, Self)]) -> Self {
        let mut out = Self::default();
        for (at, piece) in source.split('{').enumerate() {
            let (name, rest) =
                if at > 0 { piece.split_once('}') } else { None }.unwrap_or(("", piece));
            if let Some((_, part)) = parts.iter().find(|(known, _)| *known == name) {
                out.0 += &part.0;
            }
            out.0 += rest;
        }
        out
    }

    /// JSON in a `script`, where entities mean nothing: what could end it is escaped as in JSON.
    pub(crate) fn json(json: &str) -> Self {
        let ends = ['<', '>', '&', '\u{2028}', '\u{2029}'];
        Self(ends.into_iter().fold(json.to_owned(), |json, end| {
            json.replace(end, &format!("\\u{:04x}", u32::from(end)))
        }))
    }

    pub(crate) fn push(&mut self, more: impl Into<Html>) {
        self.0.push_str(&more.into().0);
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl Tag {
    pub(crate) fn set(mut self, name: &'static str, value: impl AsRef<str>) -> Self {
        let _ = write!(self.attributes, " {name}=\"");
        write_text(value.as_ref(), &mut self.attributes);
        self.attributes.push('"');
        self
    }

    pub(crate) fn class(self, class: &'static str) -> Self {
        self.set("class", class)
    }

    pub(crate) fn text(mut self, text: impl AsRef<str>) -> Self {
        write_text(text.as_ref(), &mut self.inner);
        self
    }

    pub(crate) fn put(mut self, content: impl Into<Html>) -> Self {
        self.inner.push_str(&content.into().0);
        self
    }

    pub(crate) fn all(self, contents: impl IntoIterator<Item = impl Into<Html>>) -> Self {
        contents.into_iter().fold(self, Self::put)
    }
}

impl From<Tag> for Html {
    fn from(Tag { name, attributes, inner }: Tag) -> Self {
        let mut out = String::with_capacity(name.len() * 2 + attributes.len() + inner.len() + 5);
        let _ = write!(out, "<{name}{attributes}>");
        if !VOID.contains(&name) {
            let _ = write!(out, "{inner}</{name}>");
        }
        Self(out)
    }
}

/// The one place where text becomes a part of a page: it neither is markup nor steers.
fn write_text(text: &str, out: &mut String) {
    for character in escape::terminal(text).chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_given_stays_text() {
        let hostile = "</script><img src=x onerror='alert(1)'>\"&";
        let html: Html = tag("p").set("title", hostile).text(hostile).into();
        let escaped = "&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;";
        assert_eq!(html.into_string(), format!("<p title=\"{escaped}\">{escaped}</p>"));
        assert_eq!(Html::from(tag("meta").set("name", "a")).into_string(), "<meta name=\"a\">");
    }
}
