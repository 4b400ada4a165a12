//! Whether a change is all right: a comparison held against a policy that is data.
//!
//! A [`Policy`] is a TOML file of rules and waivers. [`evaluate`] gives one [`RuleVerdict`] for each
//! rule; the [`GateReport`] of them is the one model that every output is written from.

mod evaluate;
mod evidence;
mod glob;
mod policy;
mod report;
mod rules;
#[cfg(test)]
mod sample;
mod show;
#[cfg(test)]
mod tests;
mod traffic;
mod waive;

pub use evaluate::{NotComparable, evaluate};
pub use evidence::Evidence;
pub use policy::{Policy, PolicyError, Sets};
pub use report::{Advised, CallPlace, Finding, GateReport, Outcome, RuleVerdict};
pub use rules::{RULES, RuleKind, WAIVERS};
pub(crate) use show::sections;
pub use show::{annotations, json, junit, markdown, sarif};
pub use waive::WaiverKey;
