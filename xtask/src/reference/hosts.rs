//! `docs/reference/hosts.md`: the file of every agent host and what `becket init` writes into it, from the table of hosts.

use std::path::{Path, PathBuf};

use becket_project::hosts::{
    Base, CommandSearch, Form, HOSTS, Host, Launch, Machine, Place, RepositoryArgument, Scope, System,
    snippet,
};

use super::markdown::{code, fence, heading, paragraph, sentence, table};

const EXECUTABLE: &str = "/path/to/becket";
const REPOSITORY: &str = "/path/to/repository";

pub(super) fn body() -> String {
    let mut page = String::from(
        "`becket init --hosts NAME` merges these entries into the host's file and leaves every other byte as it was; \
         `becket init --print` shows them for your own paths; `becket uninit` takes them back.\n\n",
    );
    let rows: Vec<Vec<String>> = HOSTS
        .iter()
        .map(|host| {
            let limit = host.tool_limit.map(|limit| limit.to_string()).unwrap_or_default();
            let scope = if scope(host) == Scope::Project { "this repository" } else { "you" };
            vec![format!("[{}](#{})", host.title, anchor(host)), code(host.name), scope.to_owned(), limit]
        })
        .collect();
    page.push_str(&table(&["Host", "Name", "Its file is for", "Most tools, of all servers"], &rows));
    for host in HOSTS {
        section(host, &mut page);
    }
    page
}

fn section(host: &'static Host, page: &mut String) {
    page.push_str(&heading(2, host.title));
    page.push_str(&paragraph(&files(host)));
    if !host.instead.is_empty() {
        let others: Vec<String> = host.instead.iter().map(|place| code(&written(*place))).collect();
        let text = format!("One of these is edited instead if it is there: {}.", others.join(", "));
        page.push_str(&paragraph(&text));
    }
    let language = if host.form == Form::Toml { "toml" } else { "json" };
    page.push_str(&fence(language, &entry(host)));
    if host.search == CommandSearch::FullPath {
        page.push_str(
            "The command is written out in full, because this host does not search your shell's PATH.\n\n",
        );
    }
    if host.repository == RepositoryArgument::Path {
        page.push_str("The repository is written out, because this host starts its servers anywhere.\n\n");
    }
    page.push_str(&host.hint.map(|hint| paragraph(&sentence(hint))).unwrap_or_default());
}

/// Where the file is, with the systems only where they differ.
fn files(host: &Host) -> String {
    let mut places: Vec<(String, Vec<&str>)> = Vec::new();
    for (system, place) in
        [("Linux", host.file.linux), ("macOS", host.file.macos), ("Windows", host.file.windows)]
    {
        let file = code(&written(place));
        match places.iter_mut().find(|(known, _)| *known == file) {
            Some((_, systems)) => systems.push(system),
            None => places.push((file, vec![system])),
        }
    }
    match places.as_slice() {
        [(file, _)] => format!("File: {file}"),
        places => {
            let files: Vec<String> =
                places.iter().map(|(file, systems)| format!("{file} ({})", systems.join(", "))).collect();
            format!("File: {}", files.join("; "))
        }
    }
}

fn written(place: Place) -> String {
    match place.base {
        Base::Repository => place.path.to_owned(),
        Base::Home => format!("~/{}", place.path),
        Base::Config => format!("~/.config/{}", place.path),
        Base::AppData => format!("%APPDATA%\\{}", place.path.replace('/', "\\")),
    }
}

fn entry(host: &'static Host) -> String {
    let launch = Launch { executable: Some(PathBuf::from(EXECUTABLE)), ..Launch::default() };
    let machine = Machine {
        system: System::Linux,
        home: Some(PathBuf::from("/home/you")),
        config_home: None,
        app_data: None,
        state_home: None,
    };
    snippet(host, &launch, &machine, Path::new(REPOSITORY))
        .map_or_else(|error| error.to_string(), |snippet| snippet.text)
}

fn scope(host: &Host) -> Scope {
    host.file.linux.scope()
}

fn anchor(host: &Host) -> String {
    host.title.to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_an_entry_that_starts_the_server() {
        for host in HOSTS {
            let entry = entry(host);
            assert!(entry.contains("becket") && entry.contains("mcp"), "{}: {entry}", host.name);
            let parses = match host.form {
                Form::Toml => entry.parse::<toml_edit::DocumentMut>().is_ok(),
                _ => serde_json::from_str::<serde_json::Value>(&entry).is_ok(),
            };
            assert!(parses, "{}: {entry}", host.name);
        }
    }
}
