//! The rules of others beside `calibrated`, on servers that nobody reads who writes rules: `docs/other-rules.md`.
//!
//! Each rule is written anew from what it does; no code of the projects is here.

use super::accuracy::{DIGEST, figure, may_run_sealed, part_of};
use super::part_is_current;
use crate::causes::builtin;
use crate::figures::{bundled, figures, for_each_labelled, ordinary, unread};
use regex::Regex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;
use tapecheck::internals::check::Judge;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::labels::Class;
use tapecheck::internals::measure::accuracy::Confusion;
use tapecheck::internals::measure::stats::{Headline, Settings};
use tapecheck::internals::recording::Reply as Recorded;

/// A labelled reply as a client has it.
struct Reply {
    server: String,
    /// The texts of its blocks; of an error of the protocol what the TypeScript SDK throws.
    text: String,
    /// The result, or the error of the protocol.
    body: Value,
    truth: Class,
    /// What `calibrated` says.
    ours: Class,
}

/// A rule: where it is published, and what it was made for and does.
struct Rule {
    name: &'static str,
    place: &'static str,
    does: &'static str,
    /// Whether a reply without `isError` reports a failure or refusal.
    trouble: Option<fn(&Reply) -> bool>,
    /// Whether an error is a failure or a refusal; `None` where the rule does not say.
    kind: Option<fn(&Reply) -> Option<Class>>,
}

