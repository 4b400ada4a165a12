//! A comparison as one JSON object.

use crate::compare::{
    Cause, Comparison, Example, Excerpt, Group, Header, Kind, Overlap, Proof, RateChange, Span,
    Standing,
};
use serde_json::{Value, json};

/// Marks the object as a comparison, with the version of its members.
pub const FORMAT: &str = "tapecheck-diff/1";

/// Everything apart from the list of all flips, which is a table.
#[must_use]
pub fn as_json(comparison: &Comparison) -> Value {
    let Comparison { before, after, overlap, classes, answers, rates, groups, .. } = comparison;
    let Overlap { same_exchange, same_request, only_before, only_after } = overlap;
    let kinds =
        Kind::ALL.iter().map(|kind| (kind.name().to_owned(), comparison.kind(*kind).into()));
    let noise = RateChange::noise(rates);
    json!({
        "format": FORMAT,
        "before": header(before),
        "after": header(after),
        "overlap": {
            "same_exchange": same_exchange,
            "same_request": same_request,
            "only_before": only_before,
            "only_after": only_after,
        },
        "kinds": kinds.collect::<serde_json::Map<_, _>>(),
        "classes": classes.0.iter().map(|((from, to), count)| json!({
            "from": from.name(),
            "to": to.name(),
            "exchanges": count,
        })).collect::<Vec<_>>(),
        "answers": answers.0.iter().map(|((from, to), count)| json!({
            "from": from.name(),
            "to": to.name(),
            "exchanges": count,
        })).collect::<Vec<_>>(),
        "rates": rates.iter().zip(noise).map(|(change, noise)| rate(change, noise)).collect::<Vec<_>>(),
        "groups": groups.iter().map(group).collect::<Vec<_>>(),
    })
}

fn header(header: &Header) -> Value {
    let Header {
        name,
        corpus_digest,
        rulebook,
        checks,
        version,
        rejects,
        rejected_files,
        overall_confidence,
        ..
    } = header;
    json!({
        "name": name,
        "corpus_digest": corpus_digest,
        "rulebook": { "name": rulebook.name, "digest": rulebook.digest },
        "checks": checks,
        "version": version,
        "rejects": rejects,
        "rejected_files": rejected_files.as_ref().map(|files| json!({
            "unreadable": files.unreadable,
            "unreadable_names": files.unreadable_names,
            "damaged": files.damaged,
        })),
        "overall_confidence": overall_confidence,
    })
}

fn rate(rate: &RateChange, noise: bool) -> Value {
    let RateChange { name, of, counts, lost, gained, p, interval } = rate;
    json!({
        "name": name,
        "of": of,
        "counts": counts,
        "lost": lost,
        "gained": gained,
        "p": p,
        "interval": interval,
        "noise": noise,
    })
}

fn group(group: &Group) -> Value {
    let Group { id, kind, explanation, from, to, exchanges, servers, tools, examples } = group;
    let reason = match &explanation.proof {
        Proof::Proved | Proof::Narrowed => None,
        Proof::Observed(reason) => Some(reason),
    };
    json!({
        "id": id,
        "kind": kind.name(),
        "origin": explanation.origin.name(),
        "causes": explanation.causes.iter().map(cause).collect::<Vec<_>>(),
        "proof": explanation.proof.name(),
        "unproved_because": reason,
        "from": standing(*from),
        "to": standing(*to),
        "exchanges": exchanges,
        "servers": servers,
        "tools": tools,
        "examples": examples.iter().map(example).collect::<Vec<_>>(),
    })
}

fn cause(cause: &Cause) -> Value {
    let Cause { kind, name, change } = cause;
    json!({ "kind": kind.name(), "name": name, "change": change })
}

fn standing(standing: Standing) -> Value {
    json!({ "class": standing.class.name(), "answer": standing.answer.name() })
}

fn example(example: &Example) -> Value {
    let Example { key, server, tool, file, line, lines, excerpts } = example;
    json!({
        "key": key.to_string(),
        "server": server,
        "tool": tool,
        "file": file,
        "line": line,
        "said": lines,
        "texts": excerpts.each_ref().map(|excerpt| excerpt.as_ref().map(text)),
    })
}

fn text(excerpt: &Excerpt) -> Value {
    let span = |span: &Span| json!([span.start, span.end, span.pattern]);
    json!({ "text": excerpt.text, "hits": excerpt.spans.iter().map(span).collect::<Vec<_>>() })
}
