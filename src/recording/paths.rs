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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_known_however_its_url_is_written() {
        let documented = EnvelopePaths::default();
        for url in [
            "/mcp/v1",
            "/mcp/v1/",
            "/mcp/v1?trace=1",
            "/mcp/v1#top",
            "https://shop.example/mcp/v1",
            "http://127.0.0.1:3000/mcp/v1/?next=http://a/b",
        ] {
            assert!(documented.have(url), "{url}");
        }
        for url in [
            "/",
            "",
            "/health",
            "/mcp",
            "/mcp/v10",
            "/mcp/v1/tools",
            "https://shop.example",
            "/login?to=/mcp/v1",
            "mcp/v1",
        ] {
            assert!(!documented.have(url), "{url}");
        }
    }

    #[test]
    fn a_star_stands_for_any_end() {
        let below = EnvelopePaths::of(&["/mcp/*".to_owned(), "/".to_owned()]);
        for (url, expected) in
            [("/mcp/v1", true), ("/mcp", false), ("https://a.example", true), ("/x", false)]
        {
            assert_eq!(below.have(url), expected, "{url}");
        }
        let all = EnvelopePaths::of(&["/*".to_owned()]);
        assert!(all.have("https://a.example") && all.have("/a/b?c"));
        assert!(!EnvelopePaths::of(&[]).have("/"), "no path is none");
    }

    #[test]
    fn what_cannot_be_a_path_is_refused() {
        for (path, is_right) in
            [("/", true), ("/mcp/*", true), ("mcp", false), ("", false), ("/*/v1", false)]
        {
            assert_eq!(EnvelopePaths::complaint(path).is_none(), is_right, "{path}");
        }
    }
}
