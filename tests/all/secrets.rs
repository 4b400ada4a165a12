//! Secrets in recordings come into no report, wherever and however they were written.

use crate::harness::{good, lines};
use crate::report_formats::{FORMATS, Scene};
use crate::support::corpus;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use tapecheck::internals::check::{input_text, judged_text};
use tapecheck::internals::redact::Redactor;
use tapecheck::{Bounds, CorpusReader, Input, Reply, Rulebook, for_each_exchange};

/// How keys and tokens of known issuers begin, of which characters the rest is, and how long it is.
const ISSUERS: [(&str, &[u8], usize); 57] = [
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
    ("gloas-", HEX, 64),
    ("glc_", ANY, 60),
    ("HRKU-", ANY, 36),
    ("ATCTT3", ANY, 60),
    ("ATBB", ANY, 32),
    ("nvapi-", ANY, 64),
    ("pcsk_", ANY, 60),
    ("pscale_tkn_", ANY, 43),
    ("napi_", ANY, 48),
    ("vercel_blob_rw_", ANY, 40),
    ("tskey-auth-", ANY, 32),
    ("ops_eyJ", ANY, 60),
    ("cio", ANY, 32),
    ("Ab18Q~", ANY, 34),
    ("LTAI", ANY, 20),
];
const ANY: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const UPPER: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const HEX: &[u8] = b"0123456789abcdef";

/// A secret, and the part of it that nobody could guess.
pub(crate) struct Secret {
    pub(crate) whole: String,
    pub(crate) random: String,
}