const RULES: [Rule; 15] = [
    Rule {
        name: "only `isError`",
        place: "`google-gemini/gemini-cli`: packages/core/src/tools/mcp-tool.ts; `langchain-ai/langchain-mcp-adapters`: langchain_mcp_adapters/tools.py; `IBM/mcp-context-forge`: plugins/circuit_breaker/circuit_breaker.py",
        does: "As the protocol has it: a reply is an error where its flag says so.",
        trouble: Some(|_| false),
        kind: None,
    },
    Rule {
        name: "\"error\" or \"failed\"",
        place: "a common check; `NousResearch/hermes-agent` had it in June 2026 (pull request 52074)",
        does: "For a quick look: trouble where \"error\" or \"failed\" stands anywhere, in any case.",
        trouble: Some(|it| has(&it.text, "error|failed")),
        kind: None,
    },
    Rule {
        name: "begins with `Error:`",
        place: "`openclaw/openclaw`: pull request 67446, not merged",
        does: "For servers that write `Error:` and do not set the flag: trouble where the text is one line and begins with `Error:`.",
        trouble: Some(|it| it.text.trim().starts_with("Error:") && !it.text.trim().contains('\n')),
        kind: None,
    },
    Rule {
        name: "begins with `Error`",
        place: "`HKUDS/nanobot`: nanobot/agent/tools/registry.py",
        does: "To tell the model to try something else: trouble where the text begins with `Error`.",
        trouble: Some(|it| it.text.starts_with("Error")),
        kind: None,
    },
    Rule {
        name: "Hermes Agent",
        place: "`NousResearch/hermes-agent`: agent/display.py",
        does: "For a mark behind a finished call in a terminal, above all of the program's own tools: trouble where a JSON object has an `error`, or `success` false and a message; or where \"error\" or \"failed\" stands in quotes in the first 500 characters; or where the text begins with `Error`. Here it reads the text as the server sent it.",
        trouble: Some(|it| hermes(&it.text)),
        kind: None,
    },
    Rule {
        name: "Hermes Agent, wrapped",
        place: "`NousResearch/hermes-agent`: tools/mcp_tool_handlers.py",
        does: "The same rule as replies of MCP servers come to it: as a JSON object that holds text and structured content.",
        trouble: Some(|it| {
            let structured = it.body.get("structuredContent");
            hermes(&json!({ "result": it.text, "structuredContent": structured }).to_string())
        }),
        kind: None,
    },
    Rule {
        name: "HumanLayer, MCP calls",
        place: "`humanlayer/humanlayer`: humanlayer-wui/src/components/internal/ConversationStream/EventContent/MCPToolCallContent.tsx",
        does: "For one line about a finished call on a page: no trouble where \"successfully\", \"created\", \"updated\" or \"completed\" stands anywhere; else trouble where \"error\" or \"failed\" does. Capitals count.",
        trouble: Some(|it| {
            let says = |words: &str| words.split('|').any(|word| it.text.contains(word));
            !says("successfully|created|updated|completed") && says("error|failed")
        }),
        kind: None,
    },
    Rule {
        name: "HumanLayer, other tools",
        place: "`humanlayer/humanlayer`: utils/formatters.ts in the same folder",
        does: "For the colour of a finished call of a coding agent's tools: trouble where one of 14 phrases stands anywhere (\"error:\", \"failed to\", \"traceback\", \"not allowed\", \"no such file\" and so on), unless one of 7 denies it (\"no error\", \"0 errors)\" and so on). A 15th, of its edit tool, is left out.",
        trouble: Some(|it| has(&it.text, HUMANLAYER) && !has(&it.text, HUMANLAYER_DENIALS)),
        kind: None,
    },
    Rule {
        name: "ToolGym",
        place: "`Ziqiao-git/ToolGym`: analyze_scripts/analyze_tool_stats.py and data_loaders.py",
        does: "For the share of calls that succeed in a benchmark over 301 MCP servers, and for who is to blame: trouble where one of 16 phrases stands anywhere (\"failed to\", \"timeout\", \"status code 4\", \"validation error\", `\"error\"` and so on). Of errors an ordered list: arguments, schemas and dates are the model's (here: refusals); limits, exceptions, \"not found\", networks and other errors of a tool are the server's (here: failures).",
        trouble: Some(|it| has(&it.text, TOOLGYM)),
        kind: Some(|it| first(&it.text, TOOLGYM_ERRORS)),
    },
    Rule {
        name: "ContextForge, retry",
        place: "`IBM/mcp-context-forge`: plugins/retry_with_backoff/retry_with_backoff.py",
        does: "For the choice of calls that a gateway makes again: trouble where the structured content, or else the text as JSON (an option, set here), has `isError` or a `status_code` of 429, 500, 502, 503 or 504. An error is tried again (here: a failure) unless it has another code (here: a refusal).",
        trouble: Some(|it| {
            let structured = it.body.get("structuredContent").filter(|it| !it.is_null()).cloned();
            let told = structured.or_else(|| serde_json::from_str(&it.text).ok());
            told.is_some_and(|it| it["isError"] == true || transient(&it) == Some(true))
        }),
        kind: Some(|it| {
            let again = transient(&it.body["structuredContent"]).unwrap_or(true);
            Some(if again { Class::Failed } else { Class::Refused })
        }),
    },
    Rule {
        name: "CrewAI",
        place: "`crewAIInc/crewAI`: lib/crewai/src/crewai/tools/mcp_tool_wrapper.py",
        does: "For the choice of failed calls that a client makes again. Not again (here: a refusal) where the error speaks of authentication or has \"not found\"; else again (here: a failure) where it speaks of a connection, a network, JSON or parsing; else not.",
        trouble: None,
        kind: Some(|it| first(&it.text, CREWAI).or(Some(Class::Refused))),
    },
    Rule {
        name: "Sentry",
        place: "`getsentry/sentry-javascript`: packages/core/src/integrations/mcp-server/handlers.ts",
        does: "For the name of what a tool threw: with \"validation\" or \"protocol\" in the message a failed validation (here: a refusal), else a time-out or a failed execution (here: failures).",
        trouble: None,
        kind: Some(|it| first(&it.text, SENTRY).or(Some(Class::Failed))),
    },
    Rule {
        name: "OpenLLMetry",
        place: "`traceloop/openllmetry`: packages/opentelemetry-instrumentation-mcp/opentelemetry/instrumentation/mcp/instrumentation.py",
        does: "For the type of an error in a trace: the first number from 400 to 599 that stands alone is an HTTP status (here: a refusal below 500, else a failure). Without one, nothing is said.",
        trouble: None,
        kind: Some(|it| {
            static STATUS: LazyLock<Regex> =
                LazyLock::new(|| Regex::new(r"\b[45]\d\d\b").expect("a pattern"));
            let is_client = STATUS.find(&it.text)?.as_str().starts_with('4');
            Some(if is_client { Class::Refused } else { Class::Failed })
        }),
    },
    Rule {
        name: "bag of words",
        place: "only here",
        does: "To see what labels are worth without rules: logistic regression over the words of a text, one for each question, fitted to the labels of `learn`, `unseen`, `field`, `recorded`, `fresh` and `ordinary`.",
        trouble: Some(|it| BAGS[0].says(&it.text)),
        kind: Some(|it| Some(if BAGS[1].says(&it.text) { Class::Failed } else { Class::Refused })),
    },
    Rule {
        name: "`calibrated`",
        place: "tapecheck",
        does: "For both questions: what [its rules](rulebooks.md) say, which were learned from the same collections.",
        trouble: Some(|it| it.ours != Class::Worked),
        kind: Some(|it| Some(it.ours)),
    },
];

