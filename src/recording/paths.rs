//! Which HTTP requests carry envelopes, by the path that they were sent to.

use std::sync::Arc;

/// The path at which the middleware of the envelopes' own document stands.
const DOCUMENTED: [&str; 1] = ["/mcp/v1"];

/// Paths of requests: each is a whole path, or the beginning of paths where it ends in `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopePaths(Arc<[String]>);

impl Default for EnvelopePaths {
    fn default() -> Self {
        Self::of(&DOCUMENTED.map(str::to_owned))
    }
}

impl EnvelopePaths {
    pub fn of(paths: &[String]) -> Self {
        Self(paths.into())
    }

    /// Whether a request to this URL or path carries an envelope.
    pub fn have(&self, url: &str) -> bool {
        let path = path_of(url);
        self.0.iter().any(|known| match known.strip_suffix('*') {
            Some(beginning) => path.starts_with(beginning),
            None => path == trimmed(known),
        })
    }

    /// Why a text cannot be one of the paths.
    pub fn complaint(path: &str) -> Option<&'static str> {
        if !path.starts_with('/') {
            return Some("a path must begin with `/`, such as \"/mcp/v1\"");
        }
        let is_wild = path.strip_suffix('*').unwrap_or(path).contains('*');
        is_wild.then_some("`*` can only be the end of a path, such as \"/mcp/*\"")
    }
}

/// The path of a URL, without query, fragment and the slash at its end.
fn path_of(url: &str) -> &str {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => url,
    };
    trimmed(path)
}

fn trimmed(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    }
}