pub(crate) fn secrets() -> Vec<Secret> {
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
        ("{\"headers\": {\"Authorization\": [\"Basic ", "\"]}}"),
        ("{\"name\": \"X-Api-Key\", \"value\": \"", "\"}"),
        ("[[\"Cookie\", \"session=", "\"]]"),
        ("https://", "@o1.ingest.sentry.example.com/7"),
        ("mongodb+srv://app:", "@c0.example.net/shop?w=majority"),
        ("jdbc:oracle:thin:scott/", "@//db.example.com:1521/x"),
        ("Server=tcp:db,1433;User ID=sa;Password=", ";Encrypt=True"),
        ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", "==;EndpointSuffix=b"),
        ("aws_secret_access_key = ", ""),
        ("{\"SessionToken\": \"", "\"}"),
        ("Ocp-Apim-Subscription-Key: ", ""),
        ("curl -s -u admin:", " https://a.example.com"),
        ("deploy --api-token ", " --now"),
        ("machine a.example.com login b password ", ""),
        ("//registry.example.com/:_authToken=", ""),
        ("https://a.example.com/b?X-Amz-Signature=", "&x=1"),
        ("-----BEGIN EC PRIVATE KEY-----\\n", "\\n-----END EC PRIVATE KEY-----"),
        ("passphrase: ", ""),
        ("Authorization: Digest username=\"svc\", realm=\"x\", response=\"", "\""),
        (
            "{\"authorization\": \"OAuth oauth_consumer_key=\\\"k\\\", oauth_signature=\\\"",
            "\\\"\"}",
        ),
        ("Hawk id=\"dh\", mac=\"", "\""),
        ("https://api.telegram.org/bot123456789:AAHabcdefgh", "/sendMessage"),
        ("<wsse:Password>", "</wsse:Password>"),
        ("PHPSESSID=", "; path=/"),
        ("connect.sid=s%3A", ".x"),
        ("SSWS 00", ""),
        ("pk_1234567_", ""),
        ("x-api-key ", " is unknown"),
        ("{\"pass\": \"", "\"}"),
        ("{\"passwordConfirm\": \"", "\"}"),
        ("{\"recovery_codes\": [\"", "\"]}"),
        ("{\"jwt\": \"", "\"}"),
        ("{\"dsn\": \"", "\"}"),
        ("Passwort: ", ""),
        ("Incorrect API key provided: ", ""),
        ("docker login -u a -p ", " registry.example"),
        ("smbclient //a/b -U user%", ""),
        ("SAMLResponse=", "&x=1"),
        ("Negotiate ", ""),
        ("client-key-data: ", ""),
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
pub(crate) fn percent(text: &str) -> String {
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

/// The same as JSON may write it.
fn escaped(text: &str) -> String {
    let middle = text.len() / 2;
    let escape = |(at, byte): (usize, u8)| match byte {
        _ if at.is_multiple_of(5) || at == middle => format!("\\u{byte:04x}"),
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        _ => char::from(byte).to_string(),
    };
    text.bytes().enumerate().map(escape).collect()
}

/// All ways of a secret into a recording.
fn recording(secret: &Secret, number: usize) -> Vec<String> {
    let whole = secret.whole.as_str();
    let id = |way: &str| format!("{way}-{number}");
    let nested = json!({ "a": json!({ "b": format!("failed: {whole}") }).to_string() }).to_string();
    let mut recording = vec![
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
            &id("escaped"),
            "shop",
            "sell",
            &format!("bad body {{\"a\":\"{}\"}}", escaped(whole)).into(),
        ),
        exchange(
            &id("encoded"),
            "shop",
            "sell",
            &format!("bad body {} here", STANDARD.encode(whole)).into(),
        ),
        exchange(
            &id("login"),
            "shop",
            "sell",
            &format!("sent {} again", STANDARD.encode(format!("app:{}", secret.random))).into(),
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
        // The arguments say that it is secret, and the reply quotes it.
        json!({ "id": id("quoted"), "server": "shop", "tool": "sell", "input": { "password": secret.random },
            "response": { "content": [{ "type": "text", "text": format!("wrong: '{}'", secret.random) }], "isError": true } })
        .to_string(),
        // What is judged against a shape is quoted in messages.
        json!({ "id": id("shape"), "server": "shop", "tool": "sell", "input": { "of": whole },
            "response": { "content": [{ "type": whole, "text": 7 }], "isError": whole } })
        .to_string(),
    ];
    for before in [520, 560, 575, 585, 590, 595, 600] {
        let filler = "word ".repeat(before / 5);
        let text = format!("not found: {filler}{whole} {}", "tail ".repeat(40));
        recording.push(exchange(&id(&format!("cut-{before}")), "shop", "sell", &text.into()));
    }
    recording
}

/// The parts of secrets that are so long that nobody writes them by chance, found at one go.
pub(crate) struct Leaks<'s> {
    secrets: &'s [Secret],
    /// The secrets by each of their parts.
    parts: HashMap<[u8; TELLING], usize>,
    /// Whether a part may begin with these bytes: most places of a text are told by this alone.
    begins: Vec<bool>,
}

/// How long a part of a secret is that gives it away.
const TELLING: usize = 9;

impl<'s> Leaks<'s> {
    pub(crate) fn of(secrets: &'s [Secret]) -> Self {
        let mut parts = HashMap::new();
        let mut begins = vec![false; 1 << 16];
        for (number, secret) in secrets.iter().enumerate() {
            let random = secret.random.to_lowercase();
            let encoded = [1, 2, 3].map(|at| STANDARD.encode(&secret.random.as_bytes()[at..]));
            for text in [random].into_iter().chain(encoded.map(|text| text.to_lowercase())) {
                // The last characters in base64 depend on what comes after.
                let whole = text.trim_end_matches('=').as_bytes();
                for part in whole.windows(TELLING) {
                    begins[usize::from(u16::from_le_bytes([part[0], part[1]]))] = true;
                    parts.insert(part.try_into().expect("a part"), number);
                }
            }
        }
        Self { secrets, parts, begins }
    }

    /// The secrets of which a part is in a text.
    pub(crate) fn within(&self, text: &str) -> Vec<&'s str> {
        let text = text.to_lowercase();
        let mut found = BTreeSet::new();
        let parts = text.as_bytes().windows(TELLING);
        for part in parts {
            if self.begins[usize::from(u16::from_le_bytes([part[0], part[1]]))]
                && let Some(number) = self.parts.get(part)
            {
                found.insert(*number);
            }
        }
        found.into_iter().map(|number| self.secrets[number].whole.as_str()).collect()
    }
}

