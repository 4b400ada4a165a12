//! The labels of the exchanges of a run.

use super::line::{Name, names};
use super::{Class, Label, LabelError, LabelLine, Said, class_of, plain_id};
use crate::compare::{ByLabel, Comparison, Flip, Side};
use crate::store::{NamedVerdict, Table, TableReader};
use crate::verdict::{Outcome, counted, harmless};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The labels of a side's exchanges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelled {
    /// By the exchange's place in [`Side::entries`].
    pub of: BTreeMap<u32, Class>,
    /// Lines of the file of labels that no exchange, or more than one, has the name of.
    pub unmatched: u64,
    /// What the first of these calls its exchange.
    pub first_unmatched: Option<String>,
    /// Exchanges of which files say different things; they have no label.
    pub contradicted: u64,
    /// Exchanges whose label their reply cannot have, as an error that is labelled a success; no measure
    /// counts them.
    pub misfits: u64,
    /// Labels in recordings that are none of the four words.
    pub unknown: u64,
    /// Why nothing is known of labels, where it is not that there are none.
    pub cannot_tell: Option<String>,
}

/// Which exchanges of a run a label is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// By their places in [`Side::entries`]: all with the key, or the one of recording and id.
    Entries(Vec<u32>),
    None,
    /// One of so many that have the recording and id, who knows which.
    Several(usize),
    /// The key names the first ones, recording and id another one.
    Two(Vec<u32>, u32),
}

/// What a run's table of verdicts tells of labels and of the names of exchanges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// What each of the lines is about.
    pub meant: Vec<Meant>,
    /// The labels that stand in recordings; `None` where the word is none.
    pub own: Vec<(u32, Option<Said>)>,
    /// How many exchanges the table has.
    rows: usize,
}

impl Recorded {
    /// Finds the exchanges of labels in a run. A label that has a key is about all exchanges with that
    /// content; its recording and id only tell where one of them was.
    pub fn of_run<'l>(
        folder: &Path,
        side: &Side,
        lines: impl IntoIterator<Item = &'l LabelLine>,
    ) -> Result<Self, LabelError> {
        let lines: Vec<&LabelLine> = lines.into_iter().collect();
        // Where each name's count stands; the places of a million rows are only ever borrowed.
        let mut at_name: HashMap<Name<'l>, usize> = HashMap::new();
        for name in lines.iter().flat_map(|line| names(line)).flatten() {
            let next = at_name.len();
            at_name.entry(name).or_insert(next);
        }
        let mut having = vec![Vec::new(); at_name.len()];
        if lines.iter().any(|line| line.key.is_some()) {
            for (at, entry) in (0..).zip(&side.entries) {
                if let Some(place) = at_name.get(&Name::Key(entry.key)) {
                    having[*place].push(at);
                }
            }
        }
        let mut found = Self::default();
        let mut table = TableReader::open(folder, Table::Verdicts)?;
        let mut at = 0;
        for group in 0..table.groups() {
            let [files, ids, own] = ["file", "id", "label"].map(|name| table.texts(group, name));
            let (files, ids, own) = (files?, ids?, own?);
            for row in 0..table.rows(group) {
                found.own.extend(own.get(row).map(|word| (at, Said::of_word(word))));
                if let (Some(file), Some(id)) = (files.get(row), ids.get(row))
                    && let Some(place) = at_name.get(&Name::Place(file, plain_id(id)))
                {
                    having[*place].push(at);
                }
                at += 1;
            }
        }
        found.rows = at as usize;
        let of_name = |name| at_name.get(&name).map_or(&[][..], |at| having[*at].as_slice());
        let meant =
            lines.into_iter().map(|line| Meant::of(names(line).map(|name| name.map(of_name))));
        found.meant = meant.collect();
        Ok(found)
    }

    /// Whether the table is that of the side.
    fn fits(&self, side: &Side) -> bool {
        self.rows == side.entries.len()
    }
}

impl Meant {
    /// By the exchanges that have the key, and those that have recording and id.
    fn of(having: [Option<&[u32]>; 2]) -> Self {
        match having {
            [Some([]), _] | [None, None | Some([])] => Self::None,
            [Some(of_key), Some([place])] if !of_key.contains(place) => {
                Self::Two(of_key.to_vec(), *place)
            }
            [Some(of_key), _] => Self::Entries(of_key.to_vec()),
            [None, Some([one])] => Self::Entries(vec![*one]),
            [None, Some(several)] => Self::Several(several.len()),
        }
    }

    /// The exchanges whose label it is; a key counts before recording and id.
    pub fn entries(&self) -> &[u32] {
        match self {
            Self::Entries(entries) | Self::Two(entries, _) => entries,
            Self::None | Self::Several(_) => &[],
        }
    }
}

impl Labelled {
    /// A side that does not keep what labels are found by.
    pub fn cannot_tell(because: &str) -> Self {
        Self { cannot_tell: Some(because.to_owned()), ..Self::default() }
    }

