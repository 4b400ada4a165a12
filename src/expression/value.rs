//! JSON values as CEL values that borrow their texts.

use super::Why;
use super::meter::{charge, text_cost};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::Val;
use serde_json::Value;
use std::collections::HashMap;

/// How deep the values of variables may be nested.
pub(super) const DEEPEST: usize = 64;

/// The value as CEL sees it: whole numbers are `int` where they fit, then `uint`, else `double`.
pub(super) fn to_val(value: &Value, room: usize) -> Result<Box<dyn Val + '_>, Why> {
    let text_bytes = if let Value::String(text) = value { text.len() } else { 0 };
    if !charge(text_cost(text_bytes)) {
        return Err(Why::TooCostly);
    }
    Ok(match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(flag) => Box::new(CelBool::from(*flag)),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Box::new(CelInt::from(whole)),
            (None, Some(whole)) => Box::new(CelUInt::from(whole)),
            (None, None) => Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(elements) => {
            let room = room.checked_sub(1).ok_or(Why::TooDeep)?;
            let list: Result<Vec<_>, _> =
                elements.iter().map(|element| to_val(element, room)).collect();
            Box::new(CelList::from(list?))
        }
        Value::Object(members) => {
            let room = room.checked_sub(1).ok_or(Why::TooDeep)?;
            let mut map = HashMap::with_capacity(members.len());
            for (key, inner) in members {
                map.insert(CelMapKey::from(key.as_str()), to_val(inner, room)?);
            }
            Box::new(CelMap::from(map))
        }
    })
}
