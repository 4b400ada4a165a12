//! Which files a file may name.

use std::path::{Component, Path, PathBuf};

/// How far the files that a file names may lie from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach<'a> {
    /// Wherever the reader of the file may look: somebody chose the file by hand.
    Anywhere,
    /// Below this folder. The file came with a corpus, and perhaps from a stranger: it must not have
    /// files read, and shown in messages, that are none of the corpus.
    Below(&'a Path),
}

impl Reach<'_> {
    /// The file that is named, if it may be; otherwise why not.
    pub(crate) fn resolve(self, folder: &Path, name: &str) -> Result<PathBuf, String> {
        let path = folder.join(name);
        let Self::Below(root) = self else { return Ok(path) };
        if name.is_empty() {
            return Err("expected the name of a file".to_owned());
        }
        for part in Path::new(name).components() {
            match part {
                Component::Normal(_) | Component::CurDir => {}
                Component::ParentDir => {
                    return Err(format!("`{name}` must not lead upwards with `..`"));
                }
                Component::RootDir | Component::Prefix(_) => {
                    return Err(format!("`{name}` must be named relative to this file"));
                }
            }
        }
        let real = path.canonicalize().map_err(|error| format!("cannot read `{name}`: {error}"))?;
        let root = root.canonicalize().map_err(|error| format!("cannot read `{name}`: {error}"))?;
        if !real.starts_with(&root) {
            return Err(format!("`{name}` is a link that leads out of the recordings"));
        }
        // A pipe would keep its reader waiting.
        if real.is_file() { Ok(path) } else { Err(format!("`{name}` is not a file")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_corpus_names_only_files_of_the_corpus() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let (root, folder) = (place.path().join("corpus"), place.path().join("corpus/a"));
        std::fs::create_dir_all(folder.join("more")).expect("a folder");
        for file in ["secret.toml", "corpus/shared.toml", "corpus/a/more/own.toml"] {
            std::fs::write(place.path().join(file), "").expect("a file");
        }
        let below = Reach::Below(&root);
        let resolve = |name: &str| below.resolve(&folder, name);
        assert_eq!(resolve("more/own.toml"), Ok(folder.join("more/own.toml")));
        assert_eq!(resolve("./more/own.toml"), Ok(folder.join("more/own.toml")));
        let absolute = place.path().join("corpus/shared.toml");
        for (name, reason) in [
            ("", "the name of a file"),
            ("../shared.toml", "`..`"),
            ("more/../more/own.toml", "`..`"),
            (absolute.to_str().expect("UTF-8"), "relative"),
            ("more", "is not a file"),
            ("none.toml", "cannot read `none.toml`"),
        ] {
            let refused = resolve(name).expect_err(name);
            assert!(refused.contains(reason), "{name}: {refused}");
        }
        assert_eq!(Reach::Anywhere.resolve(&folder, "../x"), Ok(folder.join("../x")));
    }

    #[cfg(unix)]
    #[test]
    fn links_may_not_lead_out_of_the_corpus() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let root = place.path().join("corpus");
        std::fs::create_dir_all(root.join("a")).expect("a folder");
        for file in ["secret.toml", "corpus/shared.toml"] {
            std::fs::write(place.path().join(file), "").expect("a file");
            let name = Path::new(file).file_name().expect("a name");
            std::os::unix::fs::symlink(place.path().join(file), root.join("a").join(name))
                .expect("a link");
        }
        let resolve = |name: &str| Reach::Below(&root).resolve(&root.join("a"), name);
        assert!(resolve("shared.toml").is_ok());
        assert!(resolve("secret.toml").is_err_and(|reason| reason.contains("leads out")));
    }
}
