//! What checks go by: contracts, facts, schemas of envelopes and criteria.

use crate::contract::{Contract, ContractError};
use crate::envelope::{EnvelopeError, Envelopes, SchemaFile};
use crate::facts::{Facts, FactsError};
use crate::rulebook::{Criterion, Rulebook};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// What checks go by.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    contracts: Vec<Arc<Contract>>,
    facts: Vec<Arc<Facts>>,
    envelopes: Option<Arc<Envelopes>>,
    criteria: Vec<Criterion>,
    /// The text of everything above, for the digest.
    sources: Vec<String>,
}

/// The files that checks are loaded from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckFiles {
    /// Contracts: names of built-in ones, or files.
    pub contracts: Vec<String>,
    /// Facts files, TOML or CSV.
    pub facts: Vec<PathBuf>,
    /// The schema of requests in envelopes, whole or as a patch.
    pub envelope_request: Option<PathBuf>,
    /// The schema of responses in envelopes, whole or as a patch.
    pub envelope_response: Option<PathBuf>,
}

/// Why checks cannot be loaded: everything that is wrong with all files.
#[derive(Debug)]
pub struct ChecksError(pub Vec<String>);

impl std::fmt::Display for ChecksError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for ChecksError {}

/// Facts and schemas are written by hand or exported from a table; anything longer is a mistake.
const LONGEST: u64 = 64 << 20;

impl Checks {
    /// The checks that need nothing but a rulebook.
    #[must_use]
    pub fn of_rulebook(rulebook: &Rulebook) -> Self {
        Self { criteria: rulebook.criteria.clone(), ..Self::default() }
    }

    /// Loads what files say, and adds the criteria of a rulebook.
    pub fn load(files: &CheckFiles, criteria: &[Criterion]) -> Result<Self, ChecksError> {
        let mut checks = Self { criteria: criteria.to_vec(), ..Self::default() };
        let mut wrong = Vec::new();
        for name in &files.contracts {
            match Contract::load(name) {
                Ok(contract) => checks.add_contract(contract),
                Err(error) => wrong.push(said(&error)),
            }
        }
        for path in &files.facts {
            match facts(path) {
                Ok((facts, text)) => {
                    checks.facts.push(Arc::new(facts));
                    checks.sources.push(text);
                }
                Err(error) => wrong.push(error),
            }
        }
        if let Err(error) = checks.load_envelopes(files) {
            wrong.extend(error);
        }
        if wrong.is_empty() { Ok(checks) } else { Err(ChecksError(wrong)) }
    }

    /// Adds a contract, with its criteria.
    pub fn add_contract(&mut self, contract: Contract) {
        self.sources.push(contract.digest().to_owned());
        self.criteria.extend(contract.criteria().iter().cloned());
        self.contracts.push(Arc::new(contract));
    }

    fn load_envelopes(&mut self, files: &CheckFiles) -> Result<(), Vec<String>> {
        let read = |path: &Option<PathBuf>| -> Result<Option<(String, String)>, Vec<String>> {
            let Some(path) = path else { return Ok(None) };
            let text = read_text(path).map_err(|error| vec![unreadable(path, &error)])?;
            Ok(Some((path.display().to_string(), text)))
        };
        let (request, response) = (read(&files.envelope_request)?, read(&files.envelope_response)?);
        if request.is_none() && response.is_none() {
            return Ok(());
        }
        let envelopes = Envelopes::load(
            request.as_ref().map(|(name, text)| SchemaFile { name, text }),
            response.as_ref().map(|(name, text)| SchemaFile { name, text }),
        )
        .map_err(|error: EnvelopeError| vec![said(&error)])?;
        self.envelopes = Some(Arc::new(envelopes));
        self.sources.extend([request, response].into_iter().flatten().map(|(_, text)| text));
        Ok(())
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
        let joined = self.sources.join("\u{1}");
        (!self.sources.is_empty()).then(|| format!("{:032x}", xxh3_128(joined.as_bytes())))
    }
}

fn facts(path: &Path) -> Result<(Facts, String), String> {
    let text = read_text(path).map_err(|error| unreadable(path, &error))?;
    let label = path.display().to_string();
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let facts =
        if is_csv { Facts::from_csv(&text, &label) } else { Facts::from_toml(&text, &label) };
    facts.map(|facts| (facts, text)).map_err(|error: FactsError| said(&error))
}

fn read_text(path: &Path) -> io::Result<String> {
    if std::fs::metadata(path)?.len() > LONGEST {
        let message = format!("it is longer than {LONGEST} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    std::fs::read_to_string(path)
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("cannot read {}: {error}", path.display())
}

fn said(error: &dyn std::error::Error) -> String {
    error.to_string()
}

impl From<ContractError> for ChecksError {
    fn from(error: ContractError) -> Self {
        Self(vec![said(&error)])
    }
}
