//! The order in which people read ids: T2 before T10. Owns the key that databases sort by; nothing else is compared.

use std::fmt::Write;

/// Texts whose byte order is the natural order of `id`: every run of digits is led by its length, and the id itself
/// stands last, so that no two ids share a key.
pub(crate) fn sort_key(id: &str) -> String {
    let mut key = String::with_capacity(id.len() * 2 + 8);
    let mut rest = id;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let number = rest[..digits].trim_start_matches('0');
            let _ = write!(key, "{:03}{number}", number.len());
            rest = &rest[digits..];
        } else {
            let words = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
            key.push_str(&rest[..words]);
            rest = &rest[words..];
        }
    }
    key.push(' ');
    key.push_str(id);
    key
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sort_key;

    #[test]
    fn numbers_count_as_numbers() {
        let mut ids = ["T10", "T2", "T1", "T02", "T100", "A9", "T2b", "T2-10", "T2-9", "Ü1", "T"];
        ids.sort_by_key(|id| sort_key(id));
        assert_eq!(ids, ["A9", "T", "T1", "T02", "T2", "T2-9", "T2-10", "T2b", "T10", "T100", "Ü1"]);
    }

    proptest! {
        #[test]
        fn keys_differ_as_ids_do(one in "[A-C0-2 -]{1,6}", other in "[A-C0-2 -]{1,6}") {
            prop_assert_eq!(one == other, sort_key(&one) == sort_key(&other));
        }

        #[test]
        fn numbers_of_any_size_are_ordered(one in 0_u64.., other in 0_u64..) {
            let by_key = sort_key(&format!("T{one}")).cmp(&sort_key(&format!("T{other}")));
            prop_assert_eq!(by_key, one.cmp(&other));
        }
    }
}
