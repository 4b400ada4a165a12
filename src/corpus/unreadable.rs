//! What could not be read or judged, and why.

use crate::json::{Raw, RawStr, scan_document};

/// The longest part of a line that is kept.
pub const HEAD_CHARS: usize = 200;

/// A line (or a whole file) that could not be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub file: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: u64,
    /// Offset of the line's first byte in the decompressed recording.
    pub byte: u64,
    pub reason: UnreadableReason,
    pub detail: String,
    /// The first 200 characters of the line.
    pub head: String,
}

impl Unreadable {
    pub fn of_file(file: &str, reason: UnreadableReason, detail: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: 0,
            byte: 0,
            reason,
            detail: detail.into(),
            head: String::new(),
        }
    }

    /// What it says of a record that ended attempts to read or classify it.
    pub(crate) const ENDED: &str = "it ended tapecheck in two attempts";

    /// Whether it stands for a line that was read.
    pub fn is_line(&self) -> bool {
        self.line > 0
    }
}

pub(crate) fn head_of(line: &[u8]) -> String {
    // Four bytes a character at most, and a little more so that a cut character does not show.
    let enough = &line[..line.len().min(HEAD_CHARS * 4 + 4)];
    String::from_utf8_lossy(enough).chars().take(HEAD_CHARS).collect()
}

/// So many members of what is no record are named.
const MEMBERS: usize = 8;

/// What the members of an object are, in words; empty for anything else.
pub(super) fn members_of(text: &str, max_depth: usize) -> String {
    let members = scan_document(text, max_depth).ok().and_then(Raw::members).unwrap_or_default();
    let name = |(name, _): &(RawStr<'_>, Raw<'_>)| head_of(name.decode_up_to(40).as_bytes());
    let names: Vec<String> = members.iter().take(MEMBERS).map(name).collect();
    let more = if members.len() > MEMBERS { ", …" } else { "" };
    if names.is_empty() {
        String::new()
    } else {
        format!("its members are {}{more}", names.join(", "))
    }
}

macro_rules! unreadable_reasons {
    ($($variant:ident $name:literal $about:literal,)*) => {
        /// Why something could not be judged. The table in this file is the only list.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum UnreadableReason {
            $(#[doc = $about] $variant,)*
        }

        impl UnreadableReason {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name used in tables.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What the reason means, and what to do.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }

        impl serde::Serialize for UnreadableReason {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for UnreadableReason {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(from)?;
                let found = Self::ALL.iter().copied().find(|known| known.name() == word);
                found.ok_or_else(|| serde::de::Error::unknown_variant(&word, &[$($name),*]))
            }
        }
    };
}

unreadable_reasons! {
    NotUtf8 "not_utf8" "The line is not UTF-8 text.",
    NotJson "not_json" "The line is not well-formed JSON.",
    CutShort "cut_short" "The recording ends inside a record.",
    TooDeep "too_deep" "The JSON is nested deeper than `bounds.max_depth`.",
    TooLong "too_long" "The line is longer than `bounds.max_line`.",
    Unrecognised "unrecognised" "The JSON is not a record of a known format.",
    Panicked "internal_error" "Classifying this call hit a bug in tapecheck; please report it.",
    ReadError "read_error" "The file or folder could not be opened or read.",
    Corrupt "corrupt" "The compressed data is damaged or ends too early.",
    Bomb "decompression_bomb" "The file grows beyond `bounds.max_ratio` when decompressed.",
    SidecarTooLong "sidecar_too_long" "The file beside a recording is larger than 64 MiB: the \
        excess lines are ignored, a tool list entirely.",
    LinkLoop "link_loop" "A symbolic link leads back to a folder above it.",
}

named! {
    /// What a file that is no recording was taken for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum FileKind {
        /// Names the scenario of each call of a recording.
        Scenarios = "scenario sidecar",
        /// Lists tools for the recordings beside it.
        ToolList = "tool list",
        Labels = "labels",
        /// Says what exchanges are held against.
        Setting = "setting",
        /// Holds calls, and no reply to any of them.
        Expectations = "expectations",
        Empty = "empty file",
        /// A folder or link that is not entered.
        Skipped = "skipped",
        Unknown = "unknown file",
    }
}

/// A file that was looked at and is no recording.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileNote {
    pub file: String,
    pub kind: FileKind,
    pub detail: String,
}

impl FileNote {
    /// The detail without what it says of this file alone.
    pub fn reason(&self) -> &str {
        self.detail.split_once(": ").map_or(&self.detail, |(reason, _)| reason)
    }
}