#[test]
fn no_secret_comes_into_a_report() {
    let scene = Scene::new();
    let secrets = secrets();
    let known = Leaks::of(&secrets);
    for (number, secret) in secrets.iter().enumerate() {
        let name = secret.whole.replace('/', "_");
        let name: String = name.chars().take(200).collect();
        scene.file(&format!("recordings/{name} of.jsonl"), &lines(&recording(secret, number)));
    }
    scene.judge(Path::new("recordings"), "run");
    scene.file("recordings/more.jsonl", &lines(&[good("one more")]));
    scene.judge(Path::new("recordings"), "before");
    // A rulebook that differs in two phrases, so that there is something to compare, and one that words
    // its messages otherwise.
    scene.file(
        "mine.toml",
        "name = \"mine\"\nextends = \"guide\"\n[lists.business_patterns]\n\
         remove = [\"not found\", \"no such\"]\n",
    );
    for (rulebook, out) in [("mine.toml", "after"), ("calibrated", "calibrated")] {
        let arguments = ["run", "recordings", "--quiet", "--rulebook", rulebook, "--out", out];
        scene.ask(&arguments).ended_with(0);
    }
    let against = ["--baseline", "before"];
    let compared: Value =
        serde_json::from_str(&scene.report("after", "json", &against)).expect("JSON");
    let groups = compared["changes"]["comparison"]["groups"].as_array().expect("groups");
    let changed = groups.iter().filter_map(|group| group["exchanges"].as_u64()).sum::<u64>();
    assert!(changed > 100, "there is much to tell of: {changed}");
    let open = ["run", "recordings", "--quiet", "--config=redact=none", "--out", "open"];
    scene.ask(&open).ended_with(0);
    let runs = [("run", &[][..]), ("after", &against[..]), ("calibrated", &[][..])];
    for format in FORMATS {
        let shown = scene.report("open", format, &["--config=redact=none"]);
        assert!(!known.within(&shown).is_empty(), "{format} would have shown none anyway");
        for (run, more) in runs {
            let text = scene.report(run, format, more);
            let leaks = known.within(&text);
            if let Ok(keep) = std::env::var("TAPECHECK_KEEP") {
                let _ = fs::write(format!("{keep}/{run}.{format}"), &text);
            }
            assert!(
                leaks.is_empty(),
                "{format} of {run} shows {} secrets: {leaks:#?}",
                leaks.len()
            );
        }
    }
}

/// What is no secret, however it looks.
const ORDINARY: [&str; 14] = [
    "0191f2a4-5b6c-7d8e-9f01-23456789abcd",
    "3f9ac2d41b7e8a90c1d2e3f405162738495a6b7c",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "honorificabilitudinitatibus",
    "fn main() { let token = next(); }",
    "const auth = useAuth(); auth.login(user)",
    "max_tokens must be at most 4096",
    "missing required argument: api_key",
    "react@18.2.0 and @types/node@20.11.5",
    "https://unpkg.com/react@18/umd/react.js",
    "2026-11-22T05:40:16.123Z",
    "docker run -u 1000:1000 image:1.2.3",
    "primary_key=user_id and foreign_key=order_id",
    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
];

#[test]
fn ordinary_text_stays_in_every_format() {
    let scene = Scene::new();
    let recording: Vec<String> = (0..)
        .zip(ORDINARY)
        .map(|(number, text)| {
            let id = format!("o{number}");
            let said = format!("{text} was not found").into();
            exchange(&id, &format!("server of {text}"), &format!("tool of {text}"), &said)
        })
        .collect();
    scene.file("recordings/a.jsonl", &lines(&recording));
    scene.judge(Path::new("recordings"), "run");
    let report = scene.report("run", "json", &[]);
    for text in ORDINARY {
        assert!(report.contains(text), "{text} is not in the JSON:\n{report}");
    }
    for format in FORMATS {
        let text = scene.report("run", format, &[]);
        for word in ["token", "secret", "encoded", "login", "authorization", "cookie", "e-mail"] {
            assert!(!text.contains(&format!("[{word} ")), "{word} is masked in {format}:\n{text}");
        }
    }
}

