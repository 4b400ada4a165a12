use super::*;
use std::fs;
use std::path::PathBuf;

fn masked(text: &str) -> String {
    Redactor::builtin().mask(text).into_owned()
}

#[test]
fn nearly_all_patterns_of_the_program_see_each_character_as_one_byte() {
    let rules = Redactor::builtin();
    let patterns: Vec<&Pattern> = rules.rules().iter().flat_map(|rule| &rule.patterns).collect();
    let whole: Vec<&str> =
        patterns.iter().filter(|it| !it.is_narrow()).map(|it| it.text()).collect();
    assert!(whole.len() * 20 <= patterns.len(), "{whole:#?}");
}

#[test]
fn the_builtin_rules_hold_their_examples() {
    let rules = Redactor::none().with_files(&load::builtin_files());
    assert!(rules.is_ok(), "{}", rules.err().map(|error| error.to_string()).unwrap_or_default());
}

#[test]
fn patterns_are_compiled_when_a_text_calls_for_them() {
    let redactor = Redactor::builtin();
    for text in ["User 42 not found", "Mail to x@y.example is late."] {
        assert!(!redactor.mask(text).is_empty());
    }
    let compiled =
        redactor.rules().iter().filter(|rule| rule.patterns.iter().any(Pattern::is_compiled));
    let names: Vec<&str> = compiled.map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["e-mail"], "an @ and a full stop call for it");
}

#[test]
fn equal_secrets_look_alike_and_others_do_not() {
    let text = masked("token=abc123 then token=abc123 then token=abc124");
    let parts: Vec<&str> = text.split(" then ").collect();
    assert_eq!(parts[0], parts[1], "{text}");
    assert_ne!(parts[0], parts[2], "{text}");
    assert!(parts[0].starts_with("token=[secret ") && !text.contains("abc12"), "{text}");
}

