//! Threads with deep stacks, and what they take of a corpus.

use crate::corpus::{Assembled, Block, Bounds, Parsed};
use crate::format::Context;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Deeply nested recordings are walked by recursion in the schema validator.
const STACK: usize = 256 << 20;

/// Why a corpus could not be driven.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {source}")]
    Threads { threads: usize, source: rayon::ThreadPoolBuildError },
}

/// Does something on one thread whose stack is as deep as that of the threads of a run.
pub(super) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, DriveError> {
    let pool = pool(1)?;
    Ok(pool.install(work))
}

fn builder(threads: usize) -> rayon::ThreadPoolBuilder {
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK)
}

pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, DriveError> {
    builder(threads).build().map_err(|source| DriveError::Threads { threads, source })
}

/// Whatever else of this process is done in parallel keeps to so many threads. They are started when those that judged
/// have ended, so that they take over their memory.
pub(super) fn keep_to(threads: usize) {
    let _ = builder(threads).build_global();
}

pub(super) fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn exchanges<'b>(
    block: &'b Block,
    bounds: &Bounds,
    context: &mut Context,
) -> Assembled<'b> {
    let Some(recording) = &block.recording else { return Assembled::default() };
    let parsed = Parsed::read(block, recording, bounds, context);
    recording.in_turn(block.index, |assembler| assembler.assemble(parsed, block, bounds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{CorpusReader, Input};
    use crate::recording::{EndedSession, SessionNews, Started};

    /// What sessions are known to be when a recording of these messages of client (`>`) and server
    /// (`<`) ends.
    fn ended(messages: &[&str]) -> Vec<(u64, EndedSession)> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("wire.jsonl");
        let lines = messages.iter().map(|message| {
            let (side, message) = message.split_at(1);
            let direction = if side == ">" { "client_to_server" } else { "server_to_client" };
            format!("{{\"direction\":\"{direction}\",\"message\":{message}}}\n")
        });
        std::fs::write(&path, lines.collect::<String>()).expect("a file");
        let bounds = Bounds::default();
        let mut reader = CorpusReader::new(&[Input::Path(path)], bounds).expect("it is there");
        let mut context = Context::new(bounds.max_depth);
        let mut found = Vec::new();
        while let Some(block) = reader.next_block() {
            for event in exchanges(&block, &bounds, &mut context).events {
                if let SessionNews::Ended(ended) = event.what {
                    found.push((event.place.line, ended));
                }
            }
        }
        found
    }

    #[test]
    fn a_session_tells_how_it_was_set_up() {
        let initialize = [
            r#">{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
            r#"<{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"shop"}}}"#,
        ];
        let list = [
            r#">{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
            r#"<{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"put"},{"name":"get"}]}}"#,
        ];
        let call = r#">{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get"}}"#;
        let whole = [&initialize[..], &list, &[call]].concat();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let expected = EndedSession {
            start: Started::Initialized,
            listed: Some(names(&["get", "put"])),
            called: names(&["get"]),
        };
        assert_eq!(ended(&whole), [(4, expected)]);
        let late = [&[call][..], &initialize].concat();
        let expected =
            EndedSession { start: Started::NotInitialized, listed: None, called: names(&["get"]) };
        assert_eq!(ended(&late), [(1, expected)]);
        let refused = [initialize[0], r#"<{"jsonrpc":"2.0","id":1,"error":{"code":-1}}"#];
        assert_eq!(ended(&refused)[0].1.start, Started::NotInitialized);
    }
}
