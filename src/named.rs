//! Enums whose variants have one word each, in tables and files.

/// Adds to an enum all its variants, in their order, and the word of each.
macro_rules! named {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$meta])*
        $vis enum $name { $($(#[$of_variant])* $variant,)* }

        impl $name {
            /// All of them, in the order in which tables show them.
            $vis const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// The word used in tables and files.
            $vis fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            $vis fn of_name(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.name() == word)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(from)?;
                let expected = || serde::de::Error::unknown_variant(&word, &[$($word),*]);
                Self::of_name(&word).ok_or_else(expected)
            }
        }
    };
}
