//! Real repositories of every kind, made by Git itself.
