//! CEL expressions over JSON, with a bound on what they may cost.
//!
//! The `cel` crate parses and evaluates; it has no bound of its own. So an expression is rewritten once
//! it is parsed (`rewrite`): whatever costs more than a step first passes through a function that pays
//! for it out of a budget (`meter`). A rule that loops over too much ends as [`Answer::Ambiguous`], as
//! does one that touches a missing field, overflows, or gives something other than true or false.

mod iso8601;
mod meter;
mod pattern;
mod rewrite;
#[cfg(test)]
mod tests;

pub use iso8601::{is_iso8601, to_rfc3339};
pub use pattern::Pattern;

use cel::common::ast::IdedExpr;
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::Val;
use cel::{Context, Env, ExecutionError, Value as CelValue};
use rewrite::Rewritten;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

/// The longest an expression may be, in bytes.
pub const LONGEST: usize = 4000;

/// What evaluating one expression may cost, or several for one call. A unit is about one step: a node of the expression, an
/// element that is looked at, 64 bytes of text, or a few places of a pattern at a byte of text.
pub const BUDGET: u64 = 1_000_000;

/// The stack that reading the longest expression gets, in bytes.
const PARSER_STACK: usize = 64 << 20;
/// The stack that evaluating gets, in bytes, where less than the least is left: the interpreter takes
/// some ten thousand bytes for a level, and the levels are bounded.
const STACK: usize = 16 << 20;
const LEAST_STACK: usize = 4 << 20;

/// The longest reason that is kept, in bytes.
const LONGEST_REASON: usize = 200;

static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib().with_optional_support(false);
    // Declared once, under names that no expression can spell.
    meter::declare(&mut env);
    Arc::new(env)
});

#[derive(Debug)]
pub struct Expression {
    text: String,
    ast: IdedExpr,
    patterns: Arc<[Pattern]>,
    variables: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The bytes of the expression's text that are meant.
    pub at: Range<usize>,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    True,
    False,
    /// It could not be evaluated.
    Ambiguous(Why),
}

/// Why an expression could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    #[error("it reads the missing field `{0}`")]
    MissingField(String),
    #[error("`{0}` is unknown here")]
    MissingVariable(String),
    /// An operator or a function cannot work with what it was given.
    #[error("{0}")]
    Failed(String),
    #[error("it gives {got} instead of {wanted}")]
    WrongResult { got: String, wanted: &'static str },
    #[error("it costs more than its bound of {BUDGET} steps allows")]
    TooCostly,
    #[error("those evaluated before it cost all of the {BUDGET} steps of a call")]
    NothingLeft,
    #[error("what it looks at is nested more than {DEEPEST} levels deep")]
    TooDeep,
    #[error("its evaluation broke off")]
    Broken,
}

pub type Variable<'a> = (&'a str, &'a Json);

