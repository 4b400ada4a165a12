//! What checks go by: contracts, facts, schemas of envelopes and criteria.

use crate::check::contract::{Contract, builtin_for};
use crate::check::criteria::CriteriaFile;
use crate::check::envelope::Envelopes;
use crate::check::facts::Facts;
use crate::recording::{EnvelopePaths, ExchangeKind};
use crate::rulebook::{Applies, Criterion, Rulebook};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

#[derive(Clone, Debug, Default)]
pub struct Checks {
    pub(super) contracts: Vec<Arc<Contract>>,
    pub(super) facts: Vec<Arc<Facts>>,
    pub(super) envelopes: Option<Arc<Envelopes>>,
    pub(super) envelope_paths: EnvelopePaths,
    pub(super) criteria: Vec<OwnedCriterion>,
    pub(super) criteria_files: Vec<Arc<CriteriaFile>>,
    /// What all but the rulebook's criteria came from.
    pub(super) sources: Vec<CheckSource>,
}

/// Something that checks go by, by name, with a hash of all that it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSource {
    /// The key that names it.
    pub kind: &'static str,
    /// A contract's own name, or the last part of a file's path: it does not depend on the machine.
    pub name: String,
    pub digest: String,
    hash: u128,
}

impl CheckSource {
    pub(super) fn new(kind: &'static str, name: String, hash: u128) -> Self {
        Self { kind, name, digest: format!("{hash:032x}"), hash }
    }
}

#[derive(Clone, Debug)]
pub(super) struct OwnedCriterion {
    pub(super) criterion: Criterion,
    pub(super) owner: Owner,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Rulebook,
    /// The contract at this place in the list of contracts.
    Contract(usize),
    /// The file at this place in the list of files of criteria.
    File(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CheckFiles {
    /// Contracts, built-in ones by name; the first that is about a call is the one it is held against.
    pub contracts: Vec<String>,
    /// Facts files, TOML or CSV.
    pub facts: Vec<PathBuf>,
    /// Files of criteria, TOML.
    pub criteria: Vec<PathBuf>,
    /// The schema of requests in envelopes, whole or as a patch.
    pub envelope_request: Option<PathBuf>,
    /// The schema of responses in envelopes, whole or as a patch.
    pub envelope_response: Option<PathBuf>,
    /// The paths of HTTP requests that carry envelopes, where they are not the documented one.
    pub envelope_paths: Option<Vec<String>>,
}

/// The flags that name files, in the order of the fields of [`CheckFiles`].
const FLAGS: [&str; 6] =
    ["contract", "facts", "criteria", "envelope-request", "envelope-response", "envelope-paths"];

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
    /// The files that are named, built-in contracts aside.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let contracts = self.contracts.iter().filter(|name| builtin_for(name).is_none());
        let schemas = self.envelope_request.iter().chain(&self.envelope_response);
        let files = self.facts.iter().chain(&self.criteria).chain(schemas).cloned();
        contracts.map(PathBuf::from).chain(files)
    }

    pub fn by_flag(&self) -> BTreeMap<String, Vec<String>> {
        let paths = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        };
        let all = [
            self.contracts.clone(),
            paths(&self.facts),
            paths(&self.criteria),
            paths(self.envelope_request.as_slice()),
            paths(self.envelope_response.as_slice()),
            self.envelope_paths.clone().unwrap_or_default(),
        ];
        let named = FLAGS.map(str::to_owned).into_iter().zip(all);
        named.filter(|(_, files)| !files.is_empty()).collect()
    }

    pub fn from_flags(named: &BTreeMap<String, Vec<String>>) -> Self {
        let [contracts, facts, criteria, request, response, envelope_paths] =
            FLAGS.map(|flag| named.get(flag).map(Vec::as_slice).unwrap_or_default());
        Self {
            contracts: contracts.to_vec(),
            facts: facts.iter().map(PathBuf::from).collect(),
            criteria: criteria.iter().map(PathBuf::from).collect(),
            envelope_request: request.first().map(PathBuf::from),
            envelope_response: response.first().map(PathBuf::from),
            envelope_paths: (!envelope_paths.is_empty()).then(|| envelope_paths.to_vec()),
        }
    }
}

impl Checks {
    pub fn of_rulebook(rulebook: &Rulebook) -> Self {
        Self { criteria: of_rulebook(&rulebook.criteria).collect(), ..Self::default() }
    }

    /// Loads what files say, and adds the criteria of a rulebook.
    pub fn load(files: &CheckFiles, criteria: &[Criterion]) -> Result<Self, ChecksError> {
        super::load::load(files)?.with_criteria(criteria)
    }

    /// The same with criteria of a rulebook first, no two of one name: verdicts know them by it.
    pub fn with_criteria(&self, criteria: &[Criterion]) -> Result<Self, ChecksError> {
        let criteria = of_rulebook(criteria).chain(self.criteria.iter().cloned()).collect();
        let checks = Self { criteria, ..self.clone() };
        let wrong = checks.equal_names();
        if wrong.is_empty() { Ok(checks) } else { Err(ChecksError(wrong)) }
    }

    /// Adds a contract, with its criteria, which are asked of the calls that the contract is about.
    pub fn add_contract(&mut self, contract: impl Into<Arc<Contract>>) {
        let contract = contract.into();
        let owner = Owner::Contract(self.contracts.len());
        let digest = contract.digest().to_owned();
        let hash = xxh3_128(digest.as_bytes());
        let name = contract.name().to_owned();
        self.sources.push(CheckSource { kind: "contracts", name, digest, hash });
        let criteria = contract.criteria().iter().map(|criterion| within(criterion, &contract));
        self.criteria.extend(criteria.map(|criterion| OwnedCriterion { criterion, owner }));
        self.contracts.push(contract);
    }