const HUMANLAYER: &str = "error:|failed:|failed to|exception:|traceback|was blocked|permission denied|access denied\
    |not allowed|forbidden|file has not been read yet|read it first|file not found|no such file";
const HUMANLAYER_DENIALS: &str =
    "no error|error: 0|error code 0|error code: 0|(0 errors|0 errors)|0 error(s)";
const TOOLGYM: &str = "error executing tool|error occurred during executing tool|failed to|request failed\
    |status code 4|status code 5|timed out|timeout|could not be loaded|validation error|unauthorized|forbidden\
    |\"error\"|\"status\":403|\"status\":429|\"status\":500";

/// What an error is by the first row of which something stands in it; `+` joins what must stand there together.
type Rows = &'static [(&'static str, Class)];
const TOOLGYM_ERRORS: Rows = &[
    ("is a required property|Field required|is not of type '|is not of type \"", Class::Refused),
    ("unable to parse string as an integer|is not valid under any of the given", Class::Refused),
    ("Invalid arguments for tool|Unexpected keyword argument|validation error", Class::Refused),
    ("429|Too Many Requests|rate limit|cap exceeded|quota|'NoneType' object", Class::Failed),
    ("AttributeError|Length mismatch|Lengths must match|Index+out of", Class::Failed),
    ("not found|does not exist", Class::Failed),
    ("cannot be after|invalid date", Class::Refused),
    ("timeout|connection|server_not_in_configs|could not be loaded", Class::Failed),
    ("Error calling tool+validation|Error executing tool+validation", Class::Refused),
    ("Error calling tool|Error executing tool", Class::Failed),
];
const CREWAI: Rows = &[
    ("authentication|unauthorized|not found", Class::Refused),
    ("connection|network|json|parsing", Class::Failed),
];
const SENTRY: Rows = &[("validation|protocol", Class::Refused)];

/// Whether one of some words stands in a text, in any case.
fn has(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    words.split('|').any(|word| text.contains(word))
}

/// What the first row says that is met. Words in small letters may stand there in any case.
fn first(text: &str, rows: Rows) -> Option<Class> {
    let lower = text.to_lowercase();
    let stands = |word: &str| text.contains(word) || lower.contains(word);
    let is_met = |words: &str| words.split('|').any(|all| all.split('+').all(stands));
    rows.iter().find(|(words, _)| is_met(words)).map(|(_, class)| *class)
}

fn hermes(text: &str) -> bool {
    let is_said = |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && value != "";
    let object = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    let told = object.is_some_and(|it| {
        let may_tell = it.get("error").is_some() || it["success"] == false;
        may_tell && (is_said(&it["error"]) || is_said(&it["message"]))
    });
    let begin: String = text.chars().take(500).collect();
    told || has(&begin, "\"error\"|\"failed\"") || text.starts_with("Error")
}

/// Whether the status code of a value, if it has one, is one that `ContextForge` tries again.
fn transient(value: &Value) -> Option<bool> {
    value["status_code"].as_i64().map(|code| [429, 500, 502, 503, 504].contains(&code))
}

/// Words with weights, and the weight that every text has.
struct Bag {
    words: HashMap<String, usize>,
    weights: Vec<f64>,
}