impl Expression {
    /// Compiles an expression that may use these variables; gives everything that is wrong with it.
    pub fn compile(text: &str, variables: &[&str]) -> Result<Self, Vec<SyntaxError>> {
        let whole = |message: String| vec![SyntaxError { at: 0..text.len(), message }];
        if text.len() > LONGEST {
            return Err(whole(format!("the expression is longer than {LONGEST} bytes")));
        }
        if text.trim().is_empty() {
            return Err(whole("the expression is empty".to_owned()));
        }
        // A chain of operators is nested as deeply as it is long, until its depth has been checked.
        let rewritten = stacker::grow(PARSER_STACK, || {
            catch_unwind(AssertUnwindSafe(|| parse(text, variables)))
                .unwrap_or_else(|_| Err(whole("the expression cannot be read".to_owned())))
        })?;
        Ok(Self {
            text: text.to_owned(),
            ast: rewritten.ast,
            patterns: rewritten.patterns.into(),
            variables: rewritten.uses,
        })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn uses(&self, variable: &str) -> bool {
        self.variables.iter().any(|used| used == variable)
    }

    pub fn evaluate(&self, variables: &[Variable<'_>]) -> Answer {
        self.evaluate_within(variables, &mut BUDGET.clone())
    }

    /// The same within what is left of a budget.
    pub fn evaluate_within(&self, variables: &[Variable<'_>], left: &mut u64) -> Answer {
        let answer = self.run(variables, left, |value| match value.downcast_ref::<CelBool>() {
            Some(answer) => Ok(*answer.inner()),
            None => Err(wrong_result(value, "true or false")),
        });
        match answer {
            Ok(true) => Answer::True,
            Ok(false) => Answer::False,
            Err(why) => Answer::Ambiguous(why),
        }
    }

    pub fn evaluate_text(&self, variables: &[Variable<'_>]) -> Result<String, Why> {
        self.run(variables, &mut BUDGET.clone(), |value| {
            match value.downcast_ref::<CelString<'_>>() {
                Some(text) => Ok(text.inner().to_owned()),
                None => Err(wrong_result(value, "a text")),
            }
        })
    }

    fn run<T>(
        &self,
        variables: &[Variable<'_>],
        left: &mut u64,
        read: impl FnOnce(&dyn Val) -> Result<T, Why>,
    ) -> Result<T, Why> {
        if *left == 0 {
            return Err(Why::NothingLeft);
        }
        for used in &self.variables {
            if !variables.iter().any(|(name, _)| name == used) {
                return Err(Why::MissingVariable(used.clone()));
            }
        }
        meter::start(*left, Arc::clone(&self.patterns));
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        for (name, value) in variables.iter().filter(|(name, _)| self.uses(name)) {
            context.add_variable_as_val(*name, to_val(value, DEEPEST)?);
        }
        let evaluating = AssertUnwindSafe(|| {
            let value = CelValue::resolve_val(&self.ast, &context).map_err(|error| why(&error))?;
            read(value.as_ref())
        });
        let result = stacker::maybe_grow(LEAST_STACK, STACK, || catch_unwind(evaluating));
        // An error caused by an empty budget can be swallowed by `||`; the meter remembers it.
        *left = meter::left();
        if *left == 0 {
            return Err(Why::TooCostly);
        }
        result.unwrap_or(Err(Why::Broken))
    }
}

fn parse(text: &str, variables: &[&str]) -> Result<Rewritten, Vec<SyntaxError>> {
    let program = ENVIRONMENT.compile(text).map_err(|found| {
        let mut errors: Vec<SyntaxError> =
            found.errors.iter().map(|error| syntax_error(text, error)).collect();
        errors.dedup();
        errors
    })?;
    rewrite::rewrite(&program, text, variables)
}

/// How deep the values of variables may be nested.
const DEEPEST: usize = 64;

/// The value as CEL sees it: whole numbers are `int` where they fit, then `uint`, else `double`.
fn to_val(value: &Json, room: usize) -> Result<Box<dyn Val + '_>, Why> {
    let text_bytes = if let Json::String(text) = value { text.len() } else { 0 };
    if !meter::charge(meter::text_cost(text_bytes)) {
        return Err(Why::TooCostly);
    }
    Ok(match value {
        Json::Null => Box::new(CelNull),
        Json::Bool(flag) => Box::new(CelBool::from(*flag)),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Box::new(CelInt::from(whole)),
            (None, Some(whole)) => Box::new(CelUInt::from(whole)),
            (None, None) => Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN))),
        },
        Json::String(text) => Box::new(CelString::from(text.as_str())),
        Json::Array(elements) => {
            let room = room.checked_sub(1).ok_or(Why::TooDeep)?;
            let list: Result<Vec<_>, _> =
                elements.iter().map(|element| to_val(element, room)).collect();
            Box::new(CelList::from(list?))
        }
        Json::Object(members) => {
            let room = room.checked_sub(1).ok_or(Why::TooDeep)?;
            let mut map = HashMap::with_capacity(members.len());
            for (key, inner) in members {
                map.insert(CelMapKey::from(key.as_str()), to_val(inner, room)?);
            }
            Box::new(CelMap::from(map))
        }
    })
}

fn wrong_result(value: &dyn Val, wanted: &'static str) -> Why {
    Why::WrongResult { got: bounded(value.get_type().name()), wanted }
}

fn why(error: &ExecutionError) -> Why {
    match error {
        ExecutionError::NoSuchKey(key) => Why::MissingField(bounded(key)),
        ExecutionError::UndeclaredReference(name) => Why::MissingVariable(bounded(name)),
        ExecutionError::Overflow(operator, ..) => Why::Failed(format!("`{operator}` overflows")),
        ExecutionError::DivisionByZero(_) => Why::Failed("it divides by zero".to_owned()),
        ExecutionError::IndexOutOfBounds(at) => {
            Why::Failed(format!("there is no element {}", bounded(format_args!("{at:?}"))))
        }
        other => Why::Failed(bounded(other)),
    }
}

/// The start of what a value displays as: errors show their operands, which may be of any size.
fn bounded(shown: impl fmt::Display) -> String {
    struct Bounded(String);
    impl fmt::Write for Bounded {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let room = LONGEST_REASON - self.0.len();
            self.0.push_str(&text[..text.floor_char_boundary(room)]);
            if text.len() > room { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut text = Bounded(String::new());
    if write!(text, "{shown}").is_err() {
        text.0.truncate(text.0.floor_char_boundary(LONGEST_REASON - '…'.len_utf8()));
        text.0.push('…');
    }
    text.0
}

/// Turns the parser's line and column into a place in the text.
fn syntax_error(text: &str, error: &cel::ParseError) -> SyntaxError {
    let (line, column) = error.pos;
    let line = usize::try_from(line).unwrap_or(1).max(1);
    let column = usize::try_from(column).unwrap_or(1).max(1);
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let within = text[start..].char_indices().nth(column - 1).map_or(text.len() - start, |c| c.0);
    let from = (start + within).min(text.len());
    let width = text[from..].chars().next().map_or(0, char::len_utf8);
    // What would have been expected is a list of every token there is.
    let message = error.msg.split(" expecting ").next().unwrap_or_default();
    let message = message.trim_start_matches("Syntax error: ").replace('\n', " ");
    SyntaxError {
        at: from..from + width,
        message: bounded(format_args!("this is not CEL: {message}")),
    }
}
