//! Texts as servers write them: prose, records in text, and the many ways to say no.

use crate::random::Random;
use std::fmt::Write as _;

const WORDS: [&str; 96] = [
    "the",
    "a",
    "of",
    "and",
    "to",
    "in",
    "for",
    "with",
    "on",
    "from",
    "is",
    "was",
    "by",
    "at",
    "this",
    "that",
    "report",
    "summary",
    "project",
    "customer",
    "invoice",
    "meeting",
    "branch",
    "commit",
    "document",
    "page",
    "table",
    "column",
    "row",
    "weather",
    "temperature",
    "forecast",
    "article",
    "section",
    "paragraph",
    "author",
    "release",
    "version",
    "update",
    "change",
    "review",
    "comment",
    "issue",
    "ticket",
    "task",
    "deadline",
    "team",
    "budget",
    "price",
    "order",
    "shipment",
    "address",
    "city",
    "country",
    "station",
    "route",
    "distance",
    "map",
    "image",
    "video",
    "chapter",
    "figure",
    "result",
    "analysis",
    "measure",
    "average",
    "maximum",
    "increase",
    "during",
    "between",
    "after",
    "before",
    "several",
    "many",
    "small",
    "large",
    "new",
    "current",
    "monthly",
    "shows",
    "contains",
    "describes",
    "returns",
    "remains",
    "started",
    "finished",
    "moved",
    "settings",
    "payload",
    "gadget",
    "server",
    "client",
    "request",
    "message",
    "schedule",
    "holiday",
];
const FOREIGN: [&str; 24] = [
    "café",
    "Grüße",
    "naïve",
    "São Paulo",
    "Zürich",
    "世界",
    "東京",
    "данные",
    "отчёт",
    "Ελλάδα",
    "niño",
    "façade",
    "“quoted”",
    "—",
    "…",
    "€",
    "🚀",
    "✅",
    "Ångström",
    "İstanbul",
    "한국어",
    "مرحبا",
    "jalapeño",
    "Dvořák",
];
const FIELDS: [&str; 7] = ["user_id", "query", "path", "limit", "start_date", "repo", "name"];
const NAMES: [&str; 16] = [
    "alpha", "bravo", "copper", "delta", "ember", "falcon", "granite", "harbor", "indigo",
    "juniper", "kestrel", "lagoon", "maple", "nimbus", "orchid", "prairie",
];

