//! The five classes.

named! {
    /// What a reply says about its tool.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Classification {
        /// Responds properly.
        FullyWorking = "fully_working",
        /// Responds, but with issues.
        PartiallyWorking = "partially_working",
        /// Can be reached, but does not work.
        ConnectivityOnly = "connectivity_only",
        /// Returned an error that says the tool failed.
        Error = "error",
        /// Does not respond.
        Broken = "broken",
    }
}

impl Classification {
    /// Whether most replies of the class come from a tool that works.
    #[must_use]
    pub fn is_mostly_valid(self) -> bool {
        match self {
            Self::FullyWorking | Self::PartiallyWorking => true,
            Self::ConnectivityOnly | Self::Error | Self::Broken => false,
        }
    }
}
