//! The questions that signals put to the texts, and the patterns that answer them.

use super::Purpose;
use super::lists::{List, Named, inline};
use super::question::{self, Question, Regexes};
use super::signals::Signals;
use crate::rulebook::asked::{self, Holder};
use crate::rulebook::matching::{Contained, FieldMatcher, LeafSet, Quoted, Searched, Sought};
use crate::rulebook::model::{Field, Pattern, PatternKind};
use crate::rulebook::observe::{Observer, Watch, Watched};
use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use crate::rulebook::source::Section;
use crate::verdict::SignalSet;
use std::ops::Range;
use std::sync::Arc;

const MOST_PATTERNS: usize = 8192;

/// All questions of a rulebook.
pub(super) struct Leaves {
    lists: Vec<List>,
    asked: Vec<Leaf>,
    patterns: Vec<Pattern>,
    purpose: Purpose,
}

/// What came of reading the question that a table asks.
pub(super) enum Asked {
    Nothing,
    /// Something is wrong with it, and was reported.
    Wrongly,
    Leaf(usize),
}

/// One question put to one field.
struct Leaf {
    field: Field,
    question: Question,
    /// The signal that asked first.
    signal: String,
    mark: Mark,
    /// The patterns whose hits answer it.
    patterns: Range<usize>,
}

impl Leaves {
    pub(super) fn new(lists: Vec<List>, purpose: Purpose) -> Self {
        Self { lists, asked: Vec::new(), patterns: Vec::new(), purpose }
    }

    pub(super) fn question(&mut self, signal: &str, section: &mut Section<'_>) -> Asked {
        let asked =
            ["contains", "regex", "equals", "quotes"].map(|key| section.entry(key).is_some());
        if !asked.contains(&true) {
            return Asked::Nothing;
        }
        let field = section.word("in").unwrap_or(Field::Text);
        let read = match asked {
            [true, false, false, false] => self.contains(signal, section),
            [false, true, false, false] => question::regex(section, self.purpose),
            [false, false, true, false] => question::equals(section),
            [false, false, false, true] => question::quotes(section),
            _ => {
                let message = "only one of contains, regex, equals, quotes is allowed here";
                section.error(message);
                None
            }
        };
        let mark = section.mark;
        if field != Field::Text && read.as_ref().is_some_and(|read| read.quoted_from().is_some()) {
            let message = "only the text of a reply can quote the call";
            section.error_at("in", message);
        }
        read.and_then(|question| {
            let leaf = Leaf { field, question, signal: signal.to_owned(), mark, patterns: 0..0 };
            self.intern(leaf, section.problems)
        })
        .map_or(Asked::Wrongly, Asked::Leaf)
    }

    fn contains(&mut self, signal: &str, section: &mut Section<'_>) -> Option<Question> {
        let node = section.take("contains")?;
        let matching = section.word("match");
        let list = match node.text() {
            None => {
                self.lists.push(inline(signal, node, section.problems));
                self.lists.len() - 1
            }
            Some(name) => {
                let found = self.lists.iter().position(|list| list.name == name);
                if found.is_none() {
                    section.problems.error_with_help(
                        node.mark,
                        format!("unknown list `{name}`"),
                        did_you_mean(name, self.lists.iter().map(|list| list.name.as_str())),
                    );
                }
                found?
            }
        };
        let matching = matching.unwrap_or(self.lists[list].matching);
        Some(Question::Contains { list, matching })
    }

    /// Gives the question a number; a question that was asked before keeps its own.
    fn intern(&mut self, leaf: Leaf, problems: &Problems) -> Option<usize> {
        if let Some(known) = self.asked.iter().position(|known| known.same_as(&leaf)) {
            return Some(known);
        }
        let first = self.patterns.len();
        match &leaf.question {
            Question::Contains { list, matching } => {
                let list = &self.lists[*list];
                self.patterns.extend(list.entries.iter().map(|entry| Pattern {
                    list: list.name.clone(),
                    heading: entry.heading.clone(),
                    text: entry.text.clone(),
                    title: None,
                    field: leaf.field,
                    kind: PatternKind::Text(*matching),
                    quoted_from: None,
                }));
            }
            Question::Regex { text, title, case, quoted_from, .. } => self.patterns.push(Pattern {
                list: leaf.signal.clone(),
                heading: None,
                text: text.clone(),
                title: title.clone(),
                field: leaf.field,
                kind: PatternKind::Regex(*case),
                quoted_from: *quoted_from,
            }),
            Question::Equals(values) => {
                self.patterns.extend(values.iter().map(|value| Pattern {
                    list: leaf.signal.clone(),
                    heading: None,
                    text: value.clone(),
                    title: None,
                    field: leaf.field,
                    kind: PatternKind::Whole,
                    quoted_from: None,
                }));
            }
            Question::Quotes { from, least } => self.patterns.push(Pattern {
                list: leaf.signal.clone(),
                heading: None,
                text: from.name().to_owned(),
                title: None,
                field: leaf.field,
                kind: PatternKind::Quotation(*least),
                quoted_from: Some(*from),
            }),
        }
        let patterns = first..self.patterns.len();
        if self.asked.len() == LeafSet::CAPACITY || patterns.end > MOST_PATTERNS {
            problems.error(
                leaf.mark,
                format!(
                    "the rulebook is too large: at most {} questions and {MOST_PATTERNS} patterns",
                    LeafSet::CAPACITY
                ),
            );
            return None;
        }
        self.asked.push(Leaf { patterns, ..leaf });
        Some(self.asked.len() - 1)
    }