/// Error texts as tools send them with `isError`. `$id $path $n $field $tool $word $url $prose` are
/// filled in.
const ERRORS: &[&str] = &[
    "Input validation error: '$field' is a required property",
    "Input validation error: $n is not of type 'string'",
    "Error executing tool $tool: 1 validation error for $toolArguments\n$field\n  Field required [type=missing, input_value={'$word': $n}, input_type=dict]",
    "2 validation errors for call[$tool]\n$field\n  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='$word', input_type=str]\nlimit\n  Input should be less than or equal to 100 [type=less_than_equal, input_value=$n, input_type=int]",
    "MCP error -32602: Invalid arguments for tool $tool: Required at \"$field\"",
    "MCP error -32602: Tool $tool was not found on this server",
    "Unknown tool: $tool_$word",
    "ENOENT: no such file or directory, open '$path'",
    "EACCES: permission denied, open '$path'",
    "Access denied - path outside allowed directories: $path",
    "EISDIR: illegal operation on a directory, read",
    "$word $id not found",
    "No $word with id $id exists in this workspace",
    "The $word '$id' does not exist or you have no access to it",
    "Could not find a $word matching \"$prose\"",
    "404 Not Found: $url",
    "HTTP 500: Internal Server Error while calling $url",
    "Request to $url failed with status code 429: too many requests, retry after $n s",
    "Rate limit exceeded for this API key. Limit resets in $n seconds.",
    "You have used all $n requests of your monthly quota exceeded plan; upgrade to continue",
    "Insufficient credits: $n needed, 0 available",
    "Payment required: subscription for team $id is inactive",
    "401 Unauthorized: token expired at 2026-03-01T00:$n:00Z",
    "403 Forbidden: insufficient permissions to change $word $id",
    "Authentication required. Set the API key and restart the server.",
    "Error: getaddrinfo EAI_AGAIN api.$word.example",
    "Error: connect ECONNREFUSED 127.0.0.1:$n",
    "connect ETIMEDOUT 10.0.0.$n:443",
    "Timed out after $n ms waiting for selector '#$field'",
    "Connection timeout: the $word service did not answer within $n seconds",
    "TypeError: Cannot read properties of undefined (reading '$field')\n    at $word (/srv/app/dist/index.js:$n:17)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)",
    "TypeError: $field is not a function",
    "ReferenceError: $field is not defined",
    "AttributeError: 'NoneType' object has no attribute '$field'",
    "Traceback (most recent call last):\n  File \"/srv/app/server.py\", line $n, in $tool\n    return rows[0]['$field']\nIndexError: list index out of range",
    "KeyError: '$field'",
    "ValueError: time data '$word' does not match format '%Y-%m-%d'",
    "thread 'main' panicked at src/$word.rs:$n: index out of bounds: the len is 0",
    "java.lang.NullPointerException: Cannot invoke \"$word.get$field()\" because \"$word\" is null",
    "runtime error: invalid memory address or nil pointer dereference",
    "Database error: near \"$word\": syntax error",
    "relation \"$word\" does not exist",
    "duplicate key value violates unique constraint \"$word_$field_key\"",
    "Conflict: a $word named '$prose' already exists",
    "Precondition failed: version $n is older than the stored one",
    "Invalid format for '$field': expected an ISO date, got '$prose'",
    "Value $n of '$field' is out of range [0, 100]",
    "'$field' exceeds maximum length of $n characters",
    "Operation not allowed while the $word is locked by $id",
    "{\"error\":{\"code\":\"INVALID_INPUT\",\"message\":\"$field must be a positive number\",\"request\":\"$id\"}}",
    "{\"status\":404,\"message\":\"$word $id could not be located\"}",
    "{\"error\":\"upstream unavailable\",\"type\":\"server_error\",\"status\":503}",
    "Error code: -32603, internal failure in $tool",
    "Test record $id is invalid: user test@example.com was never created",
    "No value for id: $n in table $word",
    "Unexpected token '<', \"<!DOCTYPE html>\" is not valid JSON",
    "Command failed with exit code $n: $word: command not found",
    "Fehler: Datei '$path' konnte nicht geöffnet werden",
    "エラー: 指定された $word が見つかりません ($id)",
    "❌ Failed to run $tool: $prose",
    "Something went wrong. Please try again later.",
    "",
];

/// Texts that say an action failed without the flag.
const HIDDEN: &[&str] = &[
    "Error: could not reach $url",
    "Failed to fetch $word: connection reset by peer",
    "Database error: no such table: $word",
    "{\"success\": false, \"error\": \"$word is unavailable\"}",
    "❌ The $word could not be saved",
];

/// Messages of JSON-RPC errors, with their codes.
const PROTOCOL: &[(i32, &str)] = &[
    (-32602, "Invalid params: missing '$field'"),
    (-32602, "Unknown tool: $tool_$word"),
    (-32603, "Internal error: $prose"),
    (-32603, "$word $id not found"),
    (-32603, "request to $url failed, reason: connect ECONNREFUSED"),
    (-32601, "Method not found"),
    (-32600, "Invalid Request"),
    (-32000, "Connection closed"),
    (-32001, "Request timed out after $n ms"),
    (0, "handler for $tool raised ValueError"),
];

/// A word that can stand in a path or a name.
pub fn word(random: &mut Random) -> &'static str {
    WORDS[16 + random.below(WORDS.len() - 16)]
}

/// Two to five words.
pub fn phrase(random: &mut Random) -> String {
    let words = random.between(2, 5);
    let mut out = String::new();
    for at in 0..words {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(random.pick::<&str>(&WORDS));
    }
    if random.chance(150) {
        out.push(' ');
        out.push_str(random.pick::<&str>(&FOREIGN));
    }
    out
}

