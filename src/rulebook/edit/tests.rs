use super::{Edits, Part};
use crate::rulebook::{Rulebook, builtin_names};

fn extending(text: &str) -> Rulebook {
    let text = format!("name = \"own\"\nextends = \"guide\"\n{text}");
    Rulebook::from_toml(&text, "own.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn guide() -> Rulebook {
    Rulebook::builtin("guide").expect("built in")
}

#[test]
fn all_edits_put_back_give_the_earlier_rulebook_and_none_the_later() {
    let mut rulebooks: Vec<Rulebook> =
        builtin_names().iter().map(|name| Rulebook::builtin(name).expect("built in")).collect();
    rulebooks.push(extending(
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
        "[signals.own]\ncontains = \"owned\"\n[lists.owned]\nentries = [\"own\"]\n[[decide]]\n\
         name = \"own\"\nif = \"own\"\nreturn = true\nbefore = \"mcp code\"\n",
    );
    let edits = Edits::between(&before, &guide()).expect("texts");
    let line = edits.all().iter().position(|edit| edit.part == Part::Line).expect("a line");
    let hybrid = Rulebook::from_toml(&edits.put_back(&[line]), "hybrid").expect("good");
    assert!(hybrid.signals.iter().any(|signal| signal.name == "own"));
    assert_eq!(hybrid.decide[0].name, "own");
}
