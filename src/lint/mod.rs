//! Advice: on a [`rulebook`], and on definitions of [`tools`].

pub mod rulebook;
pub mod tools;
