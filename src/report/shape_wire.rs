//! How shapes and what belongs to them stand in temporary space.

use super::excerpts::Excerpt;
use super::shapes::{Seen, Shape};
use crate::tape::{ExchangeKind, Key, ReplyKind};
use crate::verdict::{Classification, FactSet, Ground, SchemaOutcome, Severities};

/// A value that can be written down and read back.
pub(super) trait Wire: Sized {
    /// Appends the value.
    fn write(&self, out: &mut Vec<u8>);

    /// Takes a value off the front; `None` where there is none.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($kind:ty)*) => {$(
        impl Wire for $kind {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let (first, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*first))
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 u128 f64 }

/// Members of a fixed list, by their place in it.
macro_rules! listed {
    ($($kind:ty: $all:expr,)*) => {$(
        impl Wire for $kind {
            fn write(&self, out: &mut Vec<u8>) {
                out.push(*self as u8);
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                $all.get(usize::from(u8::read(bytes)?)).copied()
            }
        }
    )*};
}

listed! {
    ExchangeKind: ExchangeKind::ALL,
    ReplyKind: ReplyKind::ALL,
    Ground: Ground::ALL,
    Classification: Classification::ALL,
    SchemaOutcome: SchemaOutcome::ALL,
    Seen: [Seen::Nothing, Seen::ErrorFacts, Seen::SuccessFacts],
}

/// All parts, one after the other.
macro_rules! whole {
    ($kind:ident { $($part:ident)* }) => {
        impl Wire for $kind {
            fn write(&self, out: &mut Vec<u8>) {
                let Self { $($part,)* } = self;
                $($part.write(out);)*
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($part: Wire::read(bytes)?,)* })
            }
        }
    };
}

whole! { Severities { errors warnings infos } }
whole! { Excerpt { server json } }
whole! {
    Shape {
        kind reply ground error_code class confidence is_valid is_error business_logic score threshold
        decision error_kind hidden_failure facts seen patterns severities issue_types schema schema_key
        schema_keyword content_types has_structured has_meta quality has_security_issue
        passed_criteria failed_criteria
    }
}

impl Wire for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u8::read(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Wire for Key {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Wire::read(bytes).map(Self)
    }
}

impl Wire for FactSet {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Wire::read(bytes).map(Self)
    }
}

impl Wire for String {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let length = usize::try_from(u64::read(bytes)?).ok()?;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Self::from_utf8(text.to_vec()).ok()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        if bool::read(bytes)? { T::read(bytes).map(Some) } else { Some(None) }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        for value in self {
            value.write(out);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let count = u64::read(bytes)?;
        // Everything takes a byte at least, so a count beyond that is no count of ours.
        let room = usize::try_from(count).map_or(bytes.len(), |count| count.min(bytes.len()));
        let mut all = Self::with_capacity(room);
        for _ in 0..count {
            all.push(T::read(bytes)?);
        }
        Some(all)
    }
}
