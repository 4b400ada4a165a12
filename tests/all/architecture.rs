//! Holds the code against what `docs/ARCHITECTURE.md` says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
const DOCUMENT: &str = include_str!("../../docs/ARCHITECTURE.md");

/// The longest a file may be, its tests included.
const MAX_LINES: usize = 700;
/// The longest `main.rs` may be.
const MAX_MAIN: usize = 60;

/// A source file.
struct Source {
    /// Its path below `src`, with slashes.
    path: String,
    /// Its text.
    text: String,
}

impl Source {
    /// The top-level module it belongs to.
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// Its lines with their numbers, without comments and without what only tests see.
    fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut lines = self.text.lines().enumerate();
        std::iter::from_fn(move || {
            loop {
                let (at, line) = lines.next()?;
                let code = line.trim_start();
                if code.starts_with("#[cfg(test)]") {
                    let (_, item) = lines.next()?;
                    if !item.ends_with(';') {
                        // An item ends with a brace that stands as far in as its first line.
                        let end = format!("{}}}", &line[..line.len() - code.len()]);
                        lines.by_ref().find(|(_, line)| *line == end)?;
                    }
                } else if !code.starts_with("//") {
                    return Some((at + 1, line));
                }
            }
        })
    }

    /// The files and folders that it declares as modules, without their ending.
    fn modules(&self) -> Vec<String> {
        let folder = match self.path.as_str() {
            "lib.rs" | "main.rs" => "",
            path => path.strip_suffix("mod.rs").unwrap_or(path),
        };
        let folder = folder.strip_suffix(".rs").map_or(folder.to_owned(), |own| format!("{own}/"));
        let names = self.text.lines().filter_map(module_named);
        names.map(|name| format!("{folder}{name}")).collect()
    }

    /// Those of them that only tests see.
    fn test_modules(&self) -> Vec<String> {
        let product: Vec<&str> = self.product_lines().map(|(_, line)| line).collect();
        let product = Self { path: self.path.clone(), text: product.join("\n") }.modules();
        self.modules().into_iter().filter(|module| !product.contains(module)).collect()
    }
}

/// The module that a line declares to be in a file of its own.
fn module_named(line: &str) -> Option<&str> {
    let (visible, name) = line.trim().strip_suffix(';')?.split_once("mod ")?;
    (visible.is_empty() || visible.starts_with("pub")).then_some(name)
}

/// Every Rust file below `src`, sorted.
fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(SOURCE)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path.strip_prefix(SOURCE).expect("a file below src");
                let path_text = below.to_string_lossy().replace('\\', "/");
                let text = fs::read_to_string(&path).expect("a readable file");
                found.push(Source { path: path_text, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 50, "only {} files were found", found.len());
    found
}

/// The files that end up in the product.
fn product_sources() -> Vec<Source> {
    let all = sources();
    let for_tests: Vec<String> = all.iter().flat_map(Source::test_modules).collect();
    all.into_iter()
        .filter(|source| {
            !for_tests.iter().any(|module| {
                source.path == format!("{module}.rs")
                    || source.path.starts_with(&format!("{module}/"))
            })
        })
        .collect()
}

