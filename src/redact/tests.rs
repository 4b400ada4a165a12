use super::*;
use std::fs;
use std::path::PathBuf;

#[test]
fn texts_are_masked_as_their_cases_show() {
    crate::cases::check("tests/cases/secrets.txt", |case| {
        let (asked, rules) = case.questions(&["mask", "call"]);
        let redactor = match rules.as_str() {
            "" => Redactor::builtin(),
            rules => match Redactor::from_toml(rules, "mine.toml") {
                Ok(redactor) => redactor,
                Err(error) => return error.to_string(),
            },
        };
        let (mut knowing, mut shown) = (redactor.clone(), Vec::new());
        for (word, text) in asked.iter().filter_map(|line| line.split_once(' ')) {
            match serde_json::from_str::<String>(text) {
                _ if word == "call" => knowing = redactor.knowing(text).into_owned(),
                Ok(text) => shown.push(serde_json::json!(knowing.mask(&text)).to_string()),
                Err(_) => shown.push(knowing.mask(text).into_owned()),
            }
        }
        shown.join("\n")
    });
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
fn places_follow_the_text() {
    let text = "key sk-abcdefghijkl0123 was rejected";
    let masked = Redactor::builtin().mask_part(text, None);
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
    let part = Redactor::builtin().mask_part(&long, None).text;
    assert!(!part.contains("9f8e7d") && !part.contains("sk-1"), "{part}");
    let address = format!("{} see https://errors.pydantic.dev/2.14/v/string", "word ".repeat(120));
    assert_eq!(Redactor::builtin().mask_part(&address, None).text, address, "an address is no key");
    let short = "9f8e7d6c5b is the number of the order";
    assert_eq!(Redactor::builtin().mask_part(short, None).text, short);
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