    pub(super) fn patterns_of(&self, leaf: usize) -> Range<usize> {
        self.asked[leaf].patterns.clone()
    }

    pub(super) fn describe(&self, leaf: usize, regexes: Regexes) -> String {
        let Leaf { field, question, .. } = &self.asked[leaf];
        format!("{} {}", field.name(), question.describe(&self.lists, regexes))
    }

    /// Lists that no signal looks at are worth a word.
    pub(super) fn warn_of_unused(&self, problems: &Problems) {
        for (number, list) in self.lists.iter().enumerate() {
            let used = self.asked.iter().any(
                |leaf| matches!(leaf.question, Question::Contains { list, .. } if list == number),
            );
            if !used {
                problems.warning(list.mark, format!("no signal looks at the list `{}`", list.name));
            }
        }
    }

    /// Builds what looks for the signals: those of error replies and those of the others.
    pub(super) fn observer(
        &self,
        signals: &Signals,
        observed: [SignalSet; 2],
        problems: &Problems,
    ) -> Option<Observer> {
        let [errors, successes] = observed;
        Some(Observer {
            errors: self.watch(signals, errors, problems)?,
            successes: self.watch(signals, successes, problems)?,
        })
    }

    fn watch(&self, signals: &Signals, observed: SignalSet, problems: &Problems) -> Option<Watch> {
        let leaves = signals.leaves(observed);
        let matcher = |field| self.matcher(field, &leaves, problems);
        Some(Watch {
            text: matcher(Field::Text)?,
            tool: matcher(Field::Tool)?,
            input: matcher(Field::Input)?,
            scenario: matcher(Field::Scenario)?,
            code: matcher(Field::Code)?,
            signals: Watched::new(signals.in_order(observed)),
        })
    }

    fn matcher(&self, field: Field, leaves: &LeafSet, problems: &Problems) -> Option<FieldMatcher> {
        let mut sought = Sought::default();
        let mut last = Mark::default();
        let looking = self.purpose == Purpose::Judging;
        let asked = self.asked.iter().enumerate().filter(|_| looking);
        for (number, leaf) in asked.filter(|(n, leaf)| leaf.field == field && leaves.has(*n)) {
            last = leaf.mark;
            let numbers = leaf.patterns.clone().filter_map(|pattern| u16::try_from(pattern).ok());
            match &leaf.question {
                Question::Contains { list, matching } => sought.contained.extend(
                    self.lists[*list].entries.iter().zip(numbers).map(|(entry, pattern)| {
                        let text = entry.text.clone();
                        Contained { text, pattern, leaf: number, matching: *matching }
                    }),
                ),
                Question::Regex { search, text, case, needs, quoted_from, .. } => {
                    let search = search.iter().zip(numbers);
                    sought.searched.extend(search.map(|(regex, pattern)| Searched {
                        regex: Arc::clone(regex),
                        pattern,
                        leaf: number,
                        needs: needs.clone(),
                        case: *case,
                        script: question::script_of(text),
                        quoted_from: *quoted_from,
                    }));
                }
                Question::Equals(values) => {
                    sought.equal.push((number, values.iter().cloned().zip(numbers).collect()));
                }
                Question::Quotes { from, least } => {
                    sought.quoted.extend(numbers.map(|pattern| Quoted {
                        pattern,
                        leaf: number,
                        from: *from,
                        least: *least,
                    }));
                }
            }
        }
        let built = FieldMatcher::new(sought);
        if built.is_err() {
            problems.error(last, "too many patterns for one field: at most 128 regexes");
        }
        built.ok()
    }

    pub(super) fn described(&self) -> Vec<asked::Asked> {
        let holder = |leaf: &Leaf| match &leaf.question {
            Question::Contains { list, .. } => {
                let List { name, named, .. } = &self.lists[*list];
                match named {
                    Named::ByItself => Holder::List(name.clone()),
                    Named::AfterItsSignal => Holder::Signal(name.clone()),
                }
            }
            Question::Regex { .. } | Question::Equals(_) | Question::Quotes { .. } => {
                Holder::Signal(leaf.signal.clone())
            }
        };
        let asked = self.asked.iter().map(|leaf| asked::Asked {
            patterns: leaf.patterns.clone(),
            holder: holder(leaf),
            reading: leaf.question.reading(),
        });
        asked.collect()
    }

    pub(super) fn into_patterns(self) -> Vec<Pattern> {
        self.patterns
    }
}

impl Leaf {
    fn same_as(&self, other: &Self) -> bool {
        self.field == other.field && self.question.same_as(&other.question)
    }
}
