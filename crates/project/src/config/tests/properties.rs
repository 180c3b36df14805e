//! No input is too odd to answer.

use proptest::prelude::*;

use super::*;

fn token() -> impl Strategy<Value = String> {
    const WORDS: &[&str] =
        &["[", "]", "{", "}", "\"", "=", ":", ",", ".", "\n", "#", "//", "true", "1", "log", "level", "mcp"];
    prop_oneof![
        4 => prop::sample::select(WORDS).prop_map(str::to_owned),
        2 => prop::sample::select(KEYS).prop_map(|key| key.name.to_owned()),
        1 => any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #[test]
    fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let disk = Disk::new().with(BECKET_TOML, &bytes).with(MCP_CONFIG, &bytes);
        for problem in disk.load().problems {
            prop_assert!(!problem.to_string().is_empty() && !problem.hint().is_empty());
        }
    }

    #[test]
    fn no_near_miss_is_too_odd(tokens in prop::collection::vec(token(), 0..40)) {
        let text = tokens.concat();
        Disk::new().with(BECKET_TOML, &text).with(MCP_CONFIG, &text).load();
    }

    #[test]
    fn no_variable_or_flag_is_too_odd(key in prop::sample::select(KEYS), text in any::<String>()) {
        let mut environment = Environment::new("/here");
        if let Some(variable) = key.variable {
            environment = environment.with_variable(variable, &text);
        }
        let flags: Vec<_> = key.flag.iter().map(|flag| (*flag, text.clone())).collect();
        Settings::load_without_files(&environment, &flags);
    }

    #[test]
    fn a_number_in_range_is_taken_as_it_is(number in 1_u64..=10_000) {
        let loaded = Disk::new().with(BECKET_TOML, format!("snapshots.max_snapshots = {number}")).load();
        prop_assert!(loaded.problems.is_empty());
        prop_assert_eq!(loaded.settings.number(SNAPSHOTS_MAX), number);
    }
}