impl Bag {
    /// Fitted by stochastic gradients to texts of which some are meant, which count as much as all others together.
    fn fitted(texts: &[(&str, bool)]) -> Self {
        let mut bag = Self { words: HashMap::new(), weights: vec![0.0] };
        for word in texts.iter().flat_map(|(text, _)| words(text)) {
            let next = bag.words.len() + 1;
            bag.words.entry(word).or_insert(next);
        }
        bag.weights.resize(bag.words.len() + 1, 0.0);
        let seen: Vec<_> = texts.iter().map(|(text, meant)| (bag.places(text), *meant)).collect();
        let meant = seen.iter().filter(|(_, meant)| *meant).count() as f64;
        let half = seen.len() as f64 / 2.0;
        for epoch in 0..30 {
            // In strides, which mix the collections.
            for at in (0..seen.len()).map(|at| at * 7_919 % seen.len()) {
                let (places, is_meant) = &seen[at];
                let likely = 1.0 / (1.0 + (-bag.sum(places)).exp());
                let gain =
                    if *is_meant { (1.0 - likely) / meant } else { -likely / (half * 2.0 - meant) };
                let step =
                    gain * half * 0.5 / (1.0 + f64::from(epoch)) / (places.len() as f64).sqrt();
                for place in places {
                    bag.weights[*place] += step;
                }
            }
        }
        bag
    }

    /// Where the weights of a text are.
    fn places(&self, text: &str) -> Vec<usize> {
        let known = words(text).into_iter().filter_map(|word| self.words.get(&word).copied());
        std::iter::once(0).chain(known).collect()
    }

    fn sum(&self, places: &[usize]) -> f64 {
        let sum: f64 = places.iter().map(|place| self.weights[*place]).sum();
        sum / (places.len() as f64).sqrt()
    }

    fn says(&self, text: &str) -> bool {
        self.sum(&self.places(text)) > 0.0
    }
}

/// The different words of a text, sorted.
fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// A bag for each question, of the collections that may be read.
static BAGS: LazyLock<[Bag; 2]> = LazyLock::new(|| {
    let read = bundled().into_iter().chain(ordinary().into_iter().take(1));
    let replies: Vec<Reply> = read.flat_map(|(_, folder)| replies(&folder)).collect();
    let is_meant = |truth| !matches!(truth, Class::Worked | Class::Refused);
    [false, true].map(|flagged| {
        let asked = replies.iter().filter(|it| it.truth.is_flagged() == flagged);
        let texts: Vec<_> = asked.map(|it| (&*it.text, is_meant(it.truth))).collect();
        Bag::fitted(&texts)
    })
});

/// The labelled replies of a collection.
fn replies(folder: &Path) -> Vec<Reply> {
    let rulebook = builtin("calibrated");
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(&rulebook, &schemas);
    let mut found = Vec::new();
    for_each_labelled(folder, |exchange, said| {
        let body = match &exchange.reply {
            Recorded::Result(result) => result.raw,
            Recorded::Error(error) => error.raw,
            Recorded::Document(_) | Recorded::None => return,
        };
        let verdict = judge.judge(exchange);
        // A reply without the flag may hold a result that has it.
        let is_error = verdict.is_error.is_yes();
        found.extend(said.and_then(|said| said.class(is_error)).map(|truth| {
            let body = serde_json::from_str(body.text()).expect("JSON");
            let ours = Class::concluded(&verdict.conclusion);
            Reply { server: exchange.server.to_string(), text: text_of(&body), body, truth, ours }
        }));
    });
    found
}

