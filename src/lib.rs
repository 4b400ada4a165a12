//! Judges recorded MCP tool traffic in bulk, with a rulebook that is data.
//!
//! The modules are the pipeline, in the order in which data flows:
//!
//! 1. [`corpus`] walks files and folders, decompresses, cuts tapes into records and pairs calls with
//!    their answers; [`format`](mod@format) knows how recordings are written down, [`json`] scans
//!    them. What cannot be read becomes a [`corpus::Reject`].
//! 2. [`tape`] is what comes out: an [`Exchange`](tape::Exchange) with its [`Reply`](tape::Reply) and
//!    its [`Keys`](tape::Keys).
//! 3. [`rulebook`] turns a TOML file into a [`Rulebook`](rulebook::Rulebook): facts, factors,
//!    thresholds, endings.
//! 4. [`check`] judges an exchange by it, and yields a [`Verdict`](verdict::Verdict).
//! 5. [`run`](mod@run) does so for a whole corpus on many threads, [`tally`] counts, [`report`] writes
//!    the run folder.
//! 6. [`contract`] holds the calls of one server against what its tools take and give, with rules
//!    written as [`expression`]s.
//! 7. [`compare`] holds two runs against each other and says what changed by what cause, and
//!    [`baseline`] keeps accepted verdicts as text that people review; [`review`] is the deciding.
//! 8. [`gate`] holds what changed against a policy, and says whether it is all right.
//! 9. [`label`] is what people say the truth is, and [`accuracy`] what a rulebook's verdicts are worth by it.
//! 10. [`what_if`] tells what other values would make of a run, and [`rulebook_lint`] what is odd about a
//!     rulebook.
//! 11. [`page`] shows a finished run to people, as one HTML file.
//!
//! Beside it stand other kinds of judging: [`envelope`] (requests and responses), [`judged`] (results
//! of judges) and [`facts`] (what replies state), on [`shape`], a JSON Schema with words.
//! Beside them, [`session_report`] says what the issues of a session amount to and checks recorded
//! reports of that kind, and [`tool_lint`] holds tool definitions against advice.
//!
//! [`cli`] is the command `tapecheck` around all this, and the only module that prints.
//!
//! One exchange from its line to its verdict:
//!
//! ```
//! use tapecheck::check::schema::Schemas;
//! use tapecheck::check::{Judge, VerdictLine};
//! use tapecheck::corpus::{Bounds, read_exchange};
//! use tapecheck::rulebook::Rulebook;
//! use tapecheck::verdict::Outcome;
//!
//! let line = r#"{"tool": {"name": "delete_user"}, "input": {"id": "7"},
//!     "response": {"isError": true, "content": [{"type": "text", "text": "User not found"}]}}"#;
//! let exchange = read_exchange(line, &Bounds::default())?;
//!
//! let rulebook = Rulebook::load("guide")?;
//! let schemas = Schemas::new(rulebook.schema.clone());
//! let verdict = Judge::new(&rulebook, &schemas).judge(&exchange);
//!
//! assert_eq!(verdict.conclusion.outcome, Outcome::Refused);
//! let line = VerdictLine::new(&exchange, &verdict, &rulebook);
//! println!("{}", serde_json::to_string_pretty(&line)?);
//! assert_eq!(line.classification, "fully_working");
//! assert_eq!(line.business_logic, Some(true));
//! assert_eq!(line.decided_by.as_deref(), Some("validation tool"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accuracy;
pub mod baseline;
pub mod check;
pub mod cli;
pub mod compare;
pub mod contract;
pub mod corpus;
pub mod count;
pub mod demo;
pub mod envelope;
pub mod expression;
pub mod facts;
pub mod fit;
pub mod format;
pub mod gate;
pub mod history;
pub mod json;
pub mod judged;
pub mod label;
pub mod labelling;
pub mod page;
pub mod redact;
pub mod report;
pub mod review;
pub mod rulebook;
pub mod rulebook_lint;
pub mod run;
pub mod session_report;
pub mod shape;
pub mod stats;
pub mod store;
pub mod tally;
pub mod tape;
pub mod tool_lint;
pub mod trend;
pub mod tune;
pub mod verdict;
mod view;
pub mod what_if;
