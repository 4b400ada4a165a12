//! `tapecheck stats`: what patterns, facts and factors are worth.

use super::labelled::LabelledArgs;
use super::terminal::print;
use super::{Exit, Failure, cannot_print};
use crate::accuracy::Confusion;
use crate::label::Label;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    judged: LabelledArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let judged = self.judged.open()?;
        let mut table = Confusion::default();
        for item in &judged.items {
            let said = judged.side.said.get(item.said as usize);
            table.add(item.label, said.and_then(Label::of));
        }
        let balanced = table.balanced_accuracy().unwrap_or(f64::NAN);
        print(&format!("balanced accuracy {balanced:.3}\n"))
            .map_err(|error| cannot_print(&error))?;
        Ok(Exit::Clean)
    }
}
