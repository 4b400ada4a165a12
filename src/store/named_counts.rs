//! Counts by name, in their order, as an object of JSON.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use std::fmt;

type Named = Vec<(String, u64)>;

pub(super) fn serialize<S: Serializer>(counts: &Named, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counts.iter().map(|(name, count)| (name, count)))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Named, D::Error> {
    struct Members;

    impl<'de> Visitor<'de> for Members {
        type Value = Named;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of counts")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Named, A::Error> {
            let mut counts = Named::new();
            while let Some(member) = members.next_entry()? {
                counts.push(member);
            }
            Ok(counts)
        }
    }

    from.deserialize_map(Members)
}
