//! `docs/reference/config.md`: every setting with its type, default and names, from the table of keys.

use becket_project::config::{BECKET_TOML, DefaultValue, KEYS, Key, Kind, MCP_CONFIG};

use super::markdown::{code, fence, heading, paragraph, table};

pub(super) fn body() -> String {
    let mut page = format!(
        "Settings come from, in this order, each overriding the one before: the defaults below; `{BECKET_TOML}` and \
         `{MCP_CONFIG}` at the root of the repository; environment variables; flags. `becket config` prints each \
         effective value and where it came from. A key that is not known, or a value that does not fit, is an error \
         that names file, line and the nearest right key; everything else goes on with defaults.\n\n\
         In `{MCP_CONFIG}` a key has the same name, nested by its dot; either file also takes its camelCase form and \
         the other names given below.\n\n"
    );
    let rows: Vec<Vec<String>> =
        KEYS.iter().map(|key| vec![link(key), default(key), key.doc.to_owned()]).collect();
    page.push_str(&table(&["Key", "Default", "Meaning"], &rows));
    page.push_str(&heading(2, &format!("A `{BECKET_TOML}` with every default")));
    page.push_str(&fence("toml", &example()));
    let mut section = "";
    for key in KEYS {
        if section_of(key) != section {
            section = section_of(key);
            page.push_str(&heading(2, &format!("`[{section}]`")));
        }
        page.push_str(&heading(3, &code(key.name)));
        page.push_str(&paragraph(key.doc));
        page.push_str(&table(&["Type", "Default", "Variable", "Flag", "Also called"], &[facts(key)]));
    }
    page
}

fn facts(key: &Key) -> Vec<String> {
    let optional = |name: Option<&str>| name.map(code).unwrap_or_default();
    // What no file may say has no other name in one.
    let others: Vec<String> = if key.user_only || key.is_secret() {
        Vec::new()
    } else {
        key.names().skip(1).map(|name| code(&name)).collect()
    };
    let variables: Vec<String> =
        key.variable.into_iter().chain(key.variable_aliases.iter().copied()).map(code).collect();
    vec![key.kind.to_string(), default(key), variables.join(", "), optional(key.flag), others.join(", ")]
}

fn default(key: &Key) -> String {
    match key.default {
        DefaultValue::Unset => "unset".to_owned(),
        DefaultValue::List([]) => "empty".to_owned(),
        value => code(&value.to_string()),
    }
}

fn link(key: &Key) -> String {
    let anchor: String = key.name.chars().filter(|letter| *letter != '.').collect();
    format!("[{}](#{anchor})", code(key.name))
}

/// What is unset by default stands as a comment; what has no effect does not stand there.
fn example() -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut section = "";
    for key in KEYS.iter().filter(|key| stands_in_a_file(key)) {
        if section_of(key) != section {
            section = section_of(key);
            lines.extend((!lines.is_empty()).then(String::new));
            lines.push(format!("[{section}]"));
        }
        let name = key.name.rsplit('.').next().unwrap_or(key.name);
        lines.push(match key.default {
            DefaultValue::Unset => format!("# {name} = {}", sample(key.kind)),
            DefaultValue::Text(value) => format!("{name} = {value:?}"),
            DefaultValue::Number(value) => format!("{name} = {value}"),
            DefaultValue::Flag(value) => format!("{name} = {value}"),
            DefaultValue::List(values) => format!("{name} = {values:?}"),
        });
    }
    lines.join("\n")
}

fn stands_in_a_file(key: &Key) -> bool {
    !key.is_secret() && !key.user_only && key.notice.is_none()
}

fn sample(kind: Kind) -> &'static str {
    match kind {
        Kind::Address => "\"127.0.0.1:8765\"",
        Kind::Path => "\"path\"",
        _ => "\"text\"",
    }
}

fn section_of(key: &Key) -> &'static str {
    key.name.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_valid_and_has_every_key() {
        let uncommented = example().replace("# ", "");
        let document: toml_edit::DocumentMut = uncommented.parse().unwrap();
        for key in KEYS.iter().filter(|key| stands_in_a_file(key)) {
            let (section, name) = key.name.split_once('.').unwrap();
            assert!(document[section].get(name).is_some(), "{} in\n{uncommented}", key.name);
        }
    }

    #[test]
    fn every_flag_of_the_table_is_one_of_the_command_line() {
        let mut command = becket_cli::command();
        command.build();
        let mut flags = Vec::new();
        collect_flags(&command, &mut flags);
        for key in KEYS {
            let Some(flag) = key.flag else { continue };
            assert!(
                flags.iter().any(|known| known == flag.trim_start_matches("--")),
                "{}: no {flag}",
                key.name
            );
        }
    }

    fn collect_flags(command: &clap::Command, flags: &mut Vec<String>) {
        flags.extend(command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned));
        command.get_subcommands().for_each(|child| collect_flags(child, flags));
    }
}