#[test]
fn rules_are_added_and_their_mistakes_all_told() {
    let scene = Scene::new();
    let text = "ticket T-1234 of jane.doe@example.com not found".into();
    scene.file("recordings/a.jsonl", &lines(&[exchange("one", "T-1234", "sell", &text)]));
    scene.judge(Path::new("recordings"), "run");
    scene.file(
        "mine.toml",
        "[[rule]]\nname = \"ticket\"\nabout = \"Tickets.\"\nshown = \"ticket\"\npattern = 'T-[0-9]{4}'\n\
         masks = [\"see <<T-1234>>\"]\n",
    );
    let unmasked = ["run", "recordings", "--quiet", "--config=redact=none", "--out", "unmasked"];
    scene.ask(&unmasked).ended_with(0);
    let shown = |run: &str, more: &[&str]| {
        let page = scene.report(run, "html", more);
        (page.contains("T-1234"), page.contains("jane.doe@"))
    };
    assert_eq!(shown("unmasked", &[]), (true, false));
    assert_eq!(shown("unmasked", &["--config=redact=builtin"]), (true, false));
    assert_eq!(shown("unmasked", &["--config=redact=none"]), (true, true));
    assert_eq!(shown("unmasked", &["--config=redact=mine.toml"]), (false, false));
    assert_eq!(shown("unmasked", &[r#"--config=redact=["none", "mine.toml"]"#]), (false, true));
    assert_eq!(
        shown("run", &["--config=redact=none"]),
        (true, false),
        "a run keeps its texts masked"
    );
    let run = ["run", "recordings", "--quiet", "--config=redact=mine.toml", "--out", "masked"];
    scene.ask(&run).ended_with(0);
    scene.file("wrong.toml", "[[rule]]\nname = \"a\"\nshown = \"two words\"\npattern = '('\n");
    scene.file(
        "worse.toml",
        "[[rule]]\nname = \"b\"\nabout = \"b\"\nshown = \"b\"\npattern = 'x*'\n",
    );
    for verb in
        [&["show", "run", "--format=html"][..], &["run", "recordings", "--out", "other"][..]]
    {
        let files = [r#"--config=redact=["wrong.toml", "worse.toml"]"#];
        let ran = scene.ask(&[verb, &files].concat()).ended_with(2);
        for told in ["wrong.toml:3:", "wrong.toml:4:", "`about`", "worse.toml:5:"] {
            assert!(ran.err.contains(told), "{told} is not in:\n{}", ran.err);
        }
    }
    scene
        .ask(&["show", "run", "--format=html", "--config=redact=absent.toml"])
        .ended_with(2)
        .complaining("absent.toml");
    let both = ["show", "run", "--format=html", r#"--config=redact=["none", "builtin"]"#];
    scene.ask(&both).ended_with(2);
}

#[test]
fn recorded_secrets_are_shown_where_somebody_insists_and_come_into_no_file() {
    let scene = Scene::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let recorded = |text: &str| exchange("one", "shop", "sell", &format!("{text} {secret}").into());
    scene.file("recordings/a.jsonl", &lines(&[recorded("Not found:")]));
    scene.judge(Path::new("recordings"), "run");
    scene.ask(&["review", "recordings", "--baseline", "baselines", "--all"]).ended_with(0);
    scene.file("recordings/a.jsonl", &lines(&[recorded("Not found:"), recorded("Failed:")]));
    for command in [
        &["explain", "recordings/a.jsonl:1", "run"][..],
        &["show", "run", "--filter", "server=shop"],
        &["label", "next", "run"],
        &["review", "recordings", "--baseline", "baselines", "--list"],
    ] {
        let with = |more: &[&str]| scene.ask(&[command, more].concat());
        let [masked, refused, shown] = [with(&[]), with(&["--raw"]), with(&["--raw=force"])];
        assert!(masked.out.contains("[token "), "{command:?}: {}{}", masked.out, masked.err);
        assert!(!masked.out.contains(secret), "{command:?} shows it unasked: {}", masked.out);
        refused.ended_with(2).complaining("on a terminal only").complaining("--raw=force");
        assert!(shown.out.contains(secret), "{command:?}: {}{}", shown.out, shown.err);
    }
    let accept = ["review", "recordings", "--baseline", "baselines", "--accept", "all"];
    scene.ask(&[&accept[..], &["--raw=force"]].concat()).ended_with(0);
    for file in walkdir::WalkDir::new(scene.root()).into_iter().map(|entry| entry.expect("one")) {
        if file.file_type().is_file() && file.file_name() != "a.jsonl" {
            let text = fs::read(file.path()).expect("a file");
            let text = String::from_utf8_lossy(&text);
            assert!(!text.contains(secret), "{} holds the secret", file.path().display());
        }
    }
    scene
        .ask(&["show", "run", "--raw=force"])
        .ended_with(2)
        .complaining("--raw shows the texts of listed calls only");
}

/// What is masked in the bundled recordings and is a secret by its name, e-mails apart: passwords and a key,
/// made up, tokens that confirm an action, and ids of sessions.
const RIGHTLY: [&str; 31] = [
    "demo",
    "no-key",
    "8rbUg3GaR2fjaRkY_V_dFjoK",
    "G6HTOKpNX8kH6_A2amufXkPR",
    "inventado",
    "made-up",
    "JTzj!lr*jI4a",
    "1cb5beb7-351c-4b60-a7a0-92779844a0a5",
    "37f1f81d-e500-4699-b386-7013a3aa3583",
    "48fcdbd7-0fbd-4d11-8f92-ed0db1b29be9",
    "677039f1-5d77-4b76-adcb-60605ef234b3",
    "b7c1ee66-63ed-4ac0-bd4d-c32d7c8040c4",
    "39a9acda-54ed-4b92-bf3d-8d8e7f6a4f53",
    "9015f382-be9f-42ff-b892-038370054ea7",
    "d776bb72-d88c-445c-ada7-720f84d79c15",
    "def04bb7-4840-45a8-a92a-0d15344ef1ee",
    "e85cc65c",
    "20260101_nothing",
    "68228cf1-1bde-45f0-888d-4f270767eaa8",
    "ses_9f0c29772d6e4f07",
    "yes",
    "11111111-aaaa-4bbb-8ccc-000000000001",
    "22222222-aaaa-4bbb-8ccc-000000000002",
    "99999999-0000",
    "bad",
    "bob",
    "cookie",
    "k",
    "long-enough-password",
    "longenough",
    "x",
];
/// What is masked in the bundled recordings and is none: ids of documents that are called tokens, the
/// name of a secret in a vault, whether a field hides what is typed, a line of code that sets a header, what
/// follows a token, and pieces of a picture that look like keys.
const WRONGLY: [&str; 8] = [
    "bascn123",
    "t",
    "s",
    "False",
    "new AuthenticationHeaderValue(",
    "t\\nExpires",
    "SkfA7TAFGEEXWi4d619QJ0p8oJEMI1UuKe5Byu9HxHw5XQyCbmvh4HR8CyOVEyeOu0GwejDLKJZcANJriFCmaYlfLl06YJDodZV4Zu8p1MWTMwt78csO1WFjgl",
    "sKAP8O3rQanFVcW1v7SZLbdxINDqY6ZULYudVCCHGqiDtAO50VMzxe8zXAn4WO6GHCOdMM44nGVDTwJExfDjxUUP9M",
];

/// What was masked in a text.
fn masked_parts<'t>(text: &'t str, masked: &str) -> Vec<&'t str> {
    let stand_in = Regex::new(r"\[[a-z-]+ [0-9a-f]{6}\]").expect("a pattern");
    let mut parts = Vec::new();
    let mut kept = stand_in.split(masked);
    let mut at = kept.next().expect("a beginning").len();
    for kept in kept {
        let end = if kept.is_empty() {
            text.len()
        } else {
            at + text[at..].find(kept).expect("it was kept")
        };
        parts.push(&text[at..end]);
        at = end + kept.len();
    }
    parts
}

#[test]
fn at_most_one_bundled_text_in_two_thousand_is_masked_without_a_secret() {
    let (redactor, bounds) = (Redactor::builtin(), Bounds::default());
    let rulebook = Rulebook::builtin("calibrated").expect("built in");
    let reader = CorpusReader::new(&[Input::Path(corpus())], bounds).expect("they are there");
    let mut texts = HashSet::new();
    for_each_exchange(reader, &bounds, |located| {
        let call = located.as_recorded();
        let reply = match &call.reply {
            Reply::Result(result) => result.raw.text(),
            Reply::Error(error) => error.raw.text(),
            Reply::Document(document) => document.raw().text(),
            Reply::None => "",
        };
        let names = [&*call.server, &*call.session, &call.tool.name, located.file_as_recorded()];
        texts.extend(names.map(str::to_owned));
        texts.extend(
            [reply, input_text(call), &*judged_text(call, &rulebook, false)].map(str::to_owned),
        );
        ControlFlow::<()>::Continue(())
    })
    .expect("threads start");
    let (mut unknown, mut wrongly) = (BTreeSet::new(), BTreeSet::new());
    for text in &texts {
        let masked = redactor.mask(text);
        for part in masked_parts(text, &masked) {
            if WRONGLY.contains(&part) {
                wrongly.insert(text);
            } else if !RIGHTLY.contains(&part) && !part.contains('@') {
                unknown.insert(part);
            }
        }
    }
    assert!(unknown.is_empty(), "say whether these are secrets: {unknown:#?}");
    let (wrongly, all) = (wrongly.len(), texts.len());
    assert!(all > 10_000 && wrongly * 2000 <= all, "{wrongly} of {all} texts are masked wrongly");
}

#[test]
fn what_is_masked_in_a_call_is_masked_in_its_reply() {
    let redactor = Redactor::builtin();
    for (call, reply, is_shown) in [
        (r#"{"password":"correct-horse-9"}"#, "wrong: 'correct-horse-9'", false),
        (r#"{"password":"correct-horse-9"}"#, r"wrong: correct-horse-9", false),
        (r#"{"password":"letmein"}"#, "letmein is a plain word", true),
        (r#"{"name":"correct-horse-9"}"#, "correct-horse-9 is a name", true),
    ] {
        let shown = redactor.knowing(call).mask(reply).into_owned();
        assert_eq!(shown == reply, is_shown, "{call}: {shown}");
    }
}
