//! A progress bar, where somebody watches.

use super::terminal::{harmless, is_watched};
use crate::page::Sampler;
use crate::run::Observer;
use crate::store::NamedRows;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

const STYLE: &str =
    "{bar:30} {percent:>3} %  {bytes} of {total_bytes}  {bytes_per_sec}  {eta} left";
const FLOWING: &str = "{spinner} {bytes}  {bytes_per_sec}";
const WAITING: &str = "{spinner} {wide_msg} {elapsed}";

/// Shows how far a run has come, and hands on its rows.
pub(super) struct Progress {
    wanted: bool,
    over: Arc<AtomicBool>,
    painter: Mutex<Option<JoinHandle<()>>>,
    sampler: Mutex<Option<Sampler>>,
}

impl Progress {
    pub(super) fn new(wanted: bool, sampler: Option<Sampler>) -> Self {
        Self {
            wanted: wanted && is_watched(),
            over: Arc::default(),
            painter: Mutex::default(),
            sampler: Mutex::new(sampler),
        }
    }

    pub(super) fn sampler(&self) -> Option<Sampler> {
        self.sampler.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Observer for Progress {
    fn begin(&self, total: &dyn Fn() -> u64, taken: Arc<AtomicU64>) {
        if !self.wanted {
            return;
        }
        let (total, over) = (total(), Arc::clone(&self.over));
        let painter = std::thread::spawn(move || paint(total, &taken, &over));
        *self.painter.lock().unwrap_or_else(PoisonError::into_inner) = Some(painter);
    }

    fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        let painter = self.painter.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(painter) = painter {
            // A painter that failed has no bearing on the run.
            let _ = painter.join();
        }
    }

    fn rows(&self, rows: &NamedRows) {
        let mut sampler = self.sampler.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sampler) = &mut *sampler {
            sampler.see(rows);
        }
    }
}

/// Does something that may take long; where somebody watches, says what it is.
pub(super) fn while_waiting<T>(doing: &str, work: impl FnOnce() -> T) -> T {
    if !is_watched() {
        return work();
    }
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template(WAITING) {
        spinner.set_style(style);
    }
    spinner.set_message(harmless(doing));
    spinner.enable_steady_tick(Duration::from_millis(125));
    let done = work();
    spinner.finish_and_clear();
    done
}

fn paint(total: u64, taken: &AtomicU64, over: &AtomicBool) {
    let bar = ProgressBar::with_draw_target(
        (total > 0).then_some(total),
        ProgressDrawTarget::stderr_with_hz(8),
    );
    if let Ok(style) = ProgressStyle::with_template(if total > 0 { STYLE } else { FLOWING }) {
        bar.set_style(style);
    }
    while !over.load(Ordering::Relaxed) {
        bar.set_position(taken.load(Ordering::Relaxed));
        std::thread::sleep(Duration::from_millis(50));
    }
    bar.finish_and_clear();
}
