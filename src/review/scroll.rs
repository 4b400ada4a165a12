//! How far what is told is scrolled.

/// How far a page goes.
const PAGE: usize = 8;

/// How far what is told is scrolled, in lines. How far it can be is known by whoever draws it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    at: usize,
    most: usize,
}

impl Scroll {
    /// How many lines are above what is shown.
    #[must_use]
    pub fn at(self) -> usize {
        self.at.min(self.most)
    }

    /// It can be scrolled no further than this.
    pub fn at_most(&mut self, most: usize) {
        self.most = most;
    }

    /// A page up.
    pub fn up(&mut self) {
        self.at = self.at().saturating_sub(PAGE);
    }

    /// A page down.
    pub fn down(&mut self) {
        self.at = self.at().saturating_add(PAGE).min(self.most);
    }

    /// To the first line.
    pub fn to_begin(&mut self) {
        self.at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_scrolled_past_its_end() {
        let mut scroll = Scroll::default();
        scroll.down();
        assert_eq!(scroll.at(), 0, "all of it is shown");
        scroll.at_most(PAGE + 3);
        scroll.down();
        scroll.down();
        assert_eq!(scroll.at(), PAGE + 3);
        scroll.at_most(4);
        assert_eq!(scroll.at(), 4, "a larger window shows more");
        scroll.up();
        assert_eq!(scroll.at(), 0);
    }
}
