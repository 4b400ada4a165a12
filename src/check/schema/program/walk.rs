//! Running a program over a reply's text.

use super::scalar::{Literal, is_integer, is_number_literal, is_text_literal};
use super::{ArrayRules, Node, ObjectRules, Program, Rules};
use crate::json::{Kind, RawStr, Scan, ScanError, ScanErrorKind, Scanner};

/// How deep a walk may go; the full validator takes over below that.
const DEPTH: usize = 96;
/// How many nodes a walk may visit: so many at least, and so many more for each byte of text.
const STEPS: usize = 256;
const STEPS_PER_BYTE: usize = 2;

/// Why a walk stops without an answer. The scanner's error type serves for it, because the walk
/// runs inside the scanner's callbacks; nobody looks at the place.
const UNSURE: ScanError = ScanError { at: 0, kind: ScanErrorKind::Unexpected };

struct Walk<'p> {
    program: &'p Program,
    depth: usize,
    steps: usize,
}

impl Program {
    /// Whether a value conforms; `None` where the program does not understand enough of the schema or of the value.
    pub(in super::super) fn judge(&self, text: &str) -> Option<bool> {
        let steps = STEPS + text.len() * STEPS_PER_BYTE;
        let mut walk = Walk { program: self, depth: DEPTH, steps };
        walk.node(self.root, &mut Scanner::new(text, usize::MAX)).ok()
    }
}

/// Every method reads exactly one value and says whether it is acceptable, or stops unsure.
impl Walk<'_> {
    fn node(&mut self, node: usize, scanner: &mut Scanner<'_>) -> Scan<bool> {
        if self.depth == 0 || self.steps == 0 {
            return Err(UNSURE);
        }
        self.steps -= 1;
        self.depth -= 1;
        let program = self.program;
        let answer = match &program.nodes[node] {
            Node::Any => scanner.value().map(|_| true),
            Node::Never => scanner.value().map(|_| false),
            Node::Unsure => Err(UNSURE),
            Node::Same(other) => self.node(*other, scanner),
            Node::All(parts) => self.all(parts, scanner),
            Node::AnyOf(parts) => self.any_of(parts, scanner),
            Node::OneOf(parts) => self.one_of(parts, scanner),
            Node::Rules(rules) => self.rules(rules, scanner),
        };
        self.depth += 1;
        answer
    }

    fn all(&mut self, parts: &[usize], scanner: &mut Scanner<'_>) -> Scan<bool> {
        let Some((last, others)) = parts.split_last() else {
            return scanner.value().map(|_| true);
        };
        let mut every = true;
        for part in others {
            every &= self.node(*part, &mut scanner.clone())?;
        }
        Ok(self.node(*last, scanner)? && every)
    }

    fn any_of(&mut self, parts: &[usize], scanner: &mut Scanner<'_>) -> Scan<bool> {
        let kind = scanner.peek()?;
        let program = self.program;
        let mut candidates = parts.iter().filter(|part| program.kinds[**part].has(kind)).peekable();
        let mut unsure = false;
        while let Some(part) = candidates.next() {
            if candidates.peek().is_none() && !unsure {
                return self.node(*part, scanner);
            }
            let mut ahead = scanner.clone();
            match self.node(*part, &mut ahead) {
                Ok(true) => {
                    *scanner = ahead;
                    return Ok(true);
                }
                Ok(false) => {}
                Err(_) => unsure = true,
            }
        }
        if unsure { Err(UNSURE) } else { scanner.value().map(|_| false) }
    }

    fn one_of(&mut self, parts: &[usize], scanner: &mut Scanner<'_>) -> Scan<bool> {
        let kind = scanner.peek()?;
        let program = self.program;
        let mut candidates = parts.iter().filter(|part| program.kinds[**part].has(kind)).peekable();
        let mut accepted = 0;
        while let Some(part) = candidates.next() {
            if candidates.peek().is_none() {
                accepted += usize::from(self.node(*part, scanner)?);
                return Ok(accepted == 1);
            }
            accepted += usize::from(self.node(*part, &mut scanner.clone())?);
        }
        scanner.value().map(|_| false)
    }

    fn rules(&mut self, rules: &Rules, scanner: &mut Scanner<'_>) -> Scan<bool> {
        let kind = scanner.peek()?;
        if !rules.kinds.has(kind) {
            return scanner.value().map(|_| false);
        }
        if rules.unsure.has(kind) {
            return Err(UNSURE);
        }
        match kind {
            Kind::Null | Kind::Bool => {
                let text = scanner.value()?.text();
                Ok(rules.literals.as_ref().is_none_or(|literals| {
                    literals.iter().any(|literal| match literal {
                        Literal::Null => text == "null",
                        Literal::Bool(flag) => text == if *flag { "true" } else { "false" },
                        Literal::Text(_) | Literal::Integer(_) | Literal::Other(_) => false,
                    })
                }))
            }
            Kind::Number => number(rules, scanner.value()?.text()).ok_or(UNSURE),
            Kind::String => {
                let string = scanner.string()?;
                Ok(rules.literals.as_ref().is_none_or(|all| is_text_literal(all, string))
                    && rules.string.as_ref().is_none_or(|lengths| lengths.allows(string)))
            }
            Kind::Array | Kind::Object => {
                let among = composite_literal(rules, kind)?;
                let inner = match (&rules.array, &rules.object) {
                    (Some(array), _) if kind == Kind::Array => self.array(array, scanner)?,
                    (_, Some(object)) if kind == Kind::Object => self.object(object, scanner)?,
                    _ => scanner.value().map(|_| true)?,
                };
                Ok(among && inner)
            }
        }
    }

    fn array(&mut self, rules: &ArrayRules, scanner: &mut Scanner<'_>) -> Scan<bool> {
        let (mut count, mut acceptable) = (0_u64, true);
        let mut prefix = rules.prefix.iter();
        scanner.array(|inner| {
            count += 1;
            match prefix.next().copied().or(rules.rest).filter(|_| acceptable) {
                Some(node) => acceptable = self.node(node, inner)?,
                None => drop(inner.value()?),
            }
            Ok(())
        })?;
        Ok(acceptable && (rules.least..=rules.most).contains(&count))
    }

    fn object(&mut self, rules: &ObjectRules, scanner: &mut Scanner<'_>) -> Scan<bool> {
        let mut seen = Seen::default();
        scanner.object(|inner, key| {
            seen.count += 1;
            let place = rules.place(key, seen.next);
            let node = match place {
                Some(place) => {
                    seen.next = place + 1;
                    seen.note(place);
                    rules.members[place].node
                }
                None => rules.rest,
            };
            let Some(node) = node.filter(|_| !seen.refused()) else {
                inner.value()?;
                return Ok(());
            };
            if !self.node(node, inner)? {
                if matches!(self.program.nodes[node], Node::Never) {
                    seen.forbidden = true;
                } else if place.is_some_and(|place| place < 64) {
                    seen.bad_member = true;
                } else {
                    return Err(UNSURE);
                }
            }
            Ok(())
        })?;
        seen.verdict(rules)
    }
}

