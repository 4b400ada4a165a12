//! Secrets in recordings come into no report, wherever and however they were written.

use crate::harness::{good, lines};
use crate::report_formats::{FORMATS, Scene};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// How keys and tokens of known issuers begin, of which characters the rest is, and how long it is.
const ISSUERS: [(&str, &[u8], usize); 42] = [
    ("sk-proj-", ANY, 40),
    ("sk-ant-api03-", ANY, 40),
    ("sk-or-v1-", HEX, 64),
    ("sk_live_", ANY, 24),
    ("rk_test_", ANY, 24),
    ("ghp_", ANY, 36),
    ("gho_", ANY, 36),
    ("ghs_", ANY, 36),
    ("github_pat_", ANY, 59),
    ("glpat-", ANY, 20),
    ("glsa_", ANY, 32),
    ("xoxb-", ANY, 40),
    ("xapp-1-", ANY, 40),
    ("AKIA", UPPER, 16),
    ("ASIA", UPPER, 16),
    ("AIza", ANY, 35),
    ("ya29.", ANY, 40),
    ("GOCSPX-", ANY, 28),
    ("SG.", ANY, 22),
    ("hf_", ANY, 34),
    ("npm_", ANY, 36),
    ("pypi-", ANY, 60),
    ("dop_v1_", HEX, 64),
    ("dckr_pat_", ANY, 27),
    ("shpat_", HEX, 32),
    ("lin_api_", ANY, 40),
    ("ntn_", ANY, 43),
    ("tvly-", ANY, 32),
    ("pplx-", ANY, 48),
    ("gsk_", ANY, 52),
    ("xai-", ANY, 80),
    ("r8_", ANY, 37),
    ("fc-", HEX, 32),
    ("whsec_", ANY, 32),
    ("figd_", ANY, 40),
    ("dapi", HEX, 32),
    ("PMAK-", HEX, 24),
    ("hvs.", ANY, 90),
    ("ATATT3", ANY, 60),
    ("eyJhbGciOiJIUzI1NiJ9.", ANY, 60),
    ("-----BEGIN RSA PRIVATE KEY-----", ANY, 64),
    ("https://hooks.slack.com/services/T0/B0/", ANY, 24),
];
const ANY: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const UPPER: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const HEX: &[u8] = b"0123456789abcdef";

/// A secret, and the part of it that nobody could guess.
struct Secret {
    whole: String,
    random: String,
}

fn secrets() -> Vec<Secret> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = move |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % most
    };
    let mut text = move |alphabet: &[u8], length: usize| -> String {
        // A digit early on: real ones have some.
        let mut bytes: Vec<u8> = (0..length).map(|_| alphabet[below(alphabet.len())]).collect();
        bytes[3] = b'7';
        bytes.into_iter().map(char::from).collect()
    };
    let mut all: Vec<Secret> = ISSUERS
        .iter()
        .map(|(prefix, alphabet, length)| {
            let random = text(alphabet, *length);
            Secret { whole: format!("{prefix}{random}"), random }
        })
        .collect();
    // What has no form of its own is told by what stands beside it.
    for (before, after) in [
        ("Authorization: Bearer ", ""),
        ("{\"password\": \"", "\"}"),
        ("api_key=", ""),
        ("postgres://app:", "@db.example.com/x"),
        ("https://a.example/c?access_token=", "&x=1"),
        ("Cookie: sid=", "; theme=dark"),
        ("mail ", "@example.com"),
    ] {
        let random = text(ANY, 24);
        all.push(Secret { whole: format!("{before}{random}{after}"), random });
    }
    all
}

fn exchange(id: &str, server: &str, tool: &str, text: &Value) -> String {
    json!({
        "id": id, "server": server, "tool": tool, "input": { "of": id },
        "response": { "isError": true, "content": [{ "type": "text", "text": text }] },
    })
    .to_string()
}

/// A text that reads as itself once it is undone.
fn percent(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn hidden(secret: &Secret) -> String {
    let at = secret.whole.find(&secret.random).expect("a part") + 5;
    format!(
        "{}\u{200b}{}\u{202e}{}",
        &secret.whole[..at],
        &secret.whole[at..at + 4],
        &secret.whole[at + 4..]
    )
}

/// All ways of a secret into a recording.
fn tape(secret: &Secret, number: usize) -> Vec<String> {
    let whole = secret.whole.as_str();
    let id = |way: &str| format!("{way}-{number}");
    let nested = json!({ "a": json!({ "b": format!("failed: {whole}") }).to_string() }).to_string();
    let mut tape = vec![
        exchange(
            &id("plain"),
            "shop",
            "sell",
            &format!("Request failed: {whole} was not found").into(),
        ),
        exchange(&id("nested"), "shop", "sell", &format!("error: {nested}").into()),
        exchange(
            &id("percent"),
            "shop",
            "sell",
            &format!("GET /{} not found", percent(whole)).into(),
        ),
        exchange(
            &id("hidden"),
            "shop",
            "sell",
            &format!("no such key: {} here", hidden(secret)).into(),
        ),
        exchange(&id("tool"), "shop", &format!("tool {whole}"), &"connect ECONNREFUSED".into()),
        exchange(&id("server"), &format!("server {whole}"), "sell", &"connect ECONNREFUSED".into()),
        exchange(whole, "shop", "sell", &"not found".into()),
        // What is judged against a shape is quoted in messages.
        json!({ "id": id("shape"), "server": "shop", "tool": "sell", "input": { "of": whole },
            "response": { "content": [{ "type": whole, "text": 7 }], "isError": whole } })
        .to_string(),
    ];
    for before in [520, 560, 575, 585, 590, 595, 600] {
        let filler = "word ".repeat(before / 5);
        let text = format!("not found: {filler}{whole} {}", "tail ".repeat(40));
        tape.push(exchange(&id(&format!("cut-{before}")), "shop", "sell", &text.into()));
    }
    tape
}

/// The parts of secrets, so long that nobody writes them by chance, that are in a text.
fn leaks<'s>(secrets: &'s [Secret], text: &str) -> Vec<&'s str> {
    const TELLING: usize = 9;
    let text = text.to_lowercase();
    let leaks = |secret: &&Secret| {
        let random = secret.random.to_lowercase();
        (0..=random.len() - TELLING).any(|at| text.contains(&random[at..at + TELLING]))
    };
    secrets.iter().filter(leaks).map(|secret| secret.whole.as_str()).collect()
}

