//! becket.
fn main() {}
