//! What could not be read or judged, and why.

use crate::json::{Raw, RawStr, scan_document};
use crate::recording::LinePosition;

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
        Self::at(file, LinePosition::default(), reason, detail, b"")
    }

    pub(super) fn at(
        file: &str,
        LinePosition { line, byte }: LinePosition,
        reason: UnreadableReason,
        detail: impl Into<String>,
        text: &[u8],
    ) -> Self {
        let (file, head) = (file.to_owned(), head_of(text));
        Self { file, line, byte, reason, detail: detail.into(), head }
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

named! {
    /// Why something could not be judged.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum UnreadableReason {
        NotUtf8 = "not_utf8",
        NotJson = "not_json",
        CutShort = "cut_short",
        TooDeep = "too_deep",
        TooLong = "too_long",
        Unrecognised = "unrecognised",
        Panicked = "internal_error",
        ReadError = "read_error",
        Corrupt = "corrupt",
        Bomb = "decompression_bomb",
        SidecarTooLong = "sidecar_too_long",
        LinkLoop = "link_loop",
    }
}

impl UnreadableReason {
    /// What the reason means, and what to do.
    pub fn about(self) -> &'static str {
        match self {
            Self::NotUtf8 => "The line is not UTF-8 text.",
            Self::NotJson => "The line is not well-formed JSON.",
            Self::CutShort => "The recording ends inside a record.",
            Self::TooDeep => "The JSON is nested deeper than `bounds.max_depth`.",
            Self::TooLong => "The line is longer than `bounds.max_line`.",
            Self::Unrecognised => "The JSON is not a record of a known format.",
            Self::Panicked => "Classifying this call hit a bug in tapecheck; please report it.",
            Self::ReadError => "The file or folder could not be opened or read.",
            Self::Corrupt => "The compressed data is damaged or ends too early.",
            Self::Bomb => "The file grows beyond `bounds.max_ratio` when decompressed.",
            Self::SidecarTooLong => {
                "The file beside a recording is larger than 64 MiB: the excess lines are ignored, \
                 a tool list entirely."
            }
            Self::LinkLoop => "A symbolic link leads back to a folder above it.",
        }
    }
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