#[test]
fn no_secret_comes_into_a_report() {
    let scene = Scene::new();
    let secrets = secrets();
    for (number, secret) in secrets.iter().enumerate() {
        let name = secret.whole.replace('/', "_");
        let name: String = name.chars().take(200).collect();
        scene.file(&format!("tapes/{name} of.jsonl"), &lines(&tape(secret, number)));
    }
    scene.judge(Path::new("tapes"), "run");
    scene.file("tapes/more.jsonl", &lines(&[good("one more")]));
    scene.judge(Path::new("tapes"), "before");
    // The rulebook differs too, so that there is something to compare.
    let changed =
        ["run", "tapes", "--quiet", "--no-cache", "--rulebook", "calibrated", "--out", "after"];
    scene.ask(&changed).ended_with(0);
    for format in FORMATS {
        let mut could_be_shown = false;
        for (run, more) in [("run", &[][..]), ("after", &["--against", "before"][..])] {
            let text = scene.report(run, format, more);
            let leaks = leaks(&secrets, &text);
            let shown = scene.report(run, format, &[more, &["--redact", "none"]].concat());
            if let Ok(keep) = std::env::var("TAPECHECK_KEEP") {
                let _ = fs::write(format!("{keep}/{run}.{format}"), &text);
            }
            assert!(
                leaks.is_empty(),
                "{format} of {run} shows {} secrets: {leaks:#?}",
                leaks.len()
            );
            could_be_shown |= !self::leaks(&secrets, &shown).is_empty();
        }
        assert!(could_be_shown, "{format} would have shown none anyway");
    }
}

#[test]
fn rules_are_added_and_their_mistakes_all_told() {
    let scene = Scene::new();
    let text = "ticket T-1234 of jane.doe@example.com not found".into();
    scene.file("tapes/a.jsonl", &lines(&[exchange("one", "T-1234", "sell", &text)]));
    scene.judge(Path::new("tapes"), "run");
    scene.file(
        "mine.toml",
        "[[rule]]\nname = \"ticket\"\nabout = \"Tickets.\"\nshown = \"ticket\"\npattern = 'T-[0-9]{4}'\n\
         masks = [\"see <<T-1234>>\"]\n",
    );
    let shown = |more: &[&str]| {
        let page = scene.report("run", "html", more);
        (page.contains("T-1234"), page.contains("jane.doe@"))
    };
    assert_eq!(shown(&[]), (true, false));
    assert_eq!(shown(&["--redact", "builtin"]), (true, false));
    assert_eq!(shown(&["--redact", "none"]), (true, true));
    assert_eq!(shown(&["--redact", "mine.toml"]), (false, false));
    assert_eq!(shown(&["--redact", "none", "--redact", "mine.toml"]), (false, true));
    let run = ["run", "tapes", "--quiet", "--no-cache", "--redact", "mine.toml", "--out", "masked"];
    scene.ask(&run).ended_with(0);
    scene.file("wrong.toml", "[[rule]]\nname = \"a\"\nshown = \"two words\"\npattern = '('\n");
    scene.file(
        "worse.toml",
        "[[rule]]\nname = \"b\"\nabout = \"b\"\nshown = \"b\"\npattern = 'x*'\n",
    );
    for verb in [&["report", "run"][..], &["run", "tapes", "--out", "other"][..]] {
        let files = ["--redact", "wrong.toml", "--redact", "worse.toml"];
        let ran = scene.ask(&[verb, &files].concat()).ended_with(2);
        for told in ["wrong.toml:3:", "wrong.toml:4:", "`about`", "worse.toml:5:"] {
            assert!(ran.err.contains(told), "{told} is not in:\n{}", ran.err);
        }
    }
    scene
        .ask(&["report", "run", "--redact", "absent.toml"])
        .ended_with(2)
        .complaining("absent.toml");
    let both = ["report", "run", "--redact", "none", "--redact", "builtin"];
    scene.ask(&both).ended_with(2);
}
