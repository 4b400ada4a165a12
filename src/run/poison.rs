//! A record that ends or hangs the process, for tests of what starts the process again. Release builds have none.

use crate::recording::Exchange;

/// `abort=ID` or `hang=ID`: what happens to the call with this id. Several stand behind commas.
const POISON: &str = "TAPECHECK_POISON";

pub(super) fn strike(exchange: &Exchange<'_>) {
    let (Ok(poison), Some(id)) = (std::env::var(POISON), exchange.id.as_deref()) else { return };
    for (how, of) in poison.split(',').filter_map(|one| one.split_once('=')) {
        match how {
            _ if of != id => {}
            "abort" => std::process::abort(),
            _ => std::thread::sleep(std::time::Duration::MAX),
        }
    }
}
