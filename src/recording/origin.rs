//! Where a call was written down, if not on the wire.

named! {
    /// How close a recording is to what passed between client and server.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Fidelity {
        /// The messages themselves.
        #[default]
        Wire = "wire",
        /// What a host showed its model, or kept for itself.
        Derived = "derived",
    }
}

named! {
    /// Who kept a call from the server.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Refuser {
        User = "user",
        /// The host's own check of permissions.
        Policy = "policy",
        /// A program that the person put before calls.
        Hook = "hook",
        /// The host, which knew no such tool or found the arguments wrong.
        Host = "host",
    }
}

/// What the recording of a program says of a call beside the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct Origin {
    /// The program whose file it is, by its name in the table of formats.
    pub recorded_by: String,
    pub fidelity: Fidelity,
    pub refused_by: Option<Refuser>,
    pub reply_cut: bool,
    /// Nothing was written down that says whether the reply is an error.
    pub error_unknown: bool,
    /// Server and tool were taken from one name that can be split in several ways.
    pub name_is_guess: bool,
    /// The server belongs to the host; nobody set it up.
    pub host_owned: bool,
}

impl Origin {
    /// Takes in what the line of the answer says.
    pub fn complete(&mut self, answer: &Self) {
        self.refused_by = answer.refused_by.or(self.refused_by);
        self.reply_cut |= answer.reply_cut;
        self.error_unknown |= answer.error_unknown;
        self.name_is_guess |= answer.name_is_guess;
        self.host_owned |= answer.host_owned;
    }
}
