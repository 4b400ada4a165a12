//! Lines, areas and words at places of a plane, for writers that can draw.

/// A place: from the left, from the top.
pub(crate) type Place = [f64; 2];

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Picture {
    pub(crate) size: Place,
    /// What it shows, for those who cannot see it; a picture without repeats what stands beside it.
    pub(crate) label: String,
    pub(crate) shapes: Vec<Shape>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    /// What a style sheet calls it.
    pub(crate) style: &'static str,
    pub(crate) form: Form,
    /// What is told of it when somebody points at it; mostly empty.
    pub(crate) hint: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// Places that are joined.
    Line(Vec<Place>),
    Area(Vec<Place>),
    Box {
        from: Place,
        to: Place,
    },
    Dot(Place),
    Words {
        at: Place,
        anchor: &'static str,
        text: String,
    },
}

impl Picture {
    pub(crate) fn draw(&mut self, style: &'static str, form: Form) {
        self.shapes.push(Shape { style, form, hint: String::new() });
    }

    /// Tells something of what was drawn last.
    pub(crate) fn hint(&mut self, text: String) {
        if let Some(last) = self.shapes.last_mut() {
            last.hint = text;
        }
    }

    pub(crate) fn words(&mut self, at: Place, anchor: &'static str, text: impl Into<String>) {
        self.styled_words("", at, anchor, text);
    }

    pub(crate) fn styled_words(
        &mut self,
        style: &'static str,
        at: Place,
        anchor: &'static str,
        text: impl Into<String>,
    ) {
        self.draw(style, Form::Words { at, anchor, text: text.into() });
    }
}
