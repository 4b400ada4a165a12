//! Which draft a schema says it is written in.

use crate::rulebook::DialectRule;
use jsonschema::Draft;
use serde_json::Value;

/// The draft that `$schema` names; where it is absent the newest that is known.
pub(super) fn declared(schema: &Value, known: DialectRule) -> Result<Draft, String> {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err("the schema is neither an object nor a boolean".into());
    }
    let uri = match schema.get("$schema") {
        None if known == DialectRule::Draft7Only => return Ok(Draft::Draft7),
        None => return Ok(Draft::Draft202012),
        Some(Value::String(uri)) => uri,
        Some(_) => return Err("$schema is not a string".into()),
    };
    let name = uri.trim_end_matches(['#', '/']);
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
    match name.and_then(|name| name.strip_prefix("json-schema.org/")) {
        Some("draft-07/schema" | "schema") => Ok(Draft::Draft7),
        _ if known == DialectRule::Draft7Only => Err(format!("only draft 7 is known, not {uri:?}")),
        Some("draft-04/schema") => Ok(Draft::Draft4),
        Some("draft-06/schema") => Ok(Draft::Draft6),
        Some("draft/2019-09/schema") => Ok(Draft::Draft201909),
        Some("draft/2020-12/schema") => Ok(Draft::Draft202012),
        Some(_) | None => Err(format!("$schema names an unknown dialect: {uri:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_spelling_of_a_draft_is_known() {
        let known = DialectRule::Declared;
        let draft = |uri: &str| declared(&json!({ "$schema": uri }), known).ok();
        assert_eq!(draft("http://json-schema.org/draft-07/schema#"), Some(Draft::Draft7));
        assert_eq!(draft("https://json-schema.org/draft-04/schema"), Some(Draft::Draft4));
        assert_eq!(draft("https://json-schema.org/draft/2020-12/schema"), Some(Draft::Draft202012));
        assert_eq!(draft("file:///etc/passwd"), None);
        assert_eq!(declared(&json!({}), known), Ok(Draft::Draft202012));
        assert!(declared(&json!(null), known).is_err());
    }

    #[test]
    fn a_rulebook_may_know_draft_7_alone() {
        let draft = |schema| declared(&schema, DialectRule::Draft7Only).ok();
        assert_eq!(draft(json!({})), Some(Draft::Draft7));
        assert_eq!(
            draft(json!({"$schema": "http://json-schema.org/schema#"})),
            Some(Draft::Draft7)
        );
        assert_eq!(draft(json!({"$schema": "https://json-schema.org/draft/2020-12/schema"})), None);
        assert_eq!(draft(json!({"$schema": 7})), None);
    }
}
