//! Sets of a rulebook's patterns.

/// Some of a rulebook's patterns, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns(Vec<u64>);

impl Patterns {
    pub fn insert(&mut self, pattern: u16) {
        let word = usize::from(pattern) / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (pattern % 64);
    }

    pub fn has(&self, pattern: u16) -> bool {
        self.0.get(usize::from(pattern) / 64).is_some_and(|word| word >> (pattern % 64) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl FromIterator<u16> for Patterns {
    fn from_iter<I: IntoIterator<Item = u16>>(numbers: I) -> Self {
        let mut patterns = Self::default();
        for number in numbers {
            patterns.insert(number);
        }
        patterns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        let some: Patterns = [0, 63, 64, 1200, 64].into_iter().collect();
        assert_eq!(some.len(), 4);
        let held: Vec<u16> = (0..2000).filter(|number| some.has(*number)).collect();
        assert_eq!(held, [0, 63, 64, 1200]);
        assert!(Patterns::default().is_empty());
    }
}
