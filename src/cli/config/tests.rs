use super::*;
use std::fs;

fn place(file: &str, text: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    fs::write(place.path().join(file), text).expect("a file");
    place
}

#[test]
fn the_file_is_found_from_a_folder_below_it_and_its_paths_are_relative_to_it() {
    let place =
        place(FILE, "recordings = \"recordings\"\nrulebook = \"guide\"\nlabels = [\"a\", \"b\"]\n");
    let below = place.path().join("a/b");
    fs::create_dir_all(&below).expect("folders");
    let (config, _) = Config::load(&[], &below).expect("a configuration");
    assert_eq!(config.file, Some(place.path().join(FILE)));
    assert_eq!(config.recordings, [place.path().join("recordings")]);
    assert_eq!(config.rulebook, "guide");
    assert_eq!(config.labels, ["a", "b"].map(|name| place.path().join(name)));
}

#[test]
fn an_unknown_key_is_an_error_with_its_line_and_a_suggestion() {
    let place = place(FILE, "rulebook = \"guide\"\n[bounds]\nmax_lines = 5\n");
    let failure = Config::load(&[], place.path()).expect_err("an error").to_string();
    for part in ["tapecheck.toml:3:1", "unknown key `max_lines`", "did you mean `max_line`?"] {
        assert!(failure.contains(part), "{part}: {failure}");
    }
}

#[test]
fn keys_on_the_command_line_come_before_the_file() {
    let place = place(FILE, "rulebook = \"guide\"\njobs = 2\n");
    let given = ["rulebook=inspector", "bounds.max_line=100"].map(str::to_owned);
    let (config, _) = Config::load(&given, place.path()).expect("a configuration");
    assert_eq!((config.rulebook.as_str(), config.jobs), ("inspector", 2));
    assert_eq!(config.bounds.max_line, 100);
    assert_eq!(
        config.spelled().to_string(),
        "--config rulebook=inspector --config bounds.max_line=100"
    );
}

#[test]
fn values_out_of_bounds_are_refused() {
    for (given, about) in [
        ("bounds.max_line=0", "at least 1"),
        ("bounds.max_depth=20000", "between 0 and 10000"),
        ("jobs=0", "at least 1"),
        ("tune.weight_step=0", "between 0.01 and 100"),
        ("collection= ", "is empty"),
        ("tune.objective=best", "best"),
    ] {
        let place = place("none", "");
        let failure = Config::load(&[given.to_owned()], place.path()).expect_err(given).to_string();
        assert!(failure.contains(about), "{given}: {failure}");
    }
}

#[test]
fn the_template_names_every_key_with_a_value_that_is_taken() {
    let uncommented: String = template()
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.contains(" = ") => rest,
            _ => line,
        })
        .fold(String::new(), |text, line| text + line + "\n");
    let place = place(FILE, &uncommented);
    Config::load(&[], place.path()).unwrap_or_else(|failure| panic!("{failure}"));
    for key in include_str!("keys.rs")
        .split('"')
        .filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
    {
        let is_section = template().contains(&format!("[{key}]"));
        let is_value = ["builtin", "none", "recorded"].contains(&key);
        assert!(
            is_section || is_value || template().contains(&format!("# {key} = ")),
            "the template lacks {key}"
        );
    }
}