#[test]
fn a_secret_goes_to_the_quote_that_ends_it() {
    for (text, shown) in [
        (r#"{"password":"it's-Zq9-Blue","a":"b"}"#, r#"{"password":"[secret]","a":"b"}"#),
        (r#"{"api_key":"Win\"Sun-2026","a":"b"}"#, r#"{"api_key":"[secret]","a":"b"}"#),
        (
            r#"{\"password\":\"it's Zq9\",\"a\":\"b\"}"#,
            r#"{\"password\":\"[secret]\",\"a\":\"b\"}"#,
        ),
        (r#"{"password":"abc-123","a":"it's"}"#, r#"{"password":"[secret]","a":"it's"}"#),
    ] {
        let masked = masked(text);
        let (before, rest) = masked.split_once("[secret ").expect("masked");
        assert_eq!(format!("{before}[secret{}", &rest[6..]), shown, "{text}");
    }
    let input = r#"{"password":"Winter\"Sun-2026-Zq"}"#;
    let told = Redactor::builtin().knowing(input).mask(r#"wrong: Winter"Sun-2026-Zq"#).into_owned();
    assert!(told.starts_with("wrong: [secret"), "{told}");
}

#[test]
fn text_without_secrets_stays_as_it_is() {
    for text in [
        "User 42 not found",
        "Error: connect ECONNREFUSED 127.0.0.1:5432",
        "Invalid arguments: `max_tokens` must be at most 4096",
        "missing required argument: api_key",
        "commit 3f9ac2d41b7e8a90c1d2e3f405162738495a6b7c",
    ] {
        assert_eq!(masked(text), text);
    }
}

#[test]
fn names_of_secrets_are_known_as_variables_settings_and_members() {
    for name in [
        "SECRET_KEY",
        "secret_key",
        "secretKey",
        "DJANGO_SECRET_KEY",
        "SECRET_KEY_BASE",
        "DB_PASS",
        "PASSWORD1",
        "TOKEN_VALUE",
        "password_hash",
        "credential",
        "credentials",
        "STRIPE_KEY",
        "OPENAI_KEY",
        "GITHUB_PAT",
        "hmac_key",
        "ssh_key",
        "tls_key",
        "license_key",
        "otp",
        "pin",
    ] {
        let secret = if name.len() == 3 { "482913" } else { "hunter2x9" };
        for text in [
            format!("{name}={secret}"),
            format!("{name}: {secret}"),
            format!("{{\"{name}\":\"{secret}\"}}"),
        ] {
            assert!(!masked(&text).contains(secret), "{text}");
        }
    }
}

#[test]
fn what_overlaps_is_masked_once() {
    let text = masked(r#"{"Authorization":"Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln","x":1}"#);
    assert_eq!(text.matches('[').count(), 1, "{text}");
    assert!(text.ends_with(r#"","x":1}"#), "{text}");
}

#[test]
fn places_follow_the_text() {
    let text = "key sk-abcdefghijkl0123 was rejected";
    let masked = Redactor::builtin().mask_part(text);
    let at = text.find("rejected").expect("it is there");
    let place = masked.place(at..at + "rejected".len());
    assert_eq!(&masked.text[place], "rejected");
    let within = masked.place(6..8);
    assert!(masked.text[within].starts_with("[token "), "{}", masked.text);
    assert_eq!(masked.place(0..3), 0..3);
}

#[test]
fn what_a_cut_left_of_a_secret_is_masked() {
    let long = format!("9f8e7d6c5b rest {} sk-12345", "word ".repeat(120));
    let part = Redactor::builtin().mask_part(&long).text;
    assert!(!part.contains("9f8e7d") && !part.contains("sk-1"), "{part}");
    let address = format!("{} see https://errors.pydantic.dev/2.14/v/string", "word ".repeat(120));
    assert_eq!(Redactor::builtin().mask_part(&address).text, address, "an address is no key");
    let message = masked("`ghp_a1b2c3…` and `…d4e5f6g7` are wrong, 12345678… is a number");
    assert_eq!(message.matches("[cut ").count(), 2, "{message}");
    assert!(message.contains("12345678…"), "{message}");
    let short = "9f8e7d6c5b is the number of the order";
    assert_eq!(Redactor::builtin().mask_part(short).text, short);
}

#[test]
fn secrets_are_found_however_they_are_written() {
    for text in [
        r#"{\\\"password\\\":\\\"hunter2\\\"}"#,
        "access%5Ftoken%3Dhunter2",
        "gh\u{200b}p_abcdefghijkl\u{202e}mnopqrs\u{1b}[0mhunter2",
        r"ghp_abcdefghijklmnopqrs\u200bhunter2",
        "GHP_ABCDEFGHIJKLMNOPQRShunter2",
        "password&#61;hunter2",
        "ｐａｓｓｗｏｒｄ：hunter2",
        "ghp_abcdef**ghijkl**mnopqrs<b>hunter2</b>",
    ] {
        let shown = masked(text);
        assert!(!shown.contains("hunter2") && shown.contains('['), "{text} is shown as {shown}");
    }
}

#[test]
fn headers_with_parameters_in_quotes_are_masked_to_their_end() {
    let digest = r#"Digest username="svc77", realm="x", nonce="n0nce77", response="0123abcd77""#;
    let oauth = r#"OAuth oauth_consumer_key="ck77", oauth_signature="SGzz%3D77""#;
    let hawk = r#"Hawk id="dh37", ts="1353832234", nonce="j4h3g2", ext="", mac="6R4r77=""#;
    for value in [digest, oauth, hawk] {
        let header = format!("Authorization: {value}");
        let member = serde_json::json!({ "authorization": value, "host": "a" }).to_string();
        let said = serde_json::json!({ "said": header, "host": "a" }).to_string();
        let pair = serde_json::json!({ "name": "Authorization", "value": value }).to_string();
        let twice = serde_json::json!({ "said": member, "host": "a" }).to_string();
        let lines = format!("GET / HTTP/1.1\r\n{header}\r\nHost: a");
        let curl = format!("curl -H '{header}' https://a.example");
        for text in [value.into(), header.clone(), member, said, pair, twice, lines, curl] {
            let shown = masked(&text);
            for part in ["svc77", "n0nce77", "0123abcd", "ck77", "SGzz", "dh37", "j4h3g2", "6R4r"] {
                assert!(!shown.contains(part), "{text} is shown as {shown}");
            }
            for kept in ["host", "Host: a", "https://a.example"] {
                assert_eq!(shown.contains(kept), text.contains(kept), "{text} is shown as {shown}");
            }
        }
    }
}

#[test]
fn words_after_basic_are_masked_where_they_are_logins() {
    assert!(masked("sent Basic dXNlcjpwYXNz").starts_with("sent Basic [encoded "));
    for text in ["Basic JavaScriptTutorial for all", "bearer HttpClientFactory missing"] {
        assert_eq!(masked(text), text);
    }
}

#[test]
fn elements_of_xml_are_masked_however_they_are_written() {
    for text in [
        "<wsse:Password>Zz9Yy8Xx7</wsse:Password>",
        r"<apiKey>Zz9Yy8Xx7<\/apiKey>",
        r"\u003capiKey\u003eZz9Yy8Xx7\u003c/apiKey\u003e",
        "&lt;token&gt;Zz9Yy8Xx7&lt;/token&gt;",
        "<client_secret>Zz9Yy8Xx7",
    ] {
        let shown = masked(text);
        assert!(shown.contains("[secret ") && !shown.contains("Zz9Yy8"), "{text}: {shown}");
    }
}

#[test]
fn e_mail_addresses_that_were_cut_are_masked_in_every_script() {
    for (text, expected) in [
        ("ask jürgen77@bü…", "ask "),
        ("ask jane.doe@examp…", "ask "),
        ("ask ju\u{308}rgen77@…", "ask "),
        ("错误：请联系，张三@例…", "错误：请联系，"),
    ] {
        let shown = masked(text);
        assert!(shown.starts_with(&format!("{expected}[cut ")), "{text} is shown as {shown}");
        assert!(shown.ends_with("]…"), "{text} is shown as {shown}");
    }
    for text in [
        "install react@18.2…",
        "use a/checkout@v4…",
        "an @scope…",
        "错误：找不到文件…",
        "@…",
        "at 5 @ 3…",
    ] {
        assert_eq!(masked(text), text);
    }
}

#[test]
fn secrets_are_found_in_json_pointers() {
    for text in [
        "/postgres:~1~1adm77:p4ssw0rd77@h:5432~1d",
        "/a/hooks.slack.com~1services~1T00000077~1B00000077~1p4ssw0rd77",
    ] {
        let shown = masked(text);
        assert!(!shown.contains("p4ssw0rd77") && shown.contains('['), "{text} is shown as {shown}");
    }
}

#[test]
fn what_a_cut_quotation_left_of_a_secret_is_left_out() {
    let rulebook = crate::rulebook::Rulebook::builtin("calibrated").expect("it is built in");
    let quotations = Quotations::of(&rulebook);
    let redactor = Redactor::builtin();
    let message = |quoted: &str| {
        let message = format!("The tool failed: {}", quoted.trim());
        redactor.mask_message(&message, &quotations, false).into_owned()
    };
    let longest = rulebook.text.evidence_units;
    for (secret, visible) in [
        ("jane.secretperson@bigcompany.example.com", ""),
        ("ghp_Q9w8e7r6t5y4u3i2o1p0asdfghjklzxcvbnm12", ""),
        ("{\"token\":\"Q9w8e7r6t5y4\"}", "{\"token\":\""),
        ("postgres://admusr:Sup3r,S3cretPw@dbhost:5432/x", "postgres://"),
        ("Authorization: Bearer Zx9Qw8Er7Ty6Ui5Op4", "Authorization: Bearer "),
        ("password=Tr0ub4dorAnd3", "password="),
        ("jürgen77@bücher.example.de", ""),
        ("Юрий.Петров@пример.рф", ""),
        ("山田77@例え.日本", "山田"),
    ] {
        for left in (1..secret.len()).filter(|left| secret.is_char_boundary(*left)) {
            let units = secret[..left].encode_utf16().count();
            let quoted = format!("{} {}", "w".repeat(longest - units - 1), &secret[..left]);
            let shown = message(&quoted);
            let told = shown.rsplit("ww ").next().expect("a part");
            let told = told.split(['…', '[']).next().expect("a part");
            let told = if told.starts_with('w') || told.starts_with("The") { "" } else { told };
            assert!(visible.starts_with(told), "{told} of {secret} in {shown}");
        }
    }
    let indented = format!("  {} ghp_Q9w8e7r6", "w".repeat(longest - 15));
    assert!(!message(&indented).contains("Q9w8"), "blanks are left out after the cut");
    let short = "connect ECONNREFUSED 10.0.0.1, see ghp_Q9w8e7r6";
    assert_eq!(message(short), format!("The tool failed: {short}"), "nothing was cut");
    let sentence = "错误找不到文件".repeat(longest);
    let sentence: String = sentence.chars().take(longest).collect();
    assert!(message(&sentence).contains(&sentence), "a sentence without blanks stays");
    let whole = format!("The tool failed: {}", "word ".repeat(20));
    assert_eq!(Redactor::none().mask_message(&whole, &quotations, false), whole);
}

#[test]
fn no_rules_mask_nothing() {
    let text = "Authorization: Bearer abc.DEF.123";
    assert_eq!(Redactor::none().mask(text), text);
}

#[test]
fn own_rules_go_beside_the_builtin_ones() {
    let own = r#"
        extends_builtin = true
        [[rule]]
        name = "ticket"
        about = "Numbers of tickets."
        shown = "ticket"
        pattern = 'T-[0-9]{4}'
        masks = ["see <<T-1234>>"]
        leaves = ["T-12"]
    "#;
    let rules = Redactor::from_toml(own, "own.toml").expect("the rules are right");
    let text = rules.mask("T-1234 of a@b.io").into_owned();
    assert!(text.starts_with("[ticket ") && text.contains("of [e-mail "), "{text}");
}

#[test]
fn mistakes_are_all_told_with_their_lines() {
    let wrong = "[[rule]]\nname = \"a\"\nabout = \"b\"\nshown = \"two words\"\npattern = '('\n\
                 [[rule]]\nname = \"c\"\nabout = \"d\"\nshown = \"e\"\npattern = 'x+'\nmasks = [\"<<y>>\"]\nodd = 1\n";
    let error = Redactor::from_toml(wrong, "mine.toml").expect_err("it is wrong").to_string();
    for told in
        ["one word", "mine.toml:4:", "cannot be used", "mine.toml:5:", "mine.toml:11:", "odd"]
    {
        assert!(error.contains(told), "{told} is not in:\n{error}");
    }
}

#[test]
fn tokens_of_many_issuers_are_known() {
    let issuers: toml::Table = include_str!("issuers.toml").parse().expect("TOML");
    let forms = issuers["rule"][0]["forms"].as_array().expect("a list");
    let names =
        forms.iter().filter_map(|form| form[0].as_str()).flat_map(|names| names.split(", "));
    let names: std::collections::BTreeSet<&str> = names.collect();
    assert!(names.len() >= 150, "{}", names.len());
}

#[test]
fn false_alarms_are_rare() {
    let redactor = Redactor::builtin();
    let (mut texts, mut masked) = (0, 0);
    let mut folders = vec![PathBuf::from("corpus")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(path).unwrap_or_default();
            for value in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
                each_text(&value, &mut |text| {
                    texts += 1;
                    masked += u32::from(redactor.mask(text) != text);
                });
            }
        }
    }
    assert!(texts > 200_000 && masked * 2000 < texts, "{masked} of {texts}");
}

fn each_text(value: &serde_json::Value, take: &mut impl FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => take(text),
        serde_json::Value::Array(elements) => {
            for element in elements {
                each_text(element, take);
            }
        }
        serde_json::Value::Object(members) => {
            for (name, member) in members {
                take(name);
                each_text(member, take);
            }
        }
        _ => {}
    }
}
