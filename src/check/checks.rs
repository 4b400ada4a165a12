//! What checks go by: contracts, facts, schemas of envelopes and criteria; and their files, with everything that is wrong
//! with any of them.

use crate::check::contract::{Contract, builtin_for};
use crate::check::criteria::CriteriaFile;
use crate::check::envelope::{Envelopes, SchemaFile};
use crate::check::facts::Facts;
use crate::recording::{EnvelopePaths, ExchangeKind};
use crate::rulebook::problem::listing;
use crate::rulebook::source::read_within;
use crate::rulebook::{Applies, Criterion, Rulebook};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

#[derive(Clone, Debug, Default)]
pub struct Checks {
    pub(super) contracts: Vec<Arc<Contract>>,
    pub(super) facts: Vec<Arc<Facts>>,
    pub(super) envelopes: Option<Arc<Envelopes>>,
    pub envelope_paths: EnvelopePaths,
    pub(super) criteria: Vec<OwnedCriterion>,
    pub criteria_files: Vec<Arc<CriteriaFile>>,
    /// What all but the rulebook's criteria came from.
    pub sources: Vec<CheckSource>,
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
    pub facts: Vec<PathBuf>,
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
        load(files)?.with_criteria(criteria)
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
        let digest = contract.digest.clone();
        let hash = xxh3_128(digest.as_bytes());
        let name = contract.name.clone();
        self.sources.push(CheckSource { kind: "contracts", name, digest, hash });
        let criteria = contract.criteria.iter().map(|criterion| within(criterion, &contract));
        self.criteria.extend(criteria.map(|criterion| OwnedCriterion { criterion, owner }));
        self.contracts.push(contract);
    }

    pub(super) fn add_criteria(&mut self, file: Arc<CriteriaFile>, source: CheckSource) {
        let owner = Owner::File(self.criteria_files.len());
        let criteria = file.criteria.iter().cloned();
        self.criteria.extend(criteria.map(|criterion| OwnedCriterion { criterion, owner }));
        self.criteria_files.push(file);
        self.sources.push(source);
    }

    pub fn envelopes(&self) -> &Envelopes {
        self.envelopes.as_deref().unwrap_or_else(|| Envelopes::builtin())
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
            Owner::Contract(at) => format!("the contract `{}`", self.contracts[at].name),
            Owner::File(at) => format!("the criteria `{}`", self.criteria_files[at].name),
        }
    }

    /// A hash of everything that files said; `None` where there were none.
    pub fn digest(&self) -> Option<String> {
        let hashes = self.sources.iter().map(|source| source.hash);
        (!self.sources.is_empty()).then(|| format!("{:032x}", joined(hashes)))
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
    if contract.servers.is_empty() {
        if tools.is_empty() {
            tools.extend(contract.tools().map(str::to_owned));
        }
    } else if servers.is_empty() {
        servers.extend(contract.servers.iter().cloned());
    }
    criterion
}

/// Facts and schemas are written by hand or exported from a table; anything longer is a mistake.
const LONGEST: u64 = 64 << 20;

/// What files say. Everything that is wrong with any of them is told together.
fn load(files: &CheckFiles) -> Result<Checks, ChecksError> {
    let mut wrong = Wrong::default();
    let mut checks = Checks::default();
    for name in &files.contracts {
        let loaded = Contract::load(name).map_err(|error| error.to_string());
        if let Some(contract) = wrong.or(loaded) {
            checks.add_contract(contract);
        }
    }
    for path in &files.facts {
        let Some((label, text)) = wrong.text(path) else { continue };
        let is_csv =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let facts =
            if is_csv { Facts::from_csv(&text, &label) } else { Facts::from_toml(&text, &label) };
        if let Some(facts) = wrong.or(facts.map_err(|it| listing("the facts file", &it))) {
            checks.facts.push(Arc::new(facts));
            checks.sources.push(CheckSource::new("facts", last_part(path), hash(&[&text])));
        }
    }
    for path in &files.criteria {
        let Some((label, text)) = wrong.text(path) else { continue };
        let criteria = CriteriaFile::from_toml(&text, &label);
        if let Some(criteria) = wrong.or(criteria.map_err(|problems| listing(&label, &problems))) {
            let source = CheckSource::new("criteria", last_part(path), hash(&[&text]));
            checks.add_criteria(Arc::new(criteria), source);
        }
    }
    load_envelopes(files, &mut checks, &mut wrong);
    if let Some(paths) = &files.envelope_paths {
        checks.envelope_paths = EnvelopePaths::of(paths);
        let name = paths.join(", ");
        let hash = hash(&[&name]);
        checks.sources.push(CheckSource::new("envelope_paths", name, hash));
    }
    if wrong.0.is_empty() { Ok(checks) } else { Err(ChecksError(wrong.0)) }
}

/// A file that cannot be read does not keep the mistakes of the other from being told.
fn load_envelopes(files: &CheckFiles, checks: &mut Checks, wrong: &mut Wrong) {
    let named = [&files.envelope_request, &files.envelope_response];
    if named.iter().all(|path| path.is_none()) {
        return;
    }
    let read = named.map(|path| path.as_ref().and_then(|path| wrong.text(path)));
    let is_whole = named.iter().zip(&read).all(|(path, text)| path.is_none() || text.is_some());
    let [request, response] =
        read.each_ref().map(|file| file.as_ref().map(|(name, text)| SchemaFile { name, text }));
    let compiled = Envelopes::load(request, response).map_err(|error| error.to_string());
    if let Some(envelopes) = wrong.or(compiled).filter(|_| is_whole) {
        let texts = read.each_ref().map(|file| file.as_ref().map_or("", |file| &file.1));
        let parts: Vec<String> = named.into_iter().flatten().map(|it| last_part(it)).collect();
        checks.envelopes = Some(Arc::new(envelopes));
        let source = CheckSource::new("envelope schemas", parts.join(", "), hash(&texts));
        checks.sources.push(source);
    }
}

/// What is wrong with files, each mistake once.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn or<T>(&mut self, loaded: Result<T, String>) -> Option<T> {
        let note = |message| {
            if !self.0.contains(&message) {
                self.0.push(message);
            }
        };
        loaded.map_err(note).ok()
    }

    /// The name of a file and its text.
    fn text(&mut self, path: &Path) -> Option<(String, String)> {
        let label = path.display().to_string();
        let read =
            read_within(path, LONGEST).map_err(|error| format!("cannot read {label}: {error}"));
        Some((label, self.or(read)?))
    }
}

fn last_part(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn hash(texts: &[&str]) -> u128 {
    joined(texts.iter().map(|text| xxh3_128(text.as_bytes())))
}

/// Several hashes as one.
fn joined(hashes: impl Iterator<Item = u128>) -> u128 {
    xxh3_128(&hashes.flat_map(u128::to_le_bytes).collect::<Vec<u8>>())
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
        let of_rulebook = contract("mine", "true").criteria;
        let found = complaint(&checks, &of_rulebook);
        assert!(found.contains("one in the rulebook and one in the contract `one`"), "{found}");
    }
}
