//! Secrets planted in every field of recordings, in twenty spellings, come out of no command.

use crate::harness::{Ran, lines};
use crate::report_formats::{FORMATS, Scene};
use crate::secrets::{Leaks, Secret, percent, secrets};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use regex::{Captures, Regex};
use serde_json::{Value, json};
use std::collections::BTreeSet;

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

/// What commands said.
struct Asked {
    scene: Scene,
    told: Vec<(String, Ran)>,
}

impl Asked {
    fn ask(&mut self, line: &str) {
        let ran = self.scene.ask(&line.split(' ').collect::<Vec<_>>());
        assert!(matches!(ran.code, Some(0 | 1)), "{line}: {}", ran.err);
        self.told.push((line.to_owned(), ran));
    }

    /// Everything that was said, and every file that was written.
    fn each(&self, mut look: impl FnMut(&str, &str)) {
        for (line, ran) in &self.told {
            look(line, &ran.out);
            look(line, &ran.err);
        }
        let mut folders = vec![self.scene.root().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                if path.is_dir() && name != "recordings" && name != "open" {
                    folders.push(path);
                } else if let Ok(bytes) = std::fs::read(&path) {
                    look(&name.to_string_lossy(), &String::from_utf8_lossy(&bytes));
                }
            }
        }
    }
}

fn plant(scene: &Scene, secrets: &[Secret]) {
    for (number, secret) in secrets.iter().enumerate() {
        let name: String = secret.whole.replace('/', "_").chars().take(200).collect();
        let mut text = recording(secret, number);
        text.extend((0..6).map(|at| call(&format!("equal-{number}-{at}"), &json!({}))));
        scene.file(&format!("recordings/{name} of.jsonl"), &lines(&text));
    }
    let tool = |Secret { whole, .. }: &Secret| json!({ "name": whole, "description": whole });
    let tools: Vec<Value> = secrets.iter().map(tool).collect();
    scene.file("recordings/tools.json", &json!({ "tools": tools }).to_string());
    scene.file(
        "mine.toml",
        "name = \"mine\"\nextends = \"guide\"\n[lists.business_patterns]\nremove = [\"not found\"]\n",
    );
}

/// Reads what a run wrote in every way.
fn ask_about_runs(asked: &mut Asked) {
    asked.ask("run recordings --verbose --rulebook mine.toml --out mine --night 2026-11-20 --history nights");
    asked.ask("show run --verbose");
    asked.ask("show run --failed --top 2000");
    asked.ask("show run --report error_s1_undated.txt");
    for format in FORMATS {
        asked.ask(&format!("show run --against mine --format {format}=shown.{format}"));
    }
    for format in ["text", "md", "json"] {
        asked.ask(&format!("diff run mine --top 500 --out differences --format {format}"));
        asked.ask(&format!("diff mine --set decide.mcp_code.return=false --format {format}"));
    }
    for format in ["text", "md", "json", "github", "junit", "sarif"] {
        asked.ask(&format!("gate mine --baseline run --format {format}"));
    }
    for format in ["text", "json"] {
        asked.ask(&format!("trend nights --by tool --format {format} --out series"));
    }
    asked.ask("trend nights --list");
}

/// Has recordings read again in every way.
fn ask_about_recordings(asked: &mut Asked, secrets: &[Secret]) {
    asked.ask("diff recordings --rulebook mine.toml --top 500");
    asked.ask("label next run --top 300 --labels labels.jsonl");
    asked.ask("check labels.jsonl --on run");
    for format in ["text", "json"] {
        let to = format!("--labels labels.jsonl --format {format}");
        asked.ask(&format!(
            "stats run --show mistakes,scores,servers,patterns --top 300 --out numbers {to}"
        ));
        asked.ask(&format!("tune run --write tuned-{format}.toml --force {to}"));
        asked.ask(&format!("check recordings --advice --top 500 --format {format}"));
    }
    asked.ask("infer recordings");
    let review = "review recordings --baseline baselines --rulebook guide";
    asked.ask(&format!("{review} --all"));
    let more = |secret: &Secret| call(&secret.whole, &json!({ "tool": secret.whole }));
    let more: Vec<String> = secrets.iter().map(more).collect();
    asked.scene.file("recordings/more.jsonl", &lines(&more));
    asked.ask(&format!("{review} --list"));
    asked.ask(&format!("{review} --accept all"));
    asked.ask("list baselines");
}

#[test]
fn no_secret_comes_out_of_any_command() {
    let all = secrets().into_iter().enumerate();
    let secrets: Vec<Secret> =
        all.filter(|(at, _)| at % 3 != 2).map(|(_, secret)| secret).collect();
    assert!(secrets.len() >= 60, "{}", secrets.len());
    let leaks = Leaks::of(&secrets);
    let mut asked = Asked { scene: Scene::new(), told: Vec::new() };
    plant(&asked.scene, &secrets);
    asked.ask("run recordings --stdout jsonl --out run --history nights");
    let lines_of_run = asked.told[0].1.out.lines();
    let judged: Vec<Value> =
        lines_of_run.filter_map(|line| serde_json::from_str(line).ok()).collect();
    let key = |call: &Value| call["key"].as_str().expect("a key").to_owned();
    let errors: BTreeSet<String> =
        judged.iter().filter(|call| call["is_error"] == true).map(key).collect();
    let errors: Vec<String> = errors.into_iter().collect();
    assert!(judged.len() > 2000 && errors.len() > 1000, "{} calls", judged.len());
    let labels = ["business_logic", "tool_failure"].into_iter().cycle();
    let label = |(key, label): (&String, &str)| json!({ "key": key, "label": label }).to_string();
    let labelled: Vec<String> = errors.iter().zip(labels).map(label).collect();
    asked.scene.file("labels.jsonl", &lines(&labelled[20..]));
    let add = format!("label add run {} tool_failure --equal 20 --replace", errors[0]);
    asked.ask(&format!("{add} --labels labels.jsonl"));
    ask_about_runs(&mut asked);
    for call in judged.iter().step_by(37) {
        asked.ask(&format!("explain {} run recordings --verbose", key(call)));
        asked.ask(&format!("show run --report {}", key(call)));
    }
    ask_about_recordings(&mut asked, &secrets);
    let mut found = BTreeSet::new();
    asked.each(|what, text| {
        for form in [text.to_owned(), undone(text)] {
            let here = leaks.within(&form).into_iter();
            found.extend(here.map(|secret| format!("{what}: {secret}")));
        }
    });
    assert!(found.is_empty(), "{found:#?}");
    let open = ["run", "recordings", "--quiet", "--config=redact=none", "--out", "open"];
    asked.scene.ask(&open).ended_with(0);
    let shown = asked.scene.ask(&["show", "open", "--format", "json", "--config=redact=none"]);
    assert!(!leaks.within(&shown.out).is_empty(), "without rules they are shown");
}
