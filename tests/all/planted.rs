//! Secrets planted in every field of recordings and of files of programs, in many spellings, come out of no
//! command.

use crate::harness::{Ran, lines};
use crate::programs::{calls_listed, sample_files};
use crate::report_formats::{FORMATS, Scene};
use crate::secrets::{Leaks, Secret, percent, secrets};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use regex::{Captures, Regex};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tapecheck::internals::store::TableReader;

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
        ("a variable of a shell", format!("export DATA='{whole}'")),
        ("YAML", format!("data:\n  - \"{}\"\n", whole.replace('"', "\\\""))),
        ("TOML", format!("data = {}\n", toml::Value::from(whole))),
        ("header", format!("X-Data: {whole}\r\nHost: a.example.com")),
        ("connection string", format!("Server=db;Data={whole};Timeout=5")),
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
        ("base64 of escapes", STANDARD.encode(percent(whole))),
        ("base64 twice", STANDARD.encode(STANDARD.encode(whole))),
        ("hex", hex(whole)),
        ("hex in capitals", hex(whole).to_uppercase()),
    ]
}

fn hex(text: &str) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).expect("a digit");
    text.bytes().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
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
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        let code =
            r"\\+(?:u\{?|x)([0-9a-fA-F]{2,4})\}?|%([0-9A-F]{2})|&#(?:x([0-9a-f]+)|([0-9]+));";
        Regex::new(code).expect("a pattern")
    });
    static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("\u{1b}\\[[0-9;]*m|[\u{1b}\u{200b}\u{2060}\u{202e}]").expect("a pattern")
    });
    let mut text = text.to_owned();
    for _ in 0..3 {
        text = CODE
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
        text = HIDDEN.replace_all(&text, "").into_owned();
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
        for file in files_below(self.scene.root()) {
            let name = file.strip_prefix(self.scene.root()).expect("below").to_string_lossy();
            if !["recordings", "sources", "open"].iter().any(|given| name.starts_with(given)) {
                look("a name", &name);
                content(&file, |text| look(&name, text));
            }
        }
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.expect("an entry"));
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// The texts in a file, unpacked.
fn content(file: &Path, mut look: impl FnMut(&str)) {
    let bytes = fs::read(file).expect("a file");
    look(&String::from_utf8_lossy(&bytes));
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("zst") => {
            let unpacked = zstd::decode_all(&*bytes).expect("packed");
            look(&String::from_utf8_lossy(&unpacked));
        }
        Some("gz") => {
            let mut unpacked = Vec::new();
            flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut unpacked).expect("packed");
            look(&String::from_utf8_lossy(&unpacked));
        }
        Some("parquet") => {
            let mut table = TableReader::open_file(file).expect("a table");
            let columns: Vec<String> = table.columns().into_iter().map(str::to_owned).collect();
            for group in 0..table.groups() {
                for column in &columns {
                    // Those of numbers hold no texts.
                    if let Ok(texts) = table.texts(group, column) {
                        texts.texts.iter().for_each(&mut look);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The samples of what programs write, with secrets in the arguments and replies of calls, and in the names
/// of folders.
fn plant_in_sources(scene: &Scene, secrets: &[Secret]) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plain = |secret: &&Secret| {
        secret.whole.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.~".contains(&byte))
    };
    let mut secrets = secrets.iter().filter(plain).cycle();
    let mut next = || secrets.next().expect("there are some").whole.as_str();
    for (format, file) in sample_files() {
        let Ok(mut text) = fs::read_to_string(&file) else { continue };
        let folder = home.join("corpus/formats").join(format);
        let calls = calls_listed(&folder, format);
        let mut words = BTreeSet::new();
        for call in &calls {
            words.extend(call["text_head"].as_str());
            let input = call["input"].as_object().into_iter().flat_map(|input| input.values());
            words.extend(input.filter_map(Value::as_str));
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " ,.:-".contains(c);
        for word in words {
            let end = word.find(|c| !is_plain(c)).unwrap_or(word.len());
            let word = word[..end].trim_end();
            if word.len() >= 6 {
                text = text.replace(word, &format!("{word} {}", next()));
            }
        }
        let below = file.strip_prefix(&folder).expect("below");
        let named = format!("sources/{} of {format}/{}", next(), below.to_string_lossy());
        scene.file(&named, &text);
    }
}

/// Reads what programs wrote, and turns it into recordings.
fn ask_about_sources(asked: &mut Asked) {
    asked.ask("run sources --verbose --stdout jsonl --out of-programs");
    asked.ask("show of-programs --filter errors --top 500");
    asked.ask("import sources --out imported");
    let imported = asked.scene.root().join("imported");
    let mut masked = BTreeSet::new();
    for file in files_below(&imported) {
        let format = file.strip_prefix(&imported).expect("below").iter().next();
        content(&file, |text| {
            if text.contains("[token ") && text.contains(r#""masked_by":"builtin""#) {
                masked.extend(format.map(|format| format.to_string_lossy().into_owned()));
            }
        });
    }
    assert!(masked.len() >= 20, "few formats have something to mask: {masked:?}");
    asked.ask("run imported --out of-imported");
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
    asked.ask("show run --filter failed --top 2000");
    asked.ask("show run --report error_s1_undated.txt");
    for format in FORMATS {
        asked.ask(&format!("show run --baseline mine --format {format}=shown.{format}"));
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
    for part in 1..=2 {
        asked.ask(&format!("run recordings --quiet --part {part}/2 --out part-{part}"));
    }
    asked.ask("merge part-1 part-2 --out merged");
}

/// Has recordings read again in every way.
fn ask_about_recordings(asked: &mut Asked, secrets: &[Secret]) {
    asked.ask("diff recordings --rulebook mine.toml --top 500");
    asked.ask("label next run --top 300 --labels labels.jsonl");
    asked.ask("check labels.jsonl --on run");
    for format in ["text", "json"] {
        let to = format!("--labels labels.jsonl --format {format}");
        asked.ask(&format!(
            "stats run --show mistakes,servers,patterns --top 300 --out numbers {to}"
        ));
        asked.ask(&format!("tune run --write tuned-{format}.toml --yes {to}"));
        asked.ask(&format!("check recordings --verbose --top 500 --format {format}"));
    }
    let secret = toml::Value::from(secrets[0].whole.as_str());
    asked.scene.file(
        "sources.toml",
        &format!(
            "name = \"planted\"\n[tools.sell.input.properties]\n{secret} = {{ type = \"string\", enum = [{secret}], required = true }}\n\
             of = {{ type = \"string\", maxLength = 3 }}\n"
        ),
    );
    asked.ask("run recordings --contract sources.toml --stdout jsonl --out with-contract");
    asked.ask("check sources.toml --on recordings");
    for wrong in ["show run --filter server=nobody", "explain 0 run", "show run --report nothing"] {
        let ran = asked.scene.ask(&wrong.split(' ').collect::<Vec<_>>()).ended_with(2);
        asked.told.push((wrong.to_owned(), ran));
    }
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
    let labels = ["refused", "failed"].into_iter().cycle();
    let label = |(key, label): (&String, &str)| json!({ "key": key, "label": label }).to_string();
    let labelled: Vec<String> = errors.iter().zip(labels).map(label).collect();
    asked.scene.file("labels.jsonl", &lines(&labelled[20..]));
    let add = format!("label add run {} failed --yes", errors[0]);
    asked.ask(&format!("{add} --labels labels.jsonl"));
    ask_about_runs(&mut asked);
    for call in judged.iter().step_by(37) {
        asked.ask(&format!("explain {} run recordings --verbose", key(call)));
        asked.ask(&format!("show run --report {}", key(call)));
    }
    ask_about_recordings(&mut asked, &secrets);
    plant_in_sources(&asked.scene, &secrets);
    ask_about_sources(&mut asked);
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
    let mut in_table = 0;
    content(&asked.scene.root().join("open/verdicts.parquet"), |text| {
        in_table += leaks.within(text).len();
    });
    assert!(in_table > 0, "without rules they are in the table");
    let shown = asked.scene.ask(&["show", "open", "--format", "json", "--config=redact=none"]);
    assert!(!leaks.within(&shown.out).is_empty(), "without rules they are shown");
}
