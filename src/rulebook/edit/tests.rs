use super::{Edits, Part};
use crate::rulebook::{Rulebook, builtin_names};

fn extending(base: &str, text: &str) -> Rulebook {
    let text = format!("name = \"own\"\nextends = \"{base}\"\n{text}");
    Rulebook::from_toml(&text, "own.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn guide() -> Rulebook {
    Rulebook::builtin("guide").expect("built in")
}

/// The edits from `guide` to a rulebook that extends it, as `part of/key before -> after`.
fn edits(text: &str) -> Vec<String> {
    let edits = Edits::between(&guide(), &extending("guide", text)).expect("texts");
    let told = edits.all().iter().map(|edit| {
        let [before, after] =
            [&edit.before, &edit.after].map(|value| value.as_deref().unwrap_or("-"));
        format!("{:?} {}/{} {before} -> {after}", edit.part, edit.of, edit.key)
    });
    told.collect()
}

#[test]
fn every_kind_of_change_is_an_edit_of_its_own() {
    let cases: [(&str, &[&str]); 17] = [
        (
            "[lists.business_patterns]\nadd = [\"gone\"]\nremove = [\"not found\"]\n",
            &[
                "Entry business_patterns/gone - -> gone",
                "Entry business_patterns/not found not found -> -",
            ],
        ),
        (
            "[lists.validation_verbs]\nmatch = \"part\"\n",
            &["Matching validation_verbs/match - -> part"],
        ),
        (
            "[signals.http_status]\nregex = '\\b4\\d\\d\\b'\n",
            &["Regex http_status/\\b[45]\\d\\d\\b \\b[45]\\d\\d\\b -> \\b4\\d\\d\\b"],
        ),
        (
            "[signals.strong_operational]\nall = [\"business_pattern\", { contains = \"strong_operational_words\" }, \"http_status\"]\n",
            &["Question strong_operational/ - -> http_status"],
        ),
        (
            "[signals.http_status]\ncontains = [\"404\"]\n",
            &["Definition http_status/ matches /\\b[45]\\d\\d\\b/ -> contains '404'"],
        ),
        ("[signals.own]\ncontains = [\"own\"]\n", &["Signal own/ - -> contains 'own'"]),
        ("[factors.http_status]\nweight = 3\n", &["Weight http_status/weight 1 -> 3"]),
        ("[factors.textual_evidence]\nweight = 3\n", &["Factor textual_evidence/ - -> weight 3"]),
        (
            "[score]\ndenominator = \"sum\"\nclamp = false\n",
            &["Score score/denominator 6 -> sum", "Score score/clamp true -> false"],
        ),
        (
            "[[decide]]\nname = \"otherwise\"\nthreshold = 0.4\n",
            &["Threshold otherwise/threshold 0.5 -> 0.4"],
        ),
        (
            "[[decide]]\nname = \"validation tool\"\nif = \"http_status\"\nreturn = true\n",
            &[
                "LineCondition validation tool/if validation_tool -> http_status",
                "Answer validation tool/return threshold 0.2 -> return true",
            ],
        ),
        (
            "[[decide]]\nname = \"status\"\nif = \"http_status\"\nreturn = false\nbefore = \"mcp code\"\n",
            &["Line status/ - -> name status if http_status return false"],
        ),
        (
            "[remove]\ndecide = [\"mcp code\"]\n",
            &["Line mcp code/ name mcp code if mcp_code return true -> -"],
        ),
        (
            "[[decide]]\nname = \"validation tool\"\nbefore = \"mcp code\"\n",
            &["LinePlace validation tool/ - -> -"],
        ),
        (
            "[hidden_failure]\nif = \"http_status\"\n[errors]\npolicy = \"judged\"\nunreachable = \"http_status\"\n",
            &[
                "Errors errors/policy responded -> judged",
                "Unreachable errors/unreachable - -> http_status",
                "HiddenFailure hidden_failure/if - -> http_status",
            ],
        ),
        (
            "[endings.failure]\nclass = \"broken\"\nconfidence = 7\nissue = { message = \"other words\" }\n[endings.responded]\nissue = { severity = \"info\", type = \"tool_failure\", message = \"x\" }\n",
            &[
                "Ending responded/issue - -> info tool_failure",
                "Ending failure/class error -> broken",
                "Ending failure/confidence score -> 7",
            ],
        ),
        (
            "[text]\nsource = \"all_text\"\nevidence_units = 7\n[schema]\non_errors = true\n[[error_kinds]]\nname = \"any\"\n",
            &[
                "Text text/source first_text_block -> all_text",
                "Schema schema/on_errors false -> true",
                "ErrorKind any/ - -> name any",
            ],
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(edits(text), wanted, "{text}");
    }
}

#[test]
fn words_are_no_edits() {
    let text = "about = \"other\"\n[evidence]\nhas_meta = \"meta\"\n[quality]\nerror = 0.5\n\
                [overall]\nempty = 3\n[endings.failure]\nissue = { message = \"other\" }\n";
    assert_eq!(edits(text), [""; 0]);
}

#[test]
fn entries_that_stand_in_a_signal_are_edits_of_their_own() {
    let text = "[signals.test_data]\nany = [\n\
                { all = [{ contains = [\"test\", \"demo\"] }, { contains = [\"invalid\", \"not found\", \"does not exist\"] }] },\n\
                { contains = [\"test_value\", \"test@example.com\", \"example.com\"] },\n\
                { regex = '\\bid[\"\\s:]+\\d+' },\n\
                { regex = '''\\bid[\"\\s:]+[\"'][^\"']+[\"']''' }]\n";
    let told = edits(text);
    assert_eq!(told[0], "OwnEntry test_data/example example -> -");
    assert!(told[1].starts_with("Regex test_data/[0-9a-f]{8}"), "{told:?}");
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn all_edits_put_back_give_the_earlier_rulebook_and_none_the_later() {
    let mut rulebooks: Vec<Rulebook> =
        builtin_names().iter().map(|name| Rulebook::builtin(name).expect("built in")).collect();
    rulebooks.push(extending(
        "guide",
        "[[decide]]\nname = \"validation tool\"\nbefore = \"mcp code\"\n[[decide]]\nname = \"status\"\n\
         if = \"http_status\"\nreturn = false\nbefore = \"validation tool\"\n[hidden_failure]\n\
         if = \"http_status\"\n[remove]\nfactors = [\"http_status\"]\n",
    ));
    for before in &rulebooks {
        for after in &rulebooks {
            let edits = Edits::between(before, after).expect("texts");
            let every: Vec<usize> = (0..edits.all().len()).collect();
            let names = format!("{} -> {}", before.name, after.name);
            for (put_back, wanted) in [(&every[..], before), (&[], after)] {
                let text = edits.put_back(put_back);
                let got = Rulebook::from_toml(&text, "hybrid")
                    .unwrap_or_else(|error| panic!("{names}: {error}\n{text}"));
                let left = Edits::between(wanted, &got).expect("texts");
                assert_eq!(left.all(), [], "{names}");
                assert!(edits.observing(put_back).is_some(), "{names}");
                assert!(edits.deciding(put_back).is_some(), "{names}");
            }
        }
    }
}

#[test]
fn what_a_line_rests_on_is_put_back_with_it() {
    let before = extending(
        "guide",
        "[signals.own]\ncontains = \"owned\"\n[lists.owned]\nentries = [\"own\"]\n[[decide]]\n\
         name = \"own\"\nif = \"own\"\nreturn = true\nbefore = \"mcp code\"\n",
    );
    let edits = Edits::between(&before, &guide()).expect("texts");
    let line = edits.all().iter().position(|edit| edit.part == Part::Line).expect("a line");
    let hybrid = Rulebook::from_toml(&edits.put_back(&[line]), "hybrid").expect("good");
    assert!(hybrid.signals.iter().any(|signal| signal.name == "own"));
    assert_eq!(hybrid.decide[0].name, "own");
}