    /// The labels of a run's exchanges: those of its recordings, and those of files, which count where
    /// there are both. Where files contradict each other, nobody knows.
    pub fn of_run(folder: &Path, side: &Side, lines: &[LabelLine]) -> Result<Self, LabelError> {
        let recorded = Recorded::of_run(folder, side, lines)?;
        if !recorded.fits(side) {
            return Ok(Self::cannot_tell("the table of verdicts has other rows than the run"));
        }
        let mut labelled = Self::default();
        let mut said: BTreeMap<u32, Said> = BTreeMap::new();
        for (at, own) in recorded.own {
            match own {
                Some(own) => _ = said.insert(at, own),
                None => labelled.unknown += 1,
            }
        }
        let mut of_files: BTreeMap<u32, Option<Said>> = BTreeMap::new();
        for (line, meant) in lines.iter().zip(recorded.meant) {
            if meant.entries().is_empty() {
                labelled.unmatched += 1;
                labelled.first_unmatched.get_or_insert_with(|| line.exchange());
            }
            for at in meant.entries() {
                let all = of_files.entry(*at).or_insert(Some(line.said));
                *all = all.and_then(|all| all.with(line.said));
            }
        }
        for (at, of_file) in of_files {
            if let Some(of_file) = of_file {
                said.insert(at, of_file);
            } else {
                said.remove(&at);
                labelled.contradicted += 1;
            }
        }
        for (at, said) in said {
            let verdict = side.entries.get(at as usize).map(|entry| entry.verdict as usize);
            let verdict = verdict.and_then(|verdict| side.verdicts.get(verdict));
            match verdict.and_then(|verdict| class_of(verdict, said)) {
                Some(class) => _ = labelled.of.insert(at, class),
                None => labelled.misfits += 1,
            }
        }
        Ok(labelled)
    }

    /// Notes in a comparison what these labels of its later side say of equal replies that other rules
    /// judge.
    pub fn judge(&self, comparison: &mut Comparison, sides: [&Side; 2]) {
        comparison.note_labels(|flip| self.of_flip(flip, sides));
    }

    fn of_flip(&self, flip: &Flip, [before, after]: [&Side; 2]) -> Option<ByLabel> {
        let class = *self.of.get(&flip.after?)?;
        let agrees = |side: &Side, at: u32| {
            let verdict = side.verdicts.get(side.entries.get(at as usize)?.verdict as usize)?;
            let fits = verdict.ground.claims_success() == Some(!class.is_flagged());
            fits.then(|| agrees(verdict, class))
        };
        Some(ByLabel::of(agrees(before, flip.before?)?, agrees(after, flip.after?)?))
    }

    /// What is to be said of labels that do not count.
    pub fn notes(&self) -> Vec<String> {
        let first = self.first_unmatched.as_deref().map(harmless);
        let first = first.map_or_else(String::new, |first| format!(" (first: {first})"));
        let known = Label::ASKED.map(Label::name).join(", ");
        let notes = [
            (self.unmatched, "label", format!("without exactly one matching call{first}")),
            (self.contradicted, "call", "with conflicting labels".to_owned()),
            (
                self.misfits,
                "label",
                "not suited to the reply: an error label on a success or the reverse, or a call \
                 without a reply"
                    .to_owned(),
            ),
            (self.unknown, "label", format!("in recordings, none of {known}")),
        ];
        let notes = notes.into_iter().filter(|(count, ..)| *count > 0);
        let note = |(count, thing, what): (u64, &str, String)| {
            format!("ignored: {} {what}; see tapecheck label check", counted(count, thing))
        };
        notes.map(note).collect()
    }
}

/// Whether both the outcome and the answer are what the label says.
fn agrees(verdict: &NamedVerdict, class: Class) -> bool {
    let is_outcome = match class.label() {
        Label::Worked => verdict.outcome == Outcome::Worked,
        Label::Refused => verdict.outcome == Outcome::Refused,
        Label::Failed => verdict.outcome == Outcome::Failed,
        Label::Hidden => matches!(verdict.outcome, Outcome::Failed | Outcome::Refused),
    };
    is_outcome && class.is_met_by(Class::of(verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_counts_where_there_is_one() {
        let meant = |key, place| Meant::of([key, place]);
        let entries = |entries: &[u32]| Meant::Entries(entries.to_vec());
        assert_eq!(meant(Some(&[3][..]), None), entries(&[3]));
        assert_eq!(meant(Some(&[3, 7][..]), None), entries(&[3, 7]), "all equal calls");
        assert_eq!(meant(None, Some(&[4][..])), entries(&[4]));
        assert_eq!(meant(Some(&[3, 7][..]), Some(&[7][..])), entries(&[3, 7]));
        assert_eq!(meant(Some(&[3, 7][..]), Some(&[4][..])), Meant::Two(vec![3, 7], 4));
        assert_eq!(meant(Some(&[3][..]), Some(&[][..])), entries(&[3]));
        assert_eq!(meant(Some(&[][..]), Some(&[4][..])), Meant::None, "another reply stands there");
        assert_eq!(meant(None, Some(&[4, 5][..])), Meant::Several(2));
        assert_eq!(Meant::Two(vec![3, 7], 4).entries(), [3, 7]);
    }
}
