//! Secrets planted in every field of recordings, in twenty spellings, come out of no command.

use crate::harness::{good, lines};
use crate::report_formats::{FORMATS, Scene};
use crate::secrets::{Leaks, Secret, percent, secrets};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use regex::{Captures, Regex};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// The ways in which a text may be written and still be read.
fn spellings(secret: &Secret) -> Vec<(&'static str, String)> {
    let whole = secret.whole.as_str();
    let each = |spell: &dyn Fn(char) -> String| whole.chars().map(spell).collect::<String>();
    let at = whole.find(&secret.random).expect("a part") + 5;
    let with = |hidden: &str| format!("{}{hidden}{}", &whole[..at], &whole[at..]);
    let nested = json!({ "a": whole }).to_string();
    let twice = json!({ "a": nested }).to_string();
    vec![
        ("plain", whole.to_owned()),
        ("quoted", format!("'{whole}'")),
        ("backticks", format!("`{whole}`")),
        ("brackets", format!("[{whole}]")),
        ("tabs", format!("\t{whole}\t")),
        ("lines", format!("body:\r\n{whole}\r\nend")),
        ("nested JSON", nested),
        ("JSON nested twice", twice),
        ("escapes of JSON", each(&|c| format!("\\u{:04x}", u32::from(c)))),
        ("escapes in braces", each(&|c| format!("\\u{{{:x}}}", u32::from(c)))),
        ("escapes of bytes", each(&|c| format!("\\x{:02x}", u32::from(c)))),
        ("address", percent(whole)),
        ("address twice", percent(&percent(whole))),
        ("JSON pointer", format!("/{}", whole.replace('~', "~0").replace('/', "~1"))),
        ("entities", each(&|c| format!("&#{};", u32::from(c)))),
        ("entities in hex", each(&|c| format!("&#x{:x};", u32::from(c)))),
        ("colours", with("\u{1b}[31m")),
        ("characters without width", with("\u{200b}\u{2060}")),
        ("reversed writing", with("\u{202e}")),
        ("base64", STANDARD.encode(whole)),
        ("base64 of addresses", URL_SAFE_NO_PAD.encode(format!("see {whole}"))),
    ]
}

fn call(id: &str, more: &Value) -> String {
    let mut call = json!({
        "id": id, "server": format!("shop {}", id.len() % 7), "tool": "sell", "session": "s1", "input": { "of": 1 },
        "response": { "isError": true, "content": [{ "type": "text", "text": "not found" }] },
    });
    for (name, value) in more.as_object().expect("members") {
        call[name] = value.clone();
    }
    call.to_string()
}

fn failing(text: &str) -> Value {
    json!({ "isError": true, "content": [{ "type": "text", "text": text }] })
}

/// A recording with a secret in every field, and in the text of a reply in every spelling.
fn recording(secret: &Secret, number: usize) -> Vec<String> {
    let whole = secret.whole.as_str();
    let schema = json!({ "type": "object", "properties": { whole: { "const": whole } },
        "required": [whole, "missing"] });
    let tool = |text: &str| json!({ "name": "sell", "description": text, "outputSchema": schema });
    let fields = [
        ("server", json!({ "server": whole })),
        ("tool", json!({ "tool": whole })),
        ("session", json!({ "session": whole })),
        ("scenario", json!({ "scenario": whole })),
        ("label", json!({ "label": whole })),
        ("time", json!({ "recorded_at": whole })),
        ("argument", json!({ "input": { whole: whole } })),
        (
            "structured",
            json!({ "tool_definition": tool(whole),
            "response": { "structuredContent": { whole: whole }, "content": [] } }),
        ),
        ("kind", json!({ "response": { "content": [{ "type": whole, "text": 7 }] } })),
        (
            "error",
            json!({ "response": { "error": { "code": whole, "message": whole, "data": whole } } }),
        ),
        (
            "hidden",
            json!({ "response": { "content": [{ "type": "text",
            "text": format!("Error: {whole} failed") }] } }),
        ),
    ];
    let mut recording: Vec<String> =
        fields.iter().map(|(field, value)| call(&format!("{field}-{number}"), value)).collect();
    recording.push(call(whole, &json!({})));
    for (at, (_, spelled)) in spellings(secret).into_iter().enumerate() {
        let response = failing(&format!("Request failed: {spelled} was not found"));
        recording.push(call(&format!("way-{number}-{at}"), &json!({ "response": response })));
    }
    recording.push(format!("no JSON {whole}"));
    recording.push(format!("{{\"half\": \"{} {whole}", "x".repeat(160)));
    recording
}