/// What was met in an object.
#[derive(Default)]
struct Seen {
    count: u64,
    /// One bit for each of the first 64 members.
    members: u64,
    repeated: bool,
    /// The member that is expected next: most objects keep the schema's order.
    next: usize,
    /// A member's value is unacceptable (unless the member comes again).
    bad_member: bool,
    /// There is a member that must not be there.
    forbidden: bool,
}

impl Seen {
    fn note(&mut self, place: usize) {
        if place < 64 {
            let bit = 1 << place;
            self.repeated |= self.members & bit != 0;
            self.members |= bit;
        }
    }

    fn refused(&self) -> bool {
        self.bad_member || self.forbidden
    }

    fn verdict(&self, rules: &ObjectRules) -> Scan<bool> {
        if self.forbidden || self.members & rules.required != rules.required {
            return Ok(false);
        }
        if self.count < rules.least {
            return Ok(false);
        }
        if self.bad_member {
            return if self.repeated { Err(UNSURE) } else { Ok(false) };
        }
        // Repeated keys count once, and only the known members are known not to repeat.
        let distinct = u64::from(self.members.count_ones()).max(self.count.min(1));
        if self.count > rules.most || distinct < rules.least {
            return Err(UNSURE);
        }
        Ok(true)
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

fn number(rules: &Rules, text: &str) -> Option<bool> {
    let integer = if rules.only_integers { is_integer(text)? } else { true };
    let among = rules.literals.as_ref().map_or(Some(true), |all| is_number_literal(all, text))?;
    let bounded = rules.number.as_ref().map_or(Some(true), |bounds| bounds.allows(text))?;
    Some(integer && among && bounded)
}

/// Arrays and objects are compared by the full validator.
fn composite_literal(rules: &Rules, kind: Kind) -> Scan<bool> {
    match &rules.literals {
        None => Ok(true),
        Some(literals) if literals.iter().any(|literal| literal.kind() == kind) => Err(UNSURE),
        Some(_) => Ok(false),
    }
}
