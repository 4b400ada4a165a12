//! The formats that the common JavaScript validator of draft 7 knows, as loosely as it checks them.

use super::pattern::Pattern;
use regex::Regex;
use serde_json::Value;
use std::collections::HashSet;
use std::net::Ipv6Addr;
use std::sync::LazyLock;

pub(super) type FormatCheck = fn(&str) -> bool;

pub(super) const KNOWN: [(&str, FormatCheck); 16] = [
    ("date", |text| DATE.is_match(text)),
    ("time", |text| TIME.is_match(text)),
    ("date-time", |text| DATE_TIME.is_match(text)),
    ("uri", |text| URI.is_match(text)),
    ("uri-reference", |text| URI_REFERENCE.is_match(text)),
    ("uri-template", |text| URI_TEMPLATE.is_match(text)),
    ("url", |text| URL.is_match(text)),
    ("email", |text| EMAIL.is_match(text)),
    ("hostname", |text| text.trim_end_matches('.').len() <= 253 && HOSTNAME.is_match(text)),
    ("ipv4", is_ipv4),
    ("ipv6", |text| text.trim() == text && text.parse::<Ipv6Addr>().is_ok()),
    ("regex", |text| Pattern::new(text).is_some()),
    ("uuid", |text| UUID.is_match(text)),
    ("json-pointer", |text| POINTER.is_match(text)),
    ("json-pointer-uri-fragment", |text| POINTER_FRAGMENT.is_match(text)),
    ("relative-json-pointer", |text| RELATIVE_POINTER.is_match(text)),
];

/// Whether a format of this name exists.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|(known, _)| *known == name)
}

macro_rules! shapes {
    ($($name:ident = $shape:expr;)*) => {
        $(static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($shape).expect("a shape written here compiles"));)*
    };
}

shapes! {
    DATE = r"^[0-9]{4}-[01][0-9]-[0-3][0-9]\z";
    TIME = r"(?i-u)^(?:[0-2][0-9]:[0-5][0-9]:[0-5][0-9]|23:59:60)(?:\.[0-9]+)?(?:z|[+-][0-9]{2}(?::?[0-9]{2})?)?\z";
    DATE_TIME = r"(?i)^[0-9]{4}-[01][0-9]-[0-3][0-9][t\s\x{FEFF}&&[^\x{85}]](?:[0-2][0-9]:[0-5][0-9]:[0-5][0-9]|23:59:60)(?:\.[0-9]+)?(?:z|[+-][0-9]{2}(?::?[0-9]{2})?)\z";
    URI = r"^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s\x{FEFF}]*\z";
    URI_REFERENCE = r"^(?:(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?/?/)?(?:[^\\\s\x{FEFF}#][^\s\x{FEFF}#]*)?(?:#[^\\\s\x{FEFF}]*)?\z";
    URI_TEMPLATE = r#"^(?:[^\x00-\x20"'<>%\\^`{|}]|%[0-9a-fA-F]{2}|\{[+#./;?&=,!@|]?(?:[a-zA-Z0-9_]|%[0-9a-fA-F]{2})+(?::[1-9][0-9]{0,3}|\*)?(?:,(?:[a-zA-Z0-9_]|%[0-9a-fA-F]{2})+(?::[1-9][0-9]{0,3}|\*)?)*\})*\z"#;
    URL = r"^(?i:https?|ftp)://(?:[^\s/@]+@)?(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*(?:\.[\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*)*\.\p{L}{2,})(?::[0-9]{2,5})?(?:/[^\s]*)?\z";
    EMAIL = r"^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\z";
    HOSTNAME = r"^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\.?\z";
    UUID = r"^(?i:urn:uuid:)?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\z";
    POINTER = r"^(?:/(?:[^~/]|~[01])*)*\z";
    POINTER_FRAGMENT = r"^#(?:/(?:[a-zA-Z0-9_.!$&'()*+,;:=@-]|%[0-9a-fA-F]{2}|~[01])*)*\z";
    RELATIVE_POINTER = r"^(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)\z";
}

fn is_ipv4(text: &str) -> bool {
    let octets: Vec<&str> = text.split('.').collect();
    octets.len() == 4
        && octets.iter().all(|octet| {
            (1..=3).contains(&octet.len())
                && octet.bytes().all(|byte| byte.is_ascii_digit())
                && octet.parse::<u8>().is_ok()
        })
}

/// Fails on a format that nobody knows, looking only where that validator compiles: not into
/// definitions that nothing refers to, not beside a reference, not into an `if` without branches.
pub(super) fn check_reachable(root: &Value) -> Result<(), String> {
    let mut met = HashSet::new();
    let mut open = vec![root];
    while let Some(schema) = open.pop() {
        let Value::Object(keywords) = schema else {
            continue;
        };
        if !met.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            open.extend(reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer)));
            continue;
        }
        if let Some(Value::String(name)) = keywords.get("format")
            && !is_known(name)
        {
            return Err(format!("the format {name:?} is unknown"));
        }
        let has_branch = keywords.contains_key("then") || keywords.contains_key("else");
        let has_list = keywords.get("items").is_some_and(Value::is_array);
        for (keyword, value) in keywords {
            let compiled = match keyword.as_str() {
                "additionalProperties"
                | "allOf"
                | "anyOf"
                | "contains"
                | "items"
                | "not"
                | "oneOf"
                | "propertyNames" => true,
                "if" => has_branch,
                "then" | "else" => keywords.contains_key("if"),
                "additionalItems" => has_list,
                "dependencies" | "patternProperties" | "properties" => {
                    open.extend(value.as_object().into_iter().flat_map(serde_json::Map::values));
                    false
                }
                _ => false,
            };
            match value {
                Value::Array(list) if compiled => open.extend(list),
                inner if compiled => open.push(inner),
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(format: &str, text: &str) -> bool {
        let (_, check) = KNOWN.iter().find(|(name, _)| *name == format).expect("a known format");
        check(text)
    }

    #[test]
    fn dates_are_checked_by_their_shape_only() {
        assert!(
            holds("date-time", "2024-13-01T00:00:00Z")
                && holds("date-time", "2024-01-01 00:00:00z")
        );
        assert!(!holds("date-time", "2024-01-01T00:00:00") && holds("time", "00:00:00"));
        assert!(!holds("date", "2024-99-99") && holds("date", "2024-01-39"));
    }

    #[test]
    fn addresses_and_names_are_recognised() {
        assert!(holds("uri", "a:b") && !holds("uri", "/rel") && !holds("uri-reference", "\\\\"));
        assert!(holds("url", "http://example.com") && !holds("url", "x"));
        assert!(holds("ipv4", "01.2.3.4") && !holds("ipv4", "256.1.1.1") && holds("ipv6", "::1"));
        assert!(holds("hostname", "a.b") && !holds("hostname", "-a"));
        assert!(holds("uri-template", "/a/{b}") && !holds("uri-template", "/a/{b"));
    }
}
