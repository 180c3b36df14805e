//! `docs/reference/environment.md`: every variable that becket reads, from the tables of roots and keys.

use becket_project::config::KEYS;
use becket_project::root::ROOT_VARIABLES;

use super::markdown::{code, table};

/// Variables that are not becket's own, and what becket does with them.
const OTHERS: &[(&str, &str)] = &[
    ("PATH", "Where `git` is looked for; a relative entry is passed over."),
    (
        "HOME, USERPROFILE",
        "Your home folder (on Windows the second): `~` in paths, and the files of agent hosts.",
    ),
    ("XDG_CONFIG_HOME", "Where some agent hosts keep their files, instead of `~/.config`."),
    ("APPDATA", "The same on Windows."),
    (
        "XDG_STATE_HOME",
        "Where `becket init` remembers what several repositories wrote into one file of the user, instead of `~/.local/state` \
         (on Windows `LOCALAPPDATA`).",
    ),
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "Whether text is coloured, unless `--color` says so."),
    (
        "GIT_AUTHOR_…, GIT_COMMITTER_…, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM, …",
        "Who and where you are; passed on to `git`. Those that would point it at another repository, such as `GIT_DIR` \
         and `GIT_INDEX_FILE`, are not.",
    ),
];

pub(super) fn body() -> String {
    let mut page = String::from("An empty variable counts as unset.\n\n## Which repository\n\n");
    let rows: Vec<Vec<String>> =
        ROOT_VARIABLES.iter().map(|root| vec![code(root.name), root.doc.to_owned()]).collect();
    page.push_str(&table(&["Variable", "Meaning"], &rows));
    page.push_str(
        "`--repo` comes before them, and without any of them the repository around the current directory is meant.\n\n\
         ## Settings\n\nEach overrides the files and is overridden by its flag. Lists are separated by commas, paths as \
         the system separates them (`:` or `;`); `true`, `yes`, `on` and `1` mean yes.\n\n",
    );
    let rows: Vec<Vec<String>> = KEYS
        .iter()
        .filter_map(|key| {
            let anchor = key.name.replace('.', "");
            let setting = format!("[{}](config.md#{anchor})", code(key.name));
            let variables: Vec<&str> =
                key.variable.into_iter().chain(key.variable_aliases.iter().copied()).collect();
            let variables =
                (!variables.is_empty()).then(|| variables.into_iter().map(code).collect::<Vec<_>>())?;
            Some(vec![variables.join(", "), setting, key.kind.to_string(), key.doc.to_owned()])
        })
        .collect();
    page.push_str(&table(&["Variable", "Setting", "Type", "Meaning"], &rows));
    page.push_str("## Variables of others\n\n");
    let rows: Vec<Vec<String>> = OTHERS
        .iter()
        .map(|(names, meaning)| {
            let names: Vec<String> = names
                .split(", ")
                .map(|name| if name == "…" { name.to_owned() } else { code(name) })
                .collect();
            vec![names.join(", "), (*meaning).to_owned()]
        })
        .collect();
    page.push_str(&table(&["Variable", "Meaning"], &rows));
    page
}
