//! The integration tests: what the whole program does, and what holds for the whole project.

mod architecture;
mod docs;
