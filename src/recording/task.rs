//! A task that a session works on.

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Task {
    pub id: String,
    pub name: Option<String>,
    pub status: Option<String>,
}

impl Task {
    /// So many tasks of a session are kept.
    pub const MOST: usize = 100;
    /// The longest id, name and status, in bytes.
    const LONGEST: [usize; 3] = [256, 120, 40];

    /// Cuts texts that are too long.
    #[must_use]
    pub fn cut(mut self) -> Self {
        let texts = [Some(&mut self.id), self.name.as_mut(), self.status.as_mut()];
        for (text, longest) in texts.into_iter().zip(Self::LONGEST) {
            if let Some(text) = text {
                text.truncate(text.floor_char_boundary(longest));
            }
        }
        self
    }

    /// Roughly how much memory it takes, now or once its name and status are known.
    pub fn bytes(&self) -> usize {
        let [_, name, status] = Self::LONGEST;
        size_of::<Self>() + self.id.len() + name + status
    }

    /// Takes over what another mention of the task says.
    pub fn update(&mut self, newer: &Self) {
        for (known, newer) in [(&mut self.name, &newer.name), (&mut self.status, &newer.status)] {
            if newer.is_some() {
                known.clone_from(newer);
            }
        }
    }
}
