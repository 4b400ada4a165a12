//! Secrets in recorded text, made unreadable before anything is shown to people.

/// Masks secrets in texts.
#[derive(Clone, Debug, Default)]
pub struct Redactor;

impl Redactor {
    /// The text as it may be shown. There are no rules yet, so it is the text itself.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        text.to_owned()
    }
}