/// What a text says to whoever undoes how it was written.
fn undone(text: &str) -> String {
    let code = Regex::new(
        r"\\+(?:u\{?|x)([0-9a-fA-F]{2,4})\}?|%([0-9A-F]{2})|&#(?:x([0-9a-f]+)|([0-9]+));",
    )
    .expect("a pattern");
    let hidden =
        Regex::new("\u{1b}\\[[0-9;]*m|[\u{1b}\u{200b}\u{2060}\u{202e}]").expect("a pattern");
    let mut text = text.to_owned();
    for _ in 0..3 {
        text = code
            .replace_all(&text, |found: &Captures<'_>| {
                let hex = [1, 2, 3].into_iter().find_map(|group| found.get(group));
                let number = match (hex, found.get(4)) {
                    (Some(hex), _) => u32::from_str_radix(hex.as_str(), 16).ok(),
                    (None, Some(decimal)) => decimal.as_str().parse().ok(),
                    (None, None) => None,
                };
                number.and_then(char::from_u32).map(String::from).unwrap_or_default()
            })
            .into_owned();
        text = hidden.replace_all(&text, "").into_owned();
    }
    text
}

#[test]
fn no_secret_comes_out_of_any_command() {
    let scene = Scene::new();
    let all = secrets().into_iter().enumerate();
    let secrets: Vec<Secret> =
        all.filter(|(at, _)| at % 3 != 2).map(|(_, secret)| secret).collect();
    assert!(secrets.len() >= 60, "{}", secrets.len());
    let leaks = Leaks::of(&secrets);
    for (number, secret) in secrets.iter().enumerate() {
        let name: String = secret.whole.replace('/', "_").chars().take(200).collect();
        let mut text = recording(secret, number);
        text.extend((0..6).map(|at| call(&format!("equal-{number}-{at}"), &json!({}))));
        scene.file(&format!("recordings/{name} of.jsonl"), &lines(&text));
    }
    scene.file("recordings/more.jsonl", &lines(&[good("one more")]));
    let tools =
        secrets.iter().map(|Secret { whole, .. }| json!({ "name": whole, "description": whole }));
    let tools = json!({ "tools": tools.collect::<Vec<_>>() });
    scene.file("recordings/tools.json", &tools.to_string());
    scene.file(
        "mine.toml",
        "name = \"mine\"\nextends = \"guide\"\n[lists.business_patterns]\nremove = [\"not found\"]\n",
    );
    let verdicts = scene.ask(&[
        "run",
        "recordings",
        "--stdout",
        "jsonl",
        "--out",
        "run",
        "--history",
        "nights",
    ]);
    let judged: Vec<Value> =
        verdicts.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let key = |call: &&Value| call["key"].as_str().expect("a key").to_owned();
    let keys: Vec<String> = judged.iter().map(|call| key(&call)).collect();
    let errors: BTreeSet<String> =
        judged.iter().filter(|call| call["is_error"] == true).map(|call| key(&call)).collect();
    let errors: Vec<String> = errors.into_iter().collect();
    assert!(keys.len() > 1000, "{} calls were judged: {}", keys.len(), verdicts.err);
    let mut told = vec![("run --stdout".to_owned(), verdicts)];
    let open = ["run", "recordings", "--quiet", "--config=redact=none", "--out", "open"];
    scene.ask(&open).ended_with(0);
    let mut ask = |arguments: &[&str]| {
        let ran = scene.ask(arguments);
        told.push((arguments.join(" "), ran));
    };
    ask(&[
        "run",
        "recordings",
        "--verbose",
        "--rulebook",
        "mine.toml",
        "--out",
        "mine",
        "--night",
        "2026-11-20",
        "--history",
        "nights",
    ]);
    ask(&["show", "run", "--verbose"]);
    ask(&["show", "run", "--failed", "--top", "2000"]);
    ask(&["show", "run", "--report", "error_s1_undated.txt"]);
    for format in FORMATS {
        let to = format!("{format}=shown.{format}");
        ask(&["show", "run", "--against", "mine", "--format", &to]);
    }
    for format in ["text", "md", "json"] {
        ask(&["diff", "run", "mine", "--top", "500", "--out", "differences", "--format", format]);
        ask(&["diff", "mine", "--set", "decide.mcp_code.return=false", "--format", format]);
        ask(&["gate", "mine", "--baseline", "run", "--format", format]);
    }
    ask(&["diff", "recordings", "--rulebook", "mine.toml", "--top", "500"]);
    for format in ["github", "junit", "sarif"] {
        ask(&["gate", "mine", "--baseline", "run", "--format", format]);
    }
    for key in keys.iter().step_by(23) {
        ask(&["explain", key, "run", "recordings", "--verbose"]);
    }
    let labelled: Vec<String> = errors
        .iter()
        .zip(["business_logic", "tool_failure"].into_iter().cycle())
        .map(|(key, label)| json!({ "key": key, "label": label }).to_string())
        .collect();
    scene.file("labels.jsonl", &lines(&labelled[20..]));
    let add = ["--equal", "20", "--labels", "labels.jsonl", "--replace"];
    ask(&[&["label", "add", "run", &errors[0], "tool_failure"], &add[..]].concat());
    ask(&["label", "next", "run", "--top", "300", "--labels", "labels.jsonl"]);
    ask(&["check", "labels.jsonl", "--on", "run"]);
    for format in ["text", "json"] {
        ask(&[
            "stats",
            "run",
            "--labels",
            "labels.jsonl",
            "--show",
            "mistakes,scores,servers,patterns",
            "--top",
            "300",
            "--out",
            "numbers",
            "--format",
            format,
        ]);
        ask(&[
            "tune",
            "run",
            "--labels",
            "labels.jsonl",
            "--write",
            &format!("tuned-{format}.toml"),
            "--force",
            "--format",
            format,
        ]);
        ask(&["trend", "nights", "--by", "tool", "--format", format, "--out", "series"]);
        ask(&["check", "recordings", "--advice", "--top", "500", "--format", format]);
    }
    ask(&["infer", "recordings"]);
    let review = ["review", "recordings", "--baseline", "baselines", "--rulebook", "guide"];
    ask(&[&review[..], &["--all"]].concat());
    let more: Vec<String> = secrets
        .iter()
        .map(|secret| call(&secret.whole, &json!({ "tool": secret.whole })))
        .collect();
    scene.file("recordings/more.jsonl", &lines(&more));
    ask(&[&review[..], &["--list"]].concat());
    ask(&[&review[..], &["--accept", "all"]].concat());
    ask(&["list", "baselines"]);
    ask(&["trend", "nights", "--list"]);
    let failed = told.iter().filter(|(_, ran)| !matches!(ran.code, Some(0 | 1)));
    let failed: Vec<(&str, &str)> =
        failed.map(|(what, ran)| (what.as_str(), ran.err.as_str())).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let shown = scene.ask(&["show", "open", "--format", "json", "--config=redact=none"]);
    assert!(!leaks.within(&shown.out).is_empty(), "without rules they are shown");
    let mut found = String::new();
    let mut look = |what: &str, text: &str| {
        for form in [text.to_owned(), undone(text)] {
            for secret in leaks.within(&form) {
                let _ = writeln!(found, "{what}: {secret}");
            }
        }
    };
    for (what, ran) in &told {
        look(what, &ran.out);
        look(what, &ran.err);
    }
    let mut folders = vec![scene.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if path.is_dir() && name != "recordings" && name != "open" {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                look(&Path::new(&name).to_string_lossy(), &String::from_utf8_lossy(&bytes));
            }
        }
    }
    assert!(found.is_empty(), "{found}");
}