fn text_of(body: &Value) -> String {
    if let Some(message) = body["message"].as_str().filter(|_| body.get("content").is_none()) {
        return format!("MCP error {}: {message}", body["code"]);
    }
    let blocks = body["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    let structured = body.get("structuredContent").filter(|_| texts.is_empty());
    structured.map_or_else(|| texts.join("\n"), Value::to_string)
}

/// The replies of a collection, of which `tapecheck stats` counts what is counted here.
fn agreed(folder: &Path) -> Vec<Reply> {
    let replies = replies(folder);
    let mut table = Confusion::default();
    for reply in &replies {
        table.add(reply.truth, Some(reply.ours));
    }
    let told = &figures(folder, "calibrated")["truth"]["classes"];
    for (name, found) in table.classes() {
        assert_eq!(json!(found.recall), told[name]["recall"], "{name} in {}", folder.display());
    }
    replies
}

/// What a rule answers to a question, as the cells of a table; `None` where it has no answer to it.
fn row(rule: &Rule, replies: &[Reply], flagged: bool) -> Option<String> {
    let mut servers: BTreeMap<&str, Confusion> = BTreeMap::new();
    for reply in replies {
        // Each server can be drawn, also one of which nothing is asked.
        let table = servers.entry(&reply.server).or_default();
        if reply.truth.is_flagged() == flagged {
            let answer = match flagged {
                true => rule.kind?(reply),
                false if rule.trouble?(reply) => Some(Class::HiddenFailure),
                false => Some(Class::Worked),
            };
            table.add(reply.truth, answer);
        }
    }
    let servers: Vec<Confusion> = servers.into_values().collect();
    let headline = json!(Headline::of(&servers, Settings::default().seed));
    let table = Confusion::of_all(&servers);
    let [refused, failed, worked] = [Class::Refused, Class::Failed, Class::Worked].map(|class| {
        let right = table.recall(class);
        (format!("{} of {}", right.hits, right.of), table.count(class, None))
    });
    Some(if flagged {
        let balanced = figure(&headline, "balanced_accuracy");
        format!("{} | {} | {} | {balanced}", failed.0, refused.0, failed.1 + refused.1)
    } else {
        let figures = ["recall", "precision", "balanced_accuracy"];
        let [recall, precision, balanced] =
            figures.map(|name| figure(&headline, &format!("hidden_failure_{name}")));
        format!("{recall} | {precision} | {} | {balanced}", worked.0)
    })
}

/// The tables of both questions over each collection that nobody reads.
fn tables(digest: &str) -> String {
    let mut text = format!("The figures of `calibrated` are those of digest `{digest}`.\n");
    let folders = unread().into_iter().chain(ordinary().into_iter().skip(1));
    let collections: Vec<_> = folders.map(|(name, folder)| (name, agreed(&folder))).collect();
    let questions = [
        (
            false,
            "Who finds the trouble without the flag?",
            "trouble found (recall) | of its alarms true (precision) | successes left alone | balanced accuracy",
        ),
        (
            true,
            "Who tells a failure from a refusal?",
            "failures found | refusals found | nothing said | balanced accuracy",
        ),
    ];
    for (flagged, title, head) in questions {
        let _ = writeln!(text, "\n### {title}");
        for (name, replies) in &collections {
            let asked = replies.iter().filter(|it| it.truth.is_flagged() == flagged);
            let servers: BTreeSet<&str> = asked.clone().map(|it| &*it.server).collect();
            let (replies_of, servers) = (asked.count(), servers.len());
            let what = if flagged { "errors" } else { "replies without the flag" };
            let _ = writeln!(text, "\n`{name}`: {replies_of} {what}, of {servers} servers.\n");
            let _ = writeln!(text, "| rule | {head} |\n|---|---|---|---|---|");
            for rule in &RULES {
                if let Some(cells) = row(rule, replies, flagged) {
                    let _ = writeln!(text, "| {} | {cells} |", rule.name);
                }
            }
        }
    }
    let silent = RULES.iter().filter(|rule| rule.kind.is_none()).map(|rule| rule.name);
    text + "\nNot answered by: " + &silent.collect::<Vec<_>>().join("; ") + "."
}

#[test]
fn the_rules_of_others_are_those_of_the_table() {
    let mut text =
        String::from("| rule | published in | what it is for, and what it does |\n|---|---|---|");
    for Rule { name, place, does, .. } in &RULES {
        let _ = write!(text, "\n| {name} | {place} | {does} |");
    }
    let marks = ("<!-- other rules, written by a test -->", "<!-- end of the other rules -->");
    part_is_current("docs/other-rules.md", marks, &text);
}

#[test]
fn the_figures_of_other_rules_stand_beside_those_of_the_rulebook_that_they_name() {
    let marks = ("<!-- their figures, written by a test -->", "<!-- end of their figures -->");
    let digest = &builtin("calibrated").digest[..DIGEST];
    let is_of_this = part_of("docs/other-rules.md", marks).contains(&format!("digest `{digest}`"));
    if is_of_this || may_run_sealed() {
        part_is_current("docs/other-rules.md", marks, &tables(digest));
    }
}
