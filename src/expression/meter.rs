//! The budget of one evaluation, and the functions that draw on it.
//!
//! The functions of an environment are plain function pointers, so what they draw on is kept per thread;
//! an evaluation never leaves its thread.

use super::Pattern;
use super::iso8601::to_rfc3339;
use cel::common::types::{CelInt, CelList, CelMap, CelMapKey, CelString, DYN_TYPE, INT_TYPE, Kind};
use cel::common::value::{CowVal, Val};
use cel::{Env, ExecutionError};
use std::cell::RefCell;
use std::sync::Arc;

/// Pays for all of a value and hands it on.
pub(super) const SPEND: &str = "@spend";
/// Pays for a value's text, or one unit where it is none, and hands it on.
pub(super) const TOUCH: &str = "@touch";
/// Pays for a loop: all of the value, and so many units for each of its elements.
pub(super) const LOOP: &str = "@loop";
/// Whether a text matches the pattern of a number.
pub(super) const MATCHES: &str = "@matches";
/// An ISO 8601 time as RFC 3339, which is what `timestamp` reads; anything else as it is.
pub(super) const MOMENT: &str = "@moment";

/// How many bytes of text make a unit.
const TEXT_UNIT: u64 = 64;
/// How many steps of a pattern make a unit.
const PATTERN_UNIT: u64 = 8;

#[derive(Default)]
struct State {
    left: u64,
    spent: bool,
    patterns: Option<Arc<[Pattern]>>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Begins an evaluation on this thread.
pub(super) fn start(budget: u64, patterns: Arc<[Pattern]>) {
    STATE.set(State { left: budget, spent: false, patterns: Some(patterns) });
}

/// What is left; nothing where more was asked for than there was.
pub(super) fn left() -> u64 {
    STATE.with_borrow(|state| if state.spent { 0 } else { state.left })
}

/// Takes units from the budget; false where there are not enough.
pub(super) fn charge(units: u64) -> bool {
    STATE.with_borrow_mut(|state| {
        let enough = !state.spent && units <= state.left;
        state.spent |= !enough;
        state.left = state.left.saturating_sub(units);
        enough
    })
}

pub(super) fn declare(env: &mut Env) {
    let declared = [
        env.add_overload(SPEND, "spend", vec![DYN_TYPE], spend),
        env.add_overload(TOUCH, "touch", vec![DYN_TYPE], touch),
        env.add_overload(LOOP, "loop", vec![DYN_TYPE, INT_TYPE], pay_for_loop),
        env.add_overload(MATCHES, "matches", vec![DYN_TYPE, INT_TYPE], matches_pattern),
        env.add_overload(MOMENT, "moment", vec![DYN_TYPE], moment),
    ];
    debug_assert!(declared.iter().all(Result::is_ok), "each name is declared once");
}

type Outcome<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

fn paid(units: u64) -> Result<(), ExecutionError> {
    if charge(units) { Ok(()) } else { Err(ExecutionError::function_error("cost", "exceeded")) }
}

fn only<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    args.into_iter().next().ok_or(ExecutionError::MissingArgumentOrTarget)
}

fn spend<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let value = only(args)?;
    paid(weigh(value.as_ref(), left()))?;
    Ok(value)
}

fn touch<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let value = only(args)?;
    paid(value.downcast_ref::<CelString<'_>>().map_or(1, text_units))?;
    Ok(value)
}

fn pay_for_loop<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let body = number(&args).and_then(|nodes| u64::try_from(nodes).ok()).unwrap_or(1);
    let value = only(args)?;
    let length = value.as_sizer().map_or(0, |sizer| *sizer.size().inner());
    let rounds = u64::try_from(length).unwrap_or(0);
    // An iteration copies its element, so the whole range is paid for as well.
    paid(rounds.saturating_mul(body).saturating_add(weigh(value.as_ref(), left())))?;
    Ok(value)
}

fn matches_pattern<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let pattern = number(&args).and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
    let value = only(args)?;
    let Some(text) = value.downcast_ref::<CelString<'_>>() else {
        let got = value.get_type().name().to_owned();
        return Err(ExecutionError::no_such_member_overload(
            "matches",
            vec![got, "string".to_owned()],
        ));
    };
    let patterns = STATE.with_borrow(|state| state.patterns.clone());
    let pattern = patterns
        .as_ref()
        .and_then(|patterns| patterns.get(pattern))
        .ok_or(ExecutionError::MissingArgumentOrTarget)?;
    paid(text_units(text).saturating_add(pattern.steps(text.inner()) / PATTERN_UNIT))?;
    let matches = pattern.is_match(text.inner());
    Ok(CowVal::owned(cel::common::types::CelBool::from(matches)))
}

fn moment<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let value = only(args)?;
    match value.downcast_ref::<CelString<'_>>().and_then(|text| to_rfc3339(text.inner())) {
        Some(text) => Ok(CowVal::owned(CelString::from(text))),
        None => Ok(value),
    }
}

fn number(args: &[CowVal<'_, '_>]) -> Option<i64> {
    args.get(1)?.downcast_ref::<CelInt>().map(|number| *number.inner())
}

fn text_units(text: &CelString<'_>) -> u64 {
    text_cost(text.inner().len())
}

pub(super) fn text_cost(bytes: usize) -> u64 {
    1 + bytes as u64 / TEXT_UNIT
}

/// How much there is in a value, or at least `enough`: what cannot be paid for need not be counted on.
/// What is nested is as deep as an expression and its data, both bounded.
fn weigh(value: &dyn Val, enough: u64) -> u64 {
    let mut sum = 1;
    match value.get_type().kind() {
        Kind::String => return value.downcast_ref::<CelString<'_>>().map_or(1, text_units),
        Kind::List => {
            for element in value.downcast_ref::<CelList<'_>>().map_or(&[][..], CelList::inner) {
                if sum > enough {
                    break;
                }
                sum += weigh(&**element, enough - sum);
            }
        }
        Kind::Map => {
            for (key, inner) in
                value.downcast_ref::<CelMap<'_>>().into_iter().flat_map(CelMap::inner)
            {
                if sum > enough {
                    break;
                }
                sum += if let CelMapKey::String(text) = key { text_units(text) } else { 1 };
                sum += weigh(&**inner, enough.saturating_sub(sum));
            }
        }
        _ => {}
    }
    sum
}
