//! Output schemas: `cargo bench --bench schema`.
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tapecheck::internals::check::schema::{CompiledSchema, Schemas};
use tapecheck::internals::json::{Raw, scan_document, to_value};
use tapecheck::internals::rulebook::{
    DialectRule, JsonNull, SchemaRule, UncompilableSchema, UnknownFormat,
};

const SCHEMA: &str = r##"{
    "$defs": {"Hit": {"type": "object", "title": "Hit", "properties": {
        "id": {"title": "Id", "type": "integer", "minimum": 0},
        "title": {"title": "Title", "type": "string"},
        "url": {"title": "Url", "type": "string", "format": "uri"},
        "score": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": null},
        "kind": {"enum": ["page", "file", "note"], "type": "string"},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 40}}
    }, "required": ["id", "title", "kind"]}},
    "properties": {
        "query": {"type": "string"},
        "total": {"type": "integer"},
        "hits": {"type": "array", "items": {"$ref": "#/$defs/Hit"}}
    },
    "required": ["hits"], "title": "searchOutput", "type": "object"
}"##;

fn rule() -> SchemaRule {
    SchemaRule {
        dialect: DialectRule::Declared,
        assert_formats: None,
        unknown_format: UnknownFormat::Ignored,
        uncompilable: UncompilableSchema::Reported,
        json_null: JsonNull::IsValue,
        on_errors: false,
    }
}

/// A reply of about 0.9 KB; `last` is the kind of its last hit.
fn reply(last: &str) -> String {
    let hit = |id: u32, kind: &str| {
        format!(
            r#"{{"id":{id},"title":"Minutes of the {id}th meeting in Zürich","url":"https://example.com/minutes/{id}","score":0.{id},"kind":"{kind}","tags":["minutes","2026","board"]}}"#
        )
    };
    let hits: Vec<String> = [(11, "page"), (12, "file"), (13, "note"), (14, "page"), (15, last)]
        .map(|(id, kind)| hit(id, kind))
        .into();
    format!(r#"{{"query":"minutes of the board","total":5,"hits":[{}]}}"#, hits.join(","))
}

fn scanned(text: &str) -> Raw<'_> {
    scan_document(text, 512).expect("the reply is well-formed")
}

fn schema(criterion: &mut Criterion) {
    let compiled = CompiledSchema::compile(SCHEMA, &rule());
    let plain = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let plain = jsonschema::options().offline().build(&plain).expect("the schema compiles");
    let (good, bad) = (reply("note"), reply("no such kind"));
    let mut group = criterion.benchmark_group("schema");
    group.throughput(Throughput::Bytes(good.len() as u64));
    group.bench_function("scan alone", |bench| bench.iter(|| scan_document(black_box(&good), 512)));
    group.bench_function("conforming", |bench| {
        let raw = scanned(&good);
        bench.iter(|| compiled.check(black_box(raw)));
    });
    group.bench_function("conforming, by value", |bench| {
        let raw = scanned(&good);
        bench.iter(|| plain.is_valid(&to_value(black_box(raw))));
    });
    group.bench_function("refused", |bench| {
        let raw = scanned(&bad);
        bench.iter(|| compiled.check(black_box(raw)));
    });
    group.finish();
    let schemas = Schemas::new(rule());
    criterion.bench_function("schema/compile", |bench| {
        bench.iter(|| CompiledSchema::compile(black_box(SCHEMA), &rule()));
    });
    criterion
        .bench_function("schema/look up", |bench| bench.iter(|| schemas.get(black_box(SCHEMA))));
}

criterion_group!(benches, schema);
criterion_main!(benches);