    pub(super) fn add_criteria(&mut self, file: Arc<CriteriaFile>, source: CheckSource) {
        let owner = Owner::File(self.criteria_files.len());
        let criteria = file.criteria().iter().cloned();
        self.criteria.extend(criteria.map(|criterion| OwnedCriterion { criterion, owner }));
        self.criteria_files.push(file);
        self.sources.push(source);
    }

    pub fn criteria_files(&self) -> &[Arc<CriteriaFile>] {
        &self.criteria_files
    }

    pub fn contracts(&self) -> &[Arc<Contract>] {
        &self.contracts
    }

    pub fn facts(&self) -> &[Arc<Facts>] {
        &self.facts
    }

    pub fn envelopes(&self) -> &Envelopes {
        self.envelopes.as_deref().unwrap_or_else(|| Envelopes::builtin())
    }

    pub fn envelope_paths(&self) -> &EnvelopePaths {
        &self.envelope_paths
    }

    /// The contract that a call is held against: the first that is about it.
    pub(super) fn contract_of(&self, server: &str, tool: &str) -> Option<(usize, &Contract)> {
        let mut contracts = self.contracts.iter().enumerate();
        let (at, contract) = contracts.find(|(_, contract)| contract.applies_to(server, tool))?;
        Some((at, contract))
    }

    /// A complaint for every name that several criteria have. The same criterion in two contracts or files
    /// is none: a contract may well be named twice, for different servers.
    fn equal_names(&self) -> Vec<String> {
        let mut first: HashMap<&str, &OwnedCriterion> = HashMap::new();
        let mut wrong = Vec::new();
        for owned in &self.criteria {
            let name = owned.criterion.name.as_str();
            let known = *first.entry(name).or_insert(owned);
            if known.owner == owned.owner || known.is_same(owned) {
                continue;
            }
            let [one, other] = [known.owner, owned.owner].map(|owner| self.named(owner));
            wrong.push(format!(
                "two criteria are called `{name}`, one in {one} and one in {other}: rename one \
                 of them"
            ));
        }
        wrong
    }

    fn named(&self, owner: Owner) -> String {
        match owner {
            Owner::Rulebook => "the rulebook".to_owned(),
            Owner::Contract(at) => {
                let name = self.contracts.get(at).map_or("", |contract| contract.name());
                format!("the contract `{name}`")
            }
            Owner::File(at) => {
                let name = self.criteria_files.get(at).map_or("", |file| file.name());
                format!("the criteria `{name}`")
            }
        }
    }

    /// What they came from, the rulebook aside.
    pub fn sources(&self) -> &[CheckSource] {
        &self.sources
    }

    /// A hash of everything that files said; `None` where there were none.
    pub fn digest(&self) -> Option<String> {
        let hashes = self.sources.iter().flat_map(|source| source.hash.to_le_bytes());
        let joined: Vec<u8> = hashes.collect();
        (!self.sources.is_empty()).then(|| format!("{:032x}", xxh3_128(&joined)))
    }
}

impl OwnedCriterion {
    /// Whether both are the same criterion of contracts or files, whomever they are asked of.
    fn is_same(&self, other: &Self) -> bool {
        let is_named = [self, other].iter().all(|owned| owned.owner != Owner::Rulebook);
        let (one, other) = (&self.criterion, &other.criterion);
        is_named
            && one.about == other.about
            && one.expression.text() == other.expression.text()
            && one.raised == other.raised
            && one.suggestion == other.suggestion
    }
}

fn of_rulebook(criteria: &[Criterion]) -> impl Iterator<Item = OwnedCriterion> {
    let owner = Owner::Rulebook;
    criteria.iter().map(move |criterion| OwnedCriterion { criterion: criterion.clone(), owner })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(name: &str, criterion: &str) -> Contract {
        let text = format!(
            "name = \"{name}\"\n[tools.star]\n[[criteria]]\nname = \"bright\"\nexpression = \"{criterion}\"\n"
        );
        Contract::from_toml(&text, name).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn criteria_are_asked_of_kinds_that_there_are() {
        assert_eq!(Applies::KINDS, ExchangeKind::ALL.map(ExchangeKind::name));
    }

    #[test]
    fn no_two_criteria_have_one_name() {
        let mut checks = Checks::default();
        checks.add_contract(contract("one", "true"));
        checks.add_contract(contract("one again", "true"));
        assert!(checks.with_criteria(&[]).is_ok(), "they are the same criterion");
        checks.add_contract(contract("two", "false"));
        let complaint = |checks: &Checks, criteria: &[Criterion]| {
            checks.with_criteria(criteria).expect_err("equal names").to_string()
        };
        assert_eq!(
            complaint(&checks, &[]),
            "two criteria are called `bright`, one in the contract `one` and one in the contract `two`: rename one of them"
        );
        let mut checks = Checks::default();
        checks.add_contract(contract("one", "true"));
        let of_rulebook = contract("mine", "true").criteria().to_vec();
        let found = complaint(&checks, &of_rulebook);
        assert!(found.contains("one in the rulebook and one in the contract `one`"), "{found}");
    }
}
