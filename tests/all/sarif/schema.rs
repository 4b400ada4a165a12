//! The schema of the standard; its folder says where it is from.

/// What holds logs against it.
pub(crate) fn schema() -> jsonschema::Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/sarif/sarif-schema-2.1.0.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    let mut schema: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    // Their pattern has a bracket too many for strict readers of regexes; we write no language.
    for part in ["run", "toolComponent"] {
        let language = schema["definitions"][part]["properties"]["language"].as_object_mut();
        language.expect("a property").remove("pattern").expect("a pattern");
    }
    jsonschema::validator_for(&schema).expect("a schema")
}
