//! The native part of the Python module `tapecheck`: its judge, and the command line.

mod json;
mod judging;

use judging::{Call, Named, NotJudged, Words};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;

/// Words of a rulebook, or of a verdict that another process has made.
type Word = Cow<'static, str>;

/// What is said of a call.
#[pyclass(frozen, eq, get_all, module = "tapecheck")]
#[derive(PartialEq)]
struct Verdict {
    outcome: Word,
    kind: Option<Word>,
    who: Option<Word>,
    retry: Option<Word>,
    certainty: Option<f64>,
    why: Word,
}

#[pymethods]
impl Verdict {
    #[new]
    #[pyo3(signature = (outcome, kind=None, who=None, retry=None, certainty=None, why=String::new()))]
    fn new(
        outcome: String,
        kind: Option<String>,
        who: Option<String>,
        retry: Option<String>,
        certainty: Option<f64>,
        why: String,
    ) -> Self {
        let [kind, who, retry] = [kind, who, retry].map(|it| it.map(Word::Owned));
        Self { outcome: outcome.into(), kind, who, retry, certainty, why: why.into() }
    }

    /// Verdicts go from process to process, as those of pytest's workers do.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        Ok(self.as_dict(py)?.values().to_tuple())
    }

    /// The same as a dict.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let members = PyDict::new(py);
        members.set_item("outcome", &self.outcome)?;
        members.set_item("kind", &self.kind)?;
        members.set_item("who", &self.who)?;
        members.set_item("retry", &self.retry)?;
        members.set_item("certainty", self.certainty)?;
        members.set_item("why", &self.why)?;
        Ok(members)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let members = self.as_dict(py)?;
        let members = members.iter().map(|(name, value)| Ok(format!("{name}={}", value.repr()?)));
        Ok(format!("Verdict({})", members.collect::<PyResult<Vec<_>>>()?.join(", ")))
    }
}

impl From<Words> for Verdict {
    fn from(words: Words) -> Self {
        let Words { outcome, kind, who, retry, certainty, why } = words;
        let [kind, who, retry] = [kind, who, retry].map(|it| it.map(Word::Borrowed));
        Self { outcome: outcome.into(), kind, who, retry, certainty, why: why.into() }
    }
}

/// Says what became of a call.
#[pyfunction]
#[pyo3(
    signature = (reply, *, tool=None, arguments=None, rulebook=PathBuf::from("calibrated")),
    text_signature = "(reply, *, tool=None, arguments=None, rulebook=\"calibrated\")"
)]
fn judge(
    reply: &Bound<'_, PyAny>,
    tool: Option<&Bound<'_, PyAny>>,
    arguments: Option<&Bound<'_, PyAny>>,
    rulebook: PathBuf,
) -> PyResult<Verdict> {
    let rulebook = name_of(rulebook)?;
    let call = call_of(reply, tool, arguments)?;
    Ok(judging::judge(&rulebook, &call).map_err(|it| error_of(it, ""))?.into())
}

/// The same of many calls, while other threads of Python run. Tools and arguments are as many as replies.
#[pyfunction]
fn judge_many(
    py: Python<'_>,
    replies: Vec<Bound<'_, PyAny>>,
    tools: Vec<Option<Bound<'_, PyAny>>>,
    arguments: Vec<Option<Bound<'_, PyAny>>>,
    rulebook: PathBuf,
) -> PyResult<Vec<Verdict>> {
    let rulebook = name_of(rulebook)?;
    let parts = replies.into_iter().zip(tools).zip(arguments);
    let calls =
        parts.map(|((reply, tool), arguments)| call_of(&reply, tool.as_ref(), arguments.as_ref()));
    let calls = calls.collect::<PyResult<Vec<_>>>()?;
    let judged = py.detach(|| {
        let each = calls.iter().enumerate();
        let each = each.map(|(at, call)| judging::judge(&rulebook, call).map_err(|it| (at, it)));
        each.collect::<Result<Vec<_>, _>>()
    });
    let judged = judged.map_err(|(at, error)| error_of(error, &format!("call {at}: ")))?;
    Ok(judged.into_iter().map(Verdict::from).collect())
}

/// A value as JSON text; what it is, is told where it cannot be one.
#[pyfunction]
fn json_text(what: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    json::text_of(what, value)
}

/// Runs a command line as the program does, and returns its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| tapecheck::run_command(words))
}

/// The name of a rulebook, or where it is.
fn name_of(rulebook: PathBuf) -> PyResult<String> {
    rulebook.into_os_string().into_string().map_err(|name| {
        let words = format!("the path of the rulebook is no text: {}", name.display());
        PyValueError::new_err(words)
    })
}

fn call_of(
    reply: &Bound<'_, PyAny>,
    tool: Option<&Bound<'_, PyAny>>,
    arguments: Option<&Bound<'_, PyAny>>,
) -> PyResult<Call> {
    let tool = match tool {
        None => Named::Name(String::new()),
        Some(tool) => match tool.cast::<PyString>() {
            Ok(name) => Named::Name(name.to_string_lossy().into_owned()),
            Err(_) => Named::Definition(json::text_of("tool", tool)?),
        },
    };
    let arguments = arguments.map(|it| json::text_of("arguments", it)).transpose()?;
    let is_object = |text: &String| text.trim_start().starts_with('{');
    if !arguments.as_ref().is_none_or(is_object) {
        return Err(PyTypeError::new_err("the arguments are no object: make them a dict"));
    }
    Ok(Call { tool, arguments, reply: json::text_of("reply", reply)? })
}

fn error_of(error: NotJudged, place: &str) -> PyErr {
    match error {
        NotJudged::Unreadable(why) => PyValueError::new_err(format!("{place}{why}")),
        NotJudged::Panicked => PyRuntimeError::new_err(format!(
            "{place}tapecheck broke on this reply; please report that, with the reply"
        )),
    }
}

#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use super::{Verdict, json_text, judge, judge_many, run_command};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