/// The table of the document: each module with those it may use.
fn allowed() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let rows: Vec<Vec<&str>> = DOCUMENT
        .lines()
        .skip_while(|line| !line.starts_with("| module |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let quoted = |cell: &'static str| cell.split('`').skip(1).step_by(2);
    let table: BTreeMap<&str, BTreeSet<&str>> = rows
        .iter()
        .filter_map(|row| Some((quoted(row[0]).next()?, quoted(row.get(2)?).collect())))
        .collect();
    assert!(table.len() > 5, "the table of modules was not found in docs/ARCHITECTURE.md");
    table
}

/// The modules of this crate that a line names.
fn named_modules(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}

fn assert_none(complaints: &[String], rule: &str) {
    assert!(complaints.is_empty(), "{rule}\n{}", complaints.join("\n"));
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let allowed = allowed();
    let mut unused = allowed.clone();
    let mut complaints = Vec::new();
    for source in product_sources() {
        let module = source.module();
        if matches!(module, "main" | "lib") {
            continue;
        }
        let Some(may_use) = allowed.get(module) else {
            complaints.push(format!("src/{}: `{module}` is not in the table", source.path));
            continue;
        };
        for (number, line) in source.product_lines() {
            for used in named_modules(line).filter(|used| *used != module) {
                if let Some(rest) = unused.get_mut(module) {
                    rest.remove(used);
                }
                if !may_use.contains(used) {
                    let path = &source.path;
                    complaints.push(format!("src/{path}:{number}: `{module}` uses `{used}`"));
                }
            }
        }
    }
    assert_none(&complaints, "these uses are not in the table of docs/ARCHITECTURE.md:");
    unused.retain(|_, rest| !rest.is_empty());
    assert!(unused.is_empty(), "nobody makes these uses of docs/ARCHITECTURE.md: {unused:?}");
}

#[test]
fn the_table_has_no_circles_and_names_only_modules_that_exist() {
    let allowed = allowed();
    let mut complaints = Vec::new();
    for (module, may_use) in &allowed {
        let place = Path::new(SOURCE).join(module);
        if !place.is_dir() && !place.with_extension("rs").is_file() {
            complaints.push(format!("there is no module `{module}`"));
        }
        for used in may_use.iter().filter(|used| !allowed.contains_key(*used)) {
            complaints.push(format!("`{module}` may use `{used}`, which has no row"));
        }
    }
    // Whoever can be left behind first, again and again, is in no circle.
    let mut left: BTreeSet<&str> = allowed.keys().copied().collect();
    while let Some(free) = left.iter().copied().find(|module| allowed[module].is_disjoint(&left)) {
        left.remove(free);
    }
    complaints.extend(left.iter().map(|module| format!("`{module}` is in a circle")));
    assert_none(&complaints, "the table of docs/ARCHITECTURE.md does not hold together:");
}

#[test]
fn every_file_is_compiled() {
    let sources = sources();
    let mut reached: BTreeSet<String> = ["lib.rs", "main.rs"].map(str::to_owned).into();
    loop {
        let before = reached.len();
        for source in &sources {
            if reached.contains(&source.path) {
                let modules = source.modules().into_iter();
                reached.extend(modules.flat_map(|it| [format!("{it}.rs"), format!("{it}/mod.rs")]));
            }
        }
        if reached.len() == before {
            break;
        }
    }
    let forgotten = sources.iter().filter(|source| !reached.contains(&source.path));
    let complaints: Vec<String> = forgotten.map(|source| format!("src/{}", source.path)).collect();
    assert_none(&complaints, "no `mod` line leads to these files, so nothing compiles them:");
}

#[test]
fn files_are_short() {
    let too_long = |source: &Source| {
        let most = if source.path == "main.rs" { MAX_MAIN } else { MAX_LINES };
        let lines = source.text.lines().count();
        (lines > most).then(|| format!("src/{}: {lines} lines, at most {most}", source.path))
    };
    let complaints: Vec<String> = sources().iter().filter_map(too_long).collect();
    assert_none(&complaints, "these files should be cut in two:");
}

#[test]
fn only_the_command_line_prints() {
    const MACROS: [&str; 4] = ["print!(", "println!(", "eprint!(", "eprintln!("];
    let mut complaints = Vec::new();
    for source in product_sources().iter().filter(|source| source.module() != "cli") {
        for (number, line) in source.product_lines() {
            if MACROS.iter().any(|printing| line.contains(printing)) {
                complaints.push(format!("src/{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    assert_none(&complaints, "only src/cli may print:");
}

#[test]
fn no_rulebook_is_known_by_its_name() {
    let names = tapecheck::internals::rulebook::builtin_names();
    let mut complaints = Vec::new();
    for source in product_sources() {
        // The list of built-in files and the default of a flag name them; nobody else may. A program may have the name of a
        // rulebook.
        if source.path == "rulebook/load.rs" || source.module() == "program" {
            continue;
        }
        for (number, line) in source.product_lines() {
            let is_default = line.trim_start().starts_with("#[arg(");
            let mentions_one = names.iter().any(|name| line.contains(&format!("\"{name}\"")));
            if mentions_one && !is_default {
                complaints.push(format!("src/{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    assert_none(&complaints, "rulebooks are data; these lines name one:");
}

#[test]
fn the_readers_of_this_test_see_what_it_sees() {
    let text = "use crate::json::Raw;\n// crate::cli\nmod near;\n#[cfg(test)]\nmod far;\nfn f() { crate::recording::x() }\n#[cfg(test)]\nfn g() {\n    crate::run::y();\n}\nfn h() { crate::verdict::z() }\n";
    let source = Source { path: "check/mod.rs".to_owned(), text: text.to_owned() };
    let named: Vec<&str> =
        source.product_lines().flat_map(|(_, line)| named_modules(line)).collect();
    assert_eq!(named, ["json", "recording", "verdict"]);
    assert_eq!(source.module(), "check");
    assert_eq!(source.modules(), ["check/near", "check/far"]);
    assert_eq!(source.test_modules(), ["check/far"]);
    let modules =
        |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() }.modules();
    assert_eq!(modules("lib.rs", "mod one;\npub(crate) mod two;\n// mod three;"), ["one", "two"]);
    assert_eq!(modules("check/one.rs", "    mod two;\nmod here {"), ["check/one/two"]);
}