/// About `length` bytes of sentences and paragraphs.
pub fn text(random: &mut Random, length: usize) -> String {
    let mut out = String::with_capacity(length + 32);
    let foreign = random.chance(600);
    let mut left_in_sentence = 0;
    while out.len() < length {
        let word = if foreign && random.chance(25) {
            *random.pick(&FOREIGN)
        } else {
            *random.pick(&WORDS)
        };
        if left_in_sentence == 0 {
            left_in_sentence = random.between(5, 16);
            let mut letters = word.chars();
            out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            out.push_str(letters.as_str());
        } else {
            out.push_str(word);
        }
        left_in_sentence -= 1;
        let mark = match (left_in_sentence, random.below(40)) {
            (0, 0..8) => ".\n\n",
            (0, 8..12) => ":\n- ",
            (0, _) => ". ",
            (_, 0..2) => ", ",
            (_, 2) => " \"",
            (_, 3) => "\" ",
            (_, 4) => "\t",
            _ => " ",
        };
        out.push_str(mark);
    }
    out
}

/// A value of a string format.
pub fn formatted(random: &mut Random, format: &str) -> String {
    let (day, hour, minute) = (random.between(1, 28), random.below(24), random.below(60));
    match format {
        "date-time" => {
            format!("2026-{:02}-{day:02}T{hour:02}:{minute:02}:00Z", random.between(1, 12))
        }
        "email" => format!("{}.{}@example.org", random.pick(&NAMES), random.below(10_000)),
        "uri" => url(random),
        _ => uuid(random),
    }
}

/// An error reply's text.
pub fn error(random: &mut Random, tool: &str) -> String {
    let template = random.pick(ERRORS);
    fill(random, template, tool)
}

/// The text of a reply that claims success and says otherwise.
pub fn hidden_failure(random: &mut Random, tool: &str) -> String {
    let template = random.pick(HIDDEN);
    fill(random, template, tool)
}

/// A JSON-RPC error's code and message.
pub fn protocol_error(random: &mut Random, tool: &str) -> (i32, String) {
    let (code, template) = random.pick(PROTOCOL);
    (*code, fill(random, template, tool))
}

fn url(random: &mut Random) -> String {
    format!(
        "https://{}.example.net/v1/{}/{}",
        random.pick(&NAMES),
        word(random),
        random.below(1_000_000)
    )
}

fn uuid(random: &mut Random) -> String {
    let (high, low) = (random.next(), random.next());
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        high & 0xffff,
        (high >> 16) & 0xfff,
        low & 0xfff,
        low >> 16
    )
}

fn fill(random: &mut Random, template: &str, tool: &str) -> String {
    let mut out = String::with_capacity(template.len() + 64);
    let mut parts = template.split('$');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let slots = ["id", "path", "n", "field", "tool", "word", "url", "prose"];
        let slot = slots.into_iter().find(|slot| part.starts_with(slot)).unwrap_or_default();
        match slot {
            "id" if random.chance(300) => out.push_str(&uuid(random)),
            "id" => {
                push(&mut out, format_args!("{}-{}", random.pick(&NAMES), random.below(100_000)));
            }
            "path" => push(
                &mut out,
                format_args!("/srv/data/{}/{}.txt", word(random), random.below(10_000)),
            ),
            "n" => push(&mut out, format_args!("{}", random.between(1, 9_999))),
            "field" => out.push_str(random.pick::<&str>(&FIELDS)),
            "tool" => out.push_str(tool),
            "word" => out.push_str(word(random)),
            "url" => out.push_str(&url(random)),
            "prose" => out.push_str(&phrase(random)),
            _ => out.push('$'),
        }
        out.push_str(&part[slot.len()..]);
    }
    out
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_filled() {
        let mut random = Random::new(1, 0, 0);
        let texts = ERRORS.iter().chain(HIDDEN).chain(PROTOCOL.iter().map(|(_, text)| text));
        for template in texts {
            let text = fill(&mut random, template, "get_user");
            assert!(!text.contains('$'), "{text}");
        }
    }

    #[test]
    fn text_has_about_the_length_asked_for() {
        let text = text(&mut Random::new(1, 0, 0), 2_000);
        assert!((2_000..2_050).contains(&text.len()), "{}", text.len());
    }
}
