//! Running a program over a reply's text.

use super::scalar::{INTEGER_DIGITS, Literal, exact_integer, plain_integer};
use super::{ArrayRules, Node, ObjectRules, Program, Rules};
use crate::json::{Kind, RawStr, Scan, ScanError, ScanErrorKind, Scanner};

/// How deep a walk may go; the full validator takes over below that.
const DEPTH: usize = 96;
/// How many nodes a walk may visit: so many at least, and so many more for each byte of text.
const STEPS: usize = 256;
const STEPS_PER_BYTE: usize = 2;

/// Why a walk stops: the value may not conform. The scanner's error type serves for it, because the walk
/// runs inside the scanner's callbacks; nobody looks at the place.
const UNSURE: ScanError = ScanError { at: 0, kind: ScanErrorKind::Unexpected };

struct Walk<'p> {
    program: &'p Program,
    depth: usize,
    steps: usize,
}

impl Program {
    /// Whether a value certainly conforms.
    pub(in super::super) fn accepts(&self, text: &str) -> bool {
        let steps = STEPS + text.len() * STEPS_PER_BYTE;
        let mut walk = Walk { program: self, depth: DEPTH, steps };
        walk.node(self.root, &mut Scanner::new(text, usize::MAX)).is_ok()
    }
}

fn sure(conforms: bool) -> Scan<()> {
    if conforms { Ok(()) } else { Err(UNSURE) }
}

/// Every method reads exactly one value that conforms, or stops.
impl Walk<'_> {
    fn node(&mut self, node: usize, scanner: &mut Scanner<'_>) -> Scan<()> {
        sure(self.depth > 0 && self.steps > 0)?;
        self.steps -= 1;
        self.depth -= 1;
        let program = self.program;
        let found = match &program.nodes[node] {
            Node::Any => scanner.value().map(drop),
            Node::Unsure => Err(UNSURE),
            Node::Same(other) => self.node(*other, scanner),
            Node::All(parts) => self.all(parts, scanner),
            Node::AnyOf(parts) => self.any_of(parts, scanner),
            Node::Rules(rules) => self.rules(rules, scanner),
        };
        self.depth += 1;
        found
    }

    fn all(&mut self, parts: &[usize], scanner: &mut Scanner<'_>) -> Scan<()> {
        let (last, others) = parts.split_last().ok_or(UNSURE)?;
        for part in others {
            self.node(*part, &mut scanner.clone())?;
        }
        self.node(*last, scanner)
    }

    fn any_of(&mut self, parts: &[usize], scanner: &mut Scanner<'_>) -> Scan<()> {
        let (kind, program) = (scanner.peek()?, self.program);
        for part in parts.iter().filter(|part| program.kinds[**part].has(kind)) {
            let mut ahead = scanner.clone();
            if self.node(*part, &mut ahead).is_ok() {
                *scanner = ahead;
                return Ok(());
            }
        }
        Err(UNSURE)
    }

    fn rules(&mut self, rules: &Rules, scanner: &mut Scanner<'_>) -> Scan<()> {
        let kind = scanner.peek()?;
        sure(rules.kinds.has(kind))?;
        match (kind, &rules.array, &rules.object) {
            (Kind::Null | Kind::Bool, ..) => {
                let text = scanner.value()?.text();
                sure(rules.is_among(|literal| match literal {
                    Literal::Null => text == "null",
                    Literal::Bool(flag) => text == if *flag { "true" } else { "false" },
                    Literal::Text(_) | Literal::Integer(_) | Literal::Other(_) => false,
                }))
            }
            (Kind::Number, ..) => {
                let text = scanner.value()?.text();
                let is_it = |literal: &Literal| match literal {
                    Literal::Integer(own) => exact_integer(text) == Some(*own),
                    _ => false,
                };
                sure(
                    (!rules.only_integers || plain_integer(text, INTEGER_DIGITS))
                        && rules.is_among(is_it)
                        && rules.number.as_ref().is_none_or(|bounds| bounds.allow(text)),
                )
            }
            (Kind::String, ..) => {
                let string = scanner.string()?;
                sure(
                    rules.is_among(|it| matches!(it, Literal::Text(text) if string.is(text)))
                        && rules.string.as_ref().is_none_or(|lengths| lengths.allow(string)),
                )
            }
            // Fixed ones are compared by the full validator.
            (Kind::Array | Kind::Object, ..) if rules.literals.is_some() => Err(UNSURE),
            (Kind::Array, Some(array), _) => self.array(array, scanner),
            (Kind::Object, _, Some(object)) => self.object(object, scanner),
            (Kind::Array | Kind::Object, ..) => scanner.value().map(drop),
        }
    }

    fn array(&mut self, rules: &ArrayRules, scanner: &mut Scanner<'_>) -> Scan<()> {
        let mut count = 0_u64;
        let mut prefix = rules.prefix.iter();
        scanner.array(|inner| {
            count += 1;
            match prefix.next().copied().or(rules.rest) {
                Some(node) => self.node(node, inner),
                None => inner.value().map(drop),
            }
        })?;
        sure((rules.least..=rules.most).contains(&count))
    }

    fn object(&mut self, rules: &ObjectRules, scanner: &mut Scanner<'_>) -> Scan<()> {
        // Of the members that were met there is one bit for each of the first 64; most objects keep the schema's order.
        let (mut count, mut met, mut next) = (0_u64, 0_u64, 0);
        scanner.object(|inner, key| {
            count += 1;
            let place = rules.place(key, next);
            if let Some(place) = place {
                next = place + 1;
                met |= if place < 64 { 1 << place } else { 0 };
            }
            match place.map_or(rules.rest, |place| rules.members[place].node) {
                Some(node) => self.node(node, inner),
                None => inner.value().map(drop),
            }
        })?;
        // Repeated keys count once, and only the known members are known not to repeat.
        let distinct = u64::from(met.count_ones()).max(count.min(1));
        sure(
            met & rules.required == rules.required
                && distinct >= rules.least
                && count <= rules.most,
        )
    }
}

impl Rules {
    /// Whether a value is one of those that are listed, where any are.
    fn is_among(&self, is_it: impl Fn(&Literal) -> bool) -> bool {
        self.literals.as_ref().is_none_or(|literals| literals.iter().any(is_it))
    }
}

impl ObjectRules {
    fn place(&self, key: RawStr<'_>, expected: usize) -> Option<usize> {
        if self.members.get(expected).is_some_and(|member| key.is(&member.name)) {
            return Some(expected);
        }
        match &self.places {
            Some(places) => places.get(&*key.decode()).copied(),
            None => self.members.iter().position(|member| key.is(&member.name)),
        }
    }
}
