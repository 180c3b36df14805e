//! How the program is linked on Linux: to a fixed address. Otherwise the loader has to correct a megabyte of tables of
//! functions before `main`, at every start, and the list of corrections is another 1.4 MB of the binary. The stack, the heap
//! and libraries lie where chance puts them all the same.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "how cargo and a build script talk")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |what: &str, value: &str| std::env::var(what).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
