//! What checks go by: contracts, facts, schemas of envelopes and criteria.

use crate::contract::Contract;
use crate::envelope::Envelopes;
use crate::facts::Facts;
use crate::rulebook::{Applies, Criterion, Rulebook};
use crate::tape::ExchangeKind;
use std::path::PathBuf;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// What checks go by.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    pub(super) contracts: Vec<Arc<Contract>>,
    pub(super) facts: Vec<Arc<Facts>>,
    pub(super) envelopes: Option<Arc<Envelopes>>,
    pub(super) criteria: Vec<Criterion>,
    /// A hash of each of the files above.
    pub(super) sources: Vec<u128>,
}

/// The files that checks are loaded from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CheckFiles {
    /// Contracts; the first that is about a call is the one it is held against.
    pub contracts: Vec<ContractPlace>,
    /// Facts files, TOML or CSV.
    pub facts: Vec<PathBuf>,
    /// The schema of requests in envelopes, whole or as a patch.
    pub envelope_request: Option<PathBuf>,
    /// The schema of responses in envelopes, whole or as a patch.
    pub envelope_response: Option<PathBuf>,
}

/// Where a contract is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ContractPlace {
    /// A built-in one by its name, or any file.
    Named(String),
    /// A file of a corpus.
    Corpus {
        /// The corpus's root: no schema file that the contract names may lie elsewhere.
        root: PathBuf,
        /// The file.
        path: PathBuf,
    },
}

/// Why checks cannot be loaded: everything that is wrong with all files.
#[derive(Clone, Debug)]
pub struct ChecksError(pub Vec<String>);

impl std::fmt::Display for ChecksError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("\n\n"))
    }
}

impl std::error::Error for ChecksError {}

impl CheckFiles {
    /// These files, and beside them those of a folder. Where both name a schema, it is this one's;
    /// contracts of this one come first.
    #[must_use]
    pub fn with(&self, folder: &Self) -> Self {
        let Self { contracts, facts, envelope_request, envelope_response } = folder.clone();
        Self {
            contracts: self.contracts.iter().cloned().chain(contracts).collect(),
            facts: self.facts.iter().cloned().chain(facts).collect(),
            envelope_request: self.envelope_request.clone().or(envelope_request),
            envelope_response: self.envelope_response.clone().or(envelope_response),
        }
    }
}

impl Checks {
    /// The checks that need nothing but a rulebook.
    #[must_use]
    pub fn of_rulebook(rulebook: &Rulebook) -> Self {
        Self { criteria: rulebook.criteria.clone(), ..Self::default() }
    }

    /// Loads what files say, and adds the criteria of a rulebook.
    pub fn load(files: &CheckFiles, criteria: &[Criterion]) -> Result<Self, ChecksError> {
        let mut loader = super::CheckLoader::default();
        let checks = loader.load(files);
        loader.finish()?;
        Ok(checks.with_criteria(criteria))
    }

    /// The same checks with criteria of a rulebook, which come first.
    #[must_use]
    pub fn with_criteria(&self, criteria: &[Criterion]) -> Self {
        let criteria = criteria.iter().chain(&self.criteria).cloned().collect();
        Self { criteria, ..self.clone() }
    }

    /// Adds a contract, with its criteria, which are asked of the calls that the contract is about.
    pub fn add_contract(&mut self, contract: impl Into<Arc<Contract>>) {
        let contract = contract.into();
        self.sources.push(xxh3_128(contract.digest().as_bytes()));
        self.criteria
            .extend(contract.criteria().iter().map(|criterion| within(criterion, &contract)));
        self.contracts.push(contract);
    }

    /// The contracts.
    #[must_use]
    pub fn contracts(&self) -> &[Arc<Contract>] {
        &self.contracts
    }

    /// The facts.
    #[must_use]
    pub fn facts(&self) -> &[Arc<Facts>] {
        &self.facts
    }

    /// The schemas of envelopes.
    #[must_use]
    pub fn envelopes(&self) -> &Envelopes {
        self.envelopes.as_deref().unwrap_or_else(|| Envelopes::builtin())
    }

    /// The criteria.
    #[must_use]
    pub fn criteria(&self) -> &[Criterion] {
        &self.criteria
    }

    /// A hash of everything that files said; `None` where there were none.
    #[must_use]
    pub fn digest(&self) -> Option<String> {
        let joined: Vec<u8> = self.sources.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        (!self.sources.is_empty()).then(|| format!("{:032x}", xxh3_128(&joined)))
    }
}

/// A criterion of a contract, kept to what the contract is about: see [`Contract::applies_to`].
fn within(criterion: &Criterion, contract: &Contract) -> Criterion {
    let mut criterion = criterion.clone();
    let Applies { kinds, servers, tools } = &mut criterion.applies;
    if kinds.is_empty() {
        kinds.push(ExchangeKind::ToolCall.name().to_owned());
    }
    if contract.servers().is_empty() {
        if tools.is_empty() {
            tools.extend(contract.tools().map(str::to_owned));
        }
    } else if servers.is_empty() {
        servers.extend(contract.servers().iter().cloned());
    }
    criterion
}
