//! Judges recorded MCP tool traffic in bulk, with a rulebook that is data.
//!
//! `docs/ARCHITECTURE.md` has the modules and what each may use.
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

pub mod baseline;
pub mod check;
pub mod cli;
pub mod compare;
pub mod corpus;
pub mod count;
pub mod demo;
pub mod expression;
pub mod format;
pub mod gate;
pub mod json;
pub mod labels;
pub mod lint;
pub mod measure;
pub mod page;
pub mod recording;
pub mod redact;
pub mod review;
pub mod rulebook;
pub mod run;
pub mod store;
pub mod trend;
pub mod tune;
pub mod verdict;
mod view;
