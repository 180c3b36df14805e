//! A number and its noun, as a sentence has them.

use std::fmt::Display;

/// `1 task`, `2 tasks`, `2 entries`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    if count == N::from(1) {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}s"),
    }
}

/// The form of the verb that goes with so many: `waits` or `wait`.
pub fn verb<'a, N: Copy + PartialEq + From<u8>>(count: N, one: &'a str, several: &'a str) -> &'a str {
    if count == N::from(1) { one } else { several }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        assert_eq!(
            [counted(0_u64, "task"), counted(1_u64, "task"), counted(2_usize, "task")],
            ["0 tasks", "1 task", "2 tasks"]
        );
        assert_eq!((counted(2_u8, "entry"), counted(2_u8, "key")), ("2 entries".into(), "2 keys".into()));
        assert_eq!((verb(1_u64, "waits", "wait"), verb(3_usize, "waits", "wait")), ("waits", "wait"));
    }
}
