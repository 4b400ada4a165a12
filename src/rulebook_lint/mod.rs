//! What is odd about a rulebook.
