//! Calls and replies, against the contract of their server.

use crate::check::contract::{Contract, OutputContext};
use crate::check::payload::payload;
use crate::check::table::{Around, Asked, Findings};
use crate::check::text::judged_error_text;
use crate::json::{Raw, scan_document};
use crate::recording::{Exchange, ExchangeKind, ReplyKind};
use crate::verdict::{Issue, NotApplied, Side};

pub(in crate::check) fn check(
    exchange: &Exchange<'_>,
    around: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    if exchange.kind != ExchangeKind::ToolCall {
        return Asked::No(NotApplied::OtherKind);
    }
    let tool = exchange.tool.name.as_str();
    let Some((_, contract)) = around.checks.contract_of(&exchange.server, tool) else {
        return Asked::No(NotApplied::NothingGiven);
    };
    look(contract, exchange, findings);
    // The rulebook may have read the same in the text.
    let is_known = around.conclusion.hidden_failure() == Some(true);
    if exchange.reply.kind() == ReplyKind::Result && !is_known {
        let issue = payload(exchange).with_value(|output| contract.check_success(output));
        findings.add(Side::Reply, issue.flatten());
    }
    Asked::Yes
}

/// What a contract has to say of a call of one of its tools; `None` where it is not about the exchange.
pub fn issues_under(contract: &Contract, exchange: &Exchange<'_>) -> Option<Vec<Issue>> {
    let is_meant = exchange.kind == ExchangeKind::ToolCall
        && contract.applies_to(&exchange.server, &exchange.tool.name);
    is_meant.then(|| {
        let mut findings = Findings::default();
        look(contract, exchange, &mut findings);
        findings.issues
    })
}

fn look(contract: &Contract, exchange: &Exchange<'_>, findings: &mut Findings) {
    let tool = exchange.tool.name.as_str();
    let none = scan_document("{}", 1).ok();
    let arguments = exchange.input.as_ref().map(|input| input.raw()).or(none);
    if let Some(arguments) = arguments {
        let input = contract.check_input(tool, arguments);
        findings.add(Side::Caller, input.issues);
        findings.sanitized = input.sanitized;
    }
    let original = exchange.original.as_ref().map(|original| original.raw());
    let input: Option<Raw<'_>> = exchange.input.as_ref().map(|input| input.raw());
    let kind = exchange.reply.kind();
    // Without a flag, what the contract says of responses is what those look like that succeeded.
    // Nothing is certain of a response of which a part was left out.
    let is_response = !exchange.is_cut() && (contract.has_response_flag() || !kind.is_error());
    let issues_of = is_response.then(|| {
        payload(exchange).with_value(|output| {
            let context = OutputContext { input, output, original };
            findings.add(Side::Reply, contract.check_output(tool, context));
        })
    });
    if issues_of.flatten().is_some() {
        return;
    }
    match kind {
        ReplyKind::Result if exchange.is_cut() => {}
        ReplyKind::Result => findings.add(Side::Reply, contract.check_missing_output(tool)),
        // An error that is no response object still must not show what stays inside.
        ReplyKind::ToolError | ReplyKind::ProtocolError => {
            let text = judged_error_text(exchange);
            findings
                .add(Side::Reply, text.and_then(|text| contract.check_error_text(&text, input)));
        }
        ReplyKind::NoReply | ReplyKind::Document => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Bounds, read_exchange};

    const FLAGGED: &str = "[response]\nflag = \"ok\"\n";
    const OUTPUT: &str =
        "[tools.star.output.properties]\nname = { type = \"string\", required = true }\n";

    /// What a contract of the tool `star` has to say of a reply.
    fn issues_of(more: &str, response: &str) -> Vec<(&'static str, Option<String>)> {
        let contract = format!("name = \"stars\"\n[tools.star]\n{more}");
        let contract = Contract::from_toml(&contract, "stars.toml");
        let contract = contract.unwrap_or_else(|error| panic!("{error}"));
        let line = format!(r#"{{"tool":"star","input":{{}},"response":{response}}}"#);
        let exchange = read_exchange(&line, &Bounds::default()).expect("a call");
        let issues = issues_under(&contract, &exchange).expect("its tool");
        issues.into_iter().map(|issue| (issue.kind.name(), issue.location)).collect()
    }

    fn text(text: &str, is_error: bool) -> String {
        let text = serde_json::to_string(text).expect("plain data");
        format!(r#"{{"isError":{is_error},"content":[{{"type":"text","text":{text}}}]}}"#)
    }

    #[test]
    fn a_reply_without_an_object_keeps_no_contract_that_asks_for_one() {
        let no_object = [("response_type", Some("root".to_owned()))];
        for reply in ["Done", "{\"ok\":", "", "[1]"] {
            assert_eq!(issues_of(FLAGGED, &text(reply, false)), no_object, "{reply}");
            assert_eq!(issues_of(OUTPUT, &text(reply, false)), no_object, "{reply}");
            assert_eq!(issues_of("", &text(reply, false)), [], "nothing is asked for");
        }
        let optional = OUTPUT.replace(", required = true", "");
        assert_eq!(issues_of(&optional, &text("Done", false)), []);
        assert_eq!(issues_of(FLAGGED, r#"{"content":[]}"#), no_object);
        assert_eq!(
            issues_of(FLAGGED, &text("Out of stars", true)),
            [],
            "an error may be plain text"
        );
        assert_eq!(issues_of(OUTPUT, "null"), [], "there is no reply");
    }

    #[test]
    fn an_object_is_found_behind_white_space_and_behind_other_texts() {
        let missing = [("invalid_response", Some("/name".to_owned()))];
        assert_eq!(issues_of(OUTPUT, &text("\n  {\"nam\": \"Sirius\"}", false)), missing);
        assert_eq!(issues_of(OUTPUT, &text("\n{\"name\": \"Sirius\"}", false)), []);
        let two = r#"{"content":[{"type":"text","text":"{Sirius}"},{"type":"text","text":"{}"}]}"#;
        assert_eq!(issues_of(OUTPUT, two), missing);
    }

    #[test]
    fn errors_are_held_against_the_output_only_where_responses_have_a_flag() {
        let failed = "{\"error\": \"no such star\"}";
        assert_eq!(issues_of(OUTPUT, &text(failed, true)), []);
        let flag = [("invalid_response", Some("/ok".to_owned()))];
        assert_eq!(issues_of(&format!("{OUTPUT}{FLAGGED}"), &text(failed, true)), flag);
        let exposed = "{\"error\": \"Traceback (most recent call last):\"}";
        assert_eq!(issues_of(OUTPUT, &text(exposed, true)), [("security_issue", None)]);
    }
}
