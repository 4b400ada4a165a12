//! Enums whose variants have one word each, in tables and files.

/// Adds to an enum all its variants, in their order, and the word of each.
macro_rules! named {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(serde::Deserialize, serde::Serialize)]
        $vis enum $name { $($(#[$of_variant])* #[serde(rename = $word)] $variant,)* }

        #[allow(dead_code, reason = "few enums need all three")]
        impl $name {
            /// All of them, in the order in which tables show them.
            $vis const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            $vis fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            $vis fn of_name(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.name() == word)
            }
        }
    };
}
