//! Python values as JSON text.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::fmt::Write as _;

/// Values that hold themselves end here; so many levels fit on the stack of any thread.
const MAX_DEPTH: usize = 500;

/// The JSON text of an argument: `str` and `bytes` are JSON text already.
pub(crate) fn text_of(what: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned());
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        let text = std::str::from_utf8(bytes.as_bytes());
        return text.map(str::to_owned).map_err(|error| {
            PyValueError::new_err(format!("the {what} cannot be read: it is not UTF-8: {error}"))
        });
    }
    let mut text = String::with_capacity(256);
    write(what, value, &mut text, MAX_DEPTH)?;
    Ok(text)
}

fn write(what: &str, value: &Bound<'_, PyAny>, out: &mut String, depth: usize) -> PyResult<()> {
    let Some(deeper) = depth.checked_sub(1) else {
        let words = format!("the {what} nests more than {MAX_DEPTH} levels, or holds itself");
        return Err(PyValueError::new_err(words));
    };
    if let Ok(text) = value.cast::<PyString>() {
        write_text(&text.to_string_lossy(), out);
    } else if let Ok(members) = value.cast::<PyDict>() {
        out.push('{');
        for (at, (key, value)) in members.iter().enumerate() {
            let Ok(key) = key.cast::<PyString>() else {
                let kind = key.get_type().name()?;
                let words = format!("a key in the {what} is of type {kind}; make it a str");
                return Err(PyTypeError::new_err(words));
            };
            out.push_str(if at == 0 { "" } else { "," });
            write_text(&key.to_string_lossy(), out);
            out.push(':');
            write(what, &value, out, deeper)?;
        }
        out.push('}');
    } else if let Ok(elements) = value.cast::<PyList>() {
        write_elements(what, elements.iter(), out, deeper)?;
    } else if value.is_none() {
        out.push_str("null");
    } else if let Ok(flag) = value.cast::<PyBool>() {
        out.push_str(if flag.is_true() { "true" } else { "false" });
    } else if value.cast::<PyInt>().is_ok() {
        if let Ok(number) = value.extract::<i64>() {
            let _ = write!(out, "{number}");
        } else {
            // Numbers of more digits; as an `int`, whatever a subclass calls itself.
            let number = value.py().get_type::<PyInt>().call1((value,))?;
            out.push_str(&number.str()?.to_string_lossy());
        }
    } else if let Ok(number) = value.cast::<PyFloat>() {
        match number.extract::<f64>()? {
            number if number.is_finite() => drop(write!(out, "{number:?}")),
            // JSON has no word for it; JavaScript writes so, too.
            _ => out.push_str("null"),
        }
    } else if let Ok(elements) = value.cast::<PyTuple>() {
        write_elements(what, elements.iter(), out, deeper)?;
    } else if value.hasattr("model_dump")? {
        let how = PyDict::new(value.py());
        how.set_item("mode", "json")?;
        how.set_item("by_alias", true)?;
        how.set_item("exclude_none", true)?;
        write(what, &value.call_method("model_dump", (), Some(&how))?, out, deeper)?;
    } else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "the {what} holds a value of type {kind}; give dict, list, str, int, float, bool, None \
             or a model of an MCP SDK"
        )));
    }
    Ok(())
}

fn write_elements<'py>(
    what: &str,
    elements: impl Iterator<Item = Bound<'py, PyAny>>,
    out: &mut String,
    depth: usize,
) -> PyResult<()> {
    out.push('[');
    for (at, element) in elements.enumerate() {
        out.push_str(if at == 0 { "" } else { "," });
        write(what, &element, out, depth)?;
    }
    out.push(']');
    Ok(())
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    let is_escaped = |it: u8| it < b' ' || it == b'"' || it == b'\\';
    while let Some(at) = rest.bytes().position(is_escaped) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            other => drop(write!(out, "\\u{other:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}
