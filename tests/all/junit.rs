//! What readers of `JUnit` XML ask for: the dialect of Maven Surefire and of Jenkins' plugin, whose schemas
//! differ in little. What either of them asks for is a rule here.

use roxmltree::{Document, Node};
use std::collections::BTreeSet;

/// An element: the attributes it must have, those it may have, and what may stand in it, in this order.
struct Rule {
    name: &'static str,
    required: &'static [&'static str],
    allowed: &'static [&'static str],
    children: &'static [&'static str],
}

const RULES: [Rule; 6] = [
    Rule {
        name: "testsuites",
        required: &[],
        allowed: &["name", "time", "tests", "failures", "errors", "skipped", "disabled"],
        children: &["testsuite"],
    },
    Rule {
        name: "testsuite",
        required: &["name", "time", "tests", "failures", "errors", "skipped"],
        allowed: &["timestamp", "hostname", "id", "package", "disabled"],
        children: &["properties", "testcase", "system-out", "system-err"],
    },
    Rule {
        name: "testcase",
        required: &["name", "classname", "time"],
        allowed: &["status", "assertions", "file", "line"],
        children: &["skipped", "error", "failure", "system-out", "system-err"],
    },
    Rule { name: "failure", required: &["type"], allowed: &["message"], children: &[] },
    Rule { name: "error", required: &["type"], allowed: &["message"], children: &[] },
    Rule { name: "skipped", required: &[], allowed: &["message", "type"], children: &[] },
];

/// What a reader would not take.
pub(crate) fn mistakes(xml: &str) -> Vec<String> {
    let document = match Document::parse(xml) {
        Ok(document) => document,
        Err(error) => return vec![format!("no XML: {error}")],
    };
    let root = document.root_element();
    if !matches!(root.tag_name().name(), "testsuites" | "testsuite") {
        return vec![format!("<{}> is no report", root.tag_name().name())];
    }
    let mut found = Vec::new();
    if !xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>") {
        found.push("it does not say what it is encoded in".to_owned());
    }
    for node in root.descendants().filter(Node::is_element) {
        element(node, &mut found);
    }
    for suite in root.descendants().filter(|node| is(*node, "testsuite")) {
        counts(suite, &mut found);
        let cases = suite.children().filter(|node| is(*node, "testcase"));
        let names: Vec<_> =
            cases.map(|case| (case.attribute("classname"), case.attribute("name"))).collect();
        if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
            found.push(format!("{:?} has two cases of one name", suite.attribute("name")));
        }
    }
    if is(root, "testsuites") {
        counts(root, &mut found);
    }
    found
}

fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

fn element(node: Node<'_, '_>, found: &mut Vec<String>) {
    let name = node.tag_name().name();
    let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
        // Of these, anything goes.
        if !matches!(name, "properties" | "property" | "system-out" | "system-err") {
            found.push(format!("<{name}> is unknown"));
        }
        return;
    };
    for required in rule.required {
        if node.attribute(*required).is_none_or(str::is_empty) {
            found.push(format!("<{name}> has no {required}"));
        }
    }
    for attribute in node.attributes() {
        let (key, value) = (attribute.name(), attribute.value());
        if !rule.required.contains(&key) && !rule.allowed.contains(&key) {
            found.push(format!("<{name}> has an attribute {key}"));
        }
        let is_right = match key {
            "tests" | "failures" | "errors" | "skipped" | "disabled" => {
                value.parse::<u64>().is_ok()
            }
            // Surefire's are decimals without signs or exponents.
            "time" => value.chars().all(|c| c.is_ascii_digit() || c == '.') && !value.is_empty(),
            _ => true,
        };
        if !is_right {
            found.push(format!("{key} of <{name}> is {value}"));
        }
    }
    let mut last = 0;
    for child in node.children().filter(Node::is_element) {
        let child = child.tag_name().name();
        match rule.children.iter().position(|known| *known == child) {
            None => found.push(format!("<{child}> stands in <{name}>")),
            Some(at) if at < last => found.push(format!("<{child}> stands too late in <{name}>")),
            Some(at) => last = at,
        }
    }
    let is_text = |child: &Node<'_, '_>| {
        child.is_text() && child.text().is_some_and(|text| !text.trim().is_empty())
    };
    if matches!(name, "testsuites" | "testsuite" | "testcase")
        && node.children().any(|child| is_text(&child))
    {
        found.push(format!("text stands in <{name}>"));
    }
    let ends = node
        .children()
        .filter(|it| ["skipped", "error", "failure"].into_iter().any(|name| is(*it, name)));
    if name == "testcase" && ends.count() > 1 {
        found.push("a case ends in two ways".to_owned());
    }
}

/// The counts of a suite are those of its cases.
fn counts(suite: Node<'_, '_>, found: &mut Vec<String>) {
    let cases: Vec<_> = suite.descendants().filter(|node| is(*node, "testcase")).collect();
    let ending =
        |end: &str| cases.iter().filter(|case| case.children().any(|it| is(it, end))).count();
    for (attribute, count) in [
        ("tests", cases.len()),
        ("failures", ending("failure")),
        ("errors", ending("error")),
        ("skipped", ending("skipped")),
    ] {
        if let Some(told) = suite.attribute(attribute)
            && told != count.to_string()
        {
            let name = suite.attribute("name");
            found.push(format!("{name:?} tells {attribute}={told} and has {count}"));
        }
    }
}

#[test]
fn mistakes_are_found() {
    let report = |cases: &str, counts: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites><testsuite name=\"a\" \
             time=\"0\" skipped=\"0\" {counts}>{cases}</testsuite></testsuites>"
        )
    };
    let one = "tests=\"1\" failures=\"0\" errors=\"0\"";
    let case = "<testcase classname=\"a\" name=\"b\" time=\"0\"/>";
    assert_eq!(mistakes(&report(case, one)), Vec::<String>::new());
    for (cases, counts, about) in [
        (case, "tests=\"2\" failures=\"0\" errors=\"0\"", "tells tests=2 and has 1"),
        (case, "tests=\"1\" failures=\"0\"", "has no errors"),
        ("<testcase name=\"b\"/>", one, "has no classname"),
        ("<testcase classname=\"a\" name=\"b\" time=\"-1e3\"/>", one, "time of <testcase>"),
        ("<testcase classname=\"a\" name=\"b\" took=\"1\"/>", one, "an attribute took"),
        ("<testcase classname=\"a\" name=\"b\">x</testcase>", one, "text stands in"),
        ("<testcase classname=\"a\" name=\"b\"><failure/></testcase>", one, "has no type"),
        (
            "<testcase classname=\"a\" name=\"b\"><system-out/><skipped/></testcase>",
            one,
            "stands too late",
        ),
        ("<case/>", one, "<case> is unknown"),
    ] {
        let found = mistakes(&report(cases, counts)).join("; ");
        assert!(found.contains(about), "{about} is not in {found}");
    }
    let twice = format!("{case}{case}");
    let two = "tests=\"2\" failures=\"0\" errors=\"0\"";
    assert!(mistakes(&report(&twice, two)).join(";").contains("two cases of one name"));
    assert!(!mistakes("<html/>").is_empty() && !mistakes("<a>").is_empty());
}
