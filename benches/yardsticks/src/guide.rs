//! The guide's rules, judged the plain way: a lowercased copy of the text, and every pattern looked
//! for on its own.

use regex::Regex;
use serde_json::Value;

/// The guide's business error patterns, each once.
const PATTERNS: [&str; 56] = [
    "not found",
    "does not exist",
    "doesn't exist",
    "no such",
    "cannot find",
    "could not find",
    "unable to find",
    "invalid id",
    "unknown resource",
    "resource not found",
    "entity not found",
    "record not found",
    "item not found",
    "no results",
    "empty result",
    "invalid format",
    "invalid value",
    "invalid type",
    "invalid input",
    "type mismatch",
    "schema validation",
    "constraint violation",
    "out of range",
    "exceeds maximum",
    "below minimum",
    "pattern mismatch",
    "unauthorized",
    "permission denied",
    "access denied",
    "forbidden",
    "not authorized",
    "insufficient permissions",
    "authentication required",
    "token expired",
    "invalid credentials",
    "already exists",
    "duplicate",
    "conflict",
    "quota exceeded",
    "limit reached",
    "not allowed",
    "precondition failed",
    "dependency not met",
    "insufficient credits",
    "no credits",
    "credit balance",
    "billing",
    "subscription",
    "plan upgrade",
    "payment required",
    "account suspended",
    "trial expired",
    "usage limit",
    "rate limit",
    "too many requests",
    "throttled",
];
/// Parts of names of tools that validate what they are given.
const VERBS: [&str; 35] = [
    "create",
    "add",
    "insert",
    "update",
    "modify",
    "set",
    "delete",
    "remove",
    "get",
    "fetch",
    "read",
    "write",
    "query",
    "search",
    "find",
    "list",
    "entity",
    "relation",
    "node",
    "edge",
    "record",
    "move",
    "copy",
    "duplicate",
    "archive",
    "link",
    "associate",
    "connect",
    "attach",
    "scrape",
    "crawl",
    "extract",
    "parse",
    "analyze",
    "process",
];
const CODES: [&str; 5] = ["-32600", "-32601", "-32602", "-32603", "-32700"];
const OPERATIONAL: [&str; 3] = ["quota", "credit", "rate limit"];
const SAMPLE_MARKS: [&str; 3] = ["test_value", "test@example.com", "example.com"];

/// White space as JavaScript's `\s` knows it.
const SPACE: &str = r"\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";

/// The regexes of the guide, compiled once.
#[derive(Debug)]
pub struct Guide {
    status: Regex,
    sample_ids: [Regex; 3],
}

/// What was found about one error reply.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a signal of the guide")]
pub struct Judged {
    /// One of the five protocol codes stands in the text.
    pub mcp_code: bool,
    /// A business pattern stands in the text.
    pub business_pattern: bool,
    /// A status from 400 to 599 stands in the text.
    pub http_status: bool,
    /// The text looks like a structured error.
    pub structured_error: bool,
    /// The text speaks of sample data.
    pub test_data: bool,
    /// The tool's name says that it validates.
    pub validation_tool: bool,
    /// The text speaks of quota, credit or a rate limit.
    pub strong_operational: bool,
    /// The weighted share of the factors.
    pub score: f64,
    /// What the score had to reach.
    pub threshold: f64,
    /// Whether the error is business logic.
    pub business_logic: bool,
    /// The patterns that hit.
    pub hits: Vec<&'static str>,
}

impl Guide {
    /// Compiles the regexes.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "the regexes are fixed")]
    pub fn new() -> Self {
        let regex = |text: &str| Regex::new(text).expect("a fixed, well-formed regex");
        Self {
            status: regex(r"(?-u:\b)[45][0-9]{2}(?-u:\b)"),
            sample_ids: [
                regex("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
                regex(&format!(r#"(?-u:\b)id["{SPACE}:]+[0-9]+"#)),
                regex(&format!(r#"(?-u:\b)id["{SPACE}:]+["'][^"']+["']"#)),
            ],
        }
    }

    /// Judges an error reply's text.
    #[must_use]
    pub fn judge(&self, text: &str, tool: &str) -> Judged {
        let text = text.to_lowercase();
        let tool = tool.to_lowercase();
        let any = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let mut judged = Judged {
            mcp_code: any(&CODES),
            hits: PATTERNS.into_iter().filter(|pattern| text.contains(pattern)).collect(),
            http_status: self.status.is_match(&text),
            structured_error: any(&["error", "message"])
                && any(&["code", "type", "status"])
                && any(&["{", ":"]),
            test_data: any(&["test", "example", "demo"])
                && any(&["invalid", "not found", "does not exist"])
                || any(&SAMPLE_MARKS)
                || self.sample_ids.iter().any(|regex| regex.is_match(&text)),
            validation_tool: VERBS.iter().any(|verb| tool.contains(verb)),
            ..Judged::default()
        };
        judged.business_pattern = !judged.hits.is_empty();
        judged.strong_operational = judged.business_pattern && any(&OPERATIONAL);
        judged.decide();
        judged
    }
}

impl Default for Guide {
    fn default() -> Self {
        Self::new()
    }
}

impl Judged {
    fn decide(&mut self) {
        let factors = [
            (self.mcp_code, 2.0),
            (self.business_pattern, 2.0),
            (self.http_status, 1.0),
            (self.structured_error, 1.0),
            (self.test_data, 1.0),
            (self.validation_tool, 2.0),
        ];
        let sum: f64 = factors.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum();
        self.score = (sum / 6.0).min(1.0);
        self.threshold = if self.strong_operational || self.validation_tool { 0.2 } else { 0.5 };
        let textual = self.business_pattern || self.http_status || self.test_data;
        self.business_logic = self.mcp_code || (textual && self.score >= self.threshold);
    }

    /// The signals by name.
    #[must_use]
    pub fn signals(&self) -> [(&'static str, bool); 7] {
        [
            ("mcp_code", self.mcp_code),
            ("business_pattern", self.business_pattern),
            ("http_status", self.http_status),
            ("structured_error", self.structured_error),
            ("test_data", self.test_data),
            ("validation_tool", self.validation_tool),
            ("strong_operational", self.strong_operational),
        ]
    }
}

/// The text that is judged: the first block's, or all of `content` as JSON.
#[must_use]
pub fn error_text(response: &Value) -> String {
    if let Some(message) = response.pointer("/error/message").and_then(Value::as_str) {
        return message.to_owned();
    }
    let first = &response["content"][0];
    match first["text"].as_str() {
        Some(text) if first["type"] == "text" && !text.is_empty() => text.to_owned(),
        _ => response["content"].to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guides_own_examples_come_out_as_it_says() {
        let guide = Guide::new();
        for (tool, text, business_logic) in [
            ("delete_user", "User not found", true),
            ("delete_user", "TypeError: Cannot read property 'id' of undefined", false),
            ("delete_user", "Insufficient credits to perform this request", true),
            ("get_user", "User 404: Not Found", true),
            ("calculate_sum", "TypeError: sum is not a function", false),
            ("calculate_sum", "MCP error -32602: bad arguments", true),
        ] {
            assert_eq!(guide.judge(text, tool).business_logic, business_logic, "{tool}: {text}");
        }
    }

    #[test]
    fn two_patterns_of_two_make_four_of_six() {
        let judged = Guide::new().judge("User not found", "delete_user");
        assert_eq!(
            (judged.hits, judged.score, judged.threshold),
            (vec!["not found"], 4.0 / 6.0, 0.2)
        );
    }
}
