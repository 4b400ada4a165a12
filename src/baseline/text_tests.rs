//! Held for the tests of the grammar.
