//! What stands out on the screen, and how. Colours only repeat what words and marks say.

use ratatui::style::{Color, Modifier, Style};

/// Why something stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Tone {
    /// It does not.
    Plain,
    /// It is a heading or a key.
    Strong,
    /// It is beside the point.
    Faint,
    /// It is what was, or got worse.
    Before,
    /// It is what is now, or got better.
    After,
    /// A pattern hit here.
    Hit,
    /// It is chosen.
    Chosen,
}

/// Whether there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Look {
    /// There are.
    Colours,
    /// `NO_COLOR` is set.
    Plain,
}

impl Look {
    /// As the environment asks for, see <https://no-color.org>.
    pub(in crate::cli) fn of_environment() -> Self {
        match std::env::var_os("NO_COLOR") {
            Some(value) if !value.is_empty() => Self::Plain,
            Some(_) | None => Self::Colours,
        }
    }

    pub(in crate::cli) fn style(self, tone: Tone) -> Style {
        let plain = Style::new();
        let (modifier, colour) = match tone {
            Tone::Plain => (Modifier::empty(), None),
            Tone::Strong => (Modifier::BOLD, None),
            Tone::Faint => (Modifier::DIM, None),
            Tone::Before => (Modifier::empty(), Some(Color::Red)),
            Tone::After => (Modifier::empty(), Some(Color::Green)),
            Tone::Hit => (Modifier::BOLD.union(Modifier::UNDERLINED), Some(Color::Yellow)),
            Tone::Chosen => (Modifier::REVERSED, None),
        };
        let style = plain.add_modifier(modifier);
        match (self, colour) {
            (Self::Colours, Some(colour)) => style.fg(colour),
            (Self::Colours, None) | (Self::Plain, _) => style,
        }
    }
}
