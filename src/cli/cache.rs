//! Flags that say where verdicts are kept from one run to the next.

use crate::run::CachePlan;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct CacheArgs {
    /// Keep verdicts in this folder, so that tapes that did not change need not be read again
    /// [default: the folder that the run is written to stands in]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Judge every tape anew, and keep nothing
    #[arg(long)]
    no_cache: bool,
    /// The room that kept verdicts may take, in MiB; those not used for the longest time go first
    #[arg(long, value_name = "MIB", default_value_t = CachePlan::BOUND >> 20, conflicts_with = "no_cache")]
    cache_size: u64,
}

impl CacheArgs {
    /// Where a run that is written to `out` keeps verdicts.
    pub(super) fn plan(&self, out: &Path) -> Option<CachePlan> {
        if self.no_cache {
            return None;
        }
        let beside = || match out.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            Some(_) | None => PathBuf::from("."),
        };
        let folder = self.cache.clone().unwrap_or_else(beside);
        Some(CachePlan { folder, bound: self.cache_size.saturating_mul(1 << 20) })
    }
}
