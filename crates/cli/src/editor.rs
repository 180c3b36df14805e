//! Writing a text in the user's editor. The editor is started as a program, never through a shell.
#![allow(
    clippy::disallowed_methods,
    reason = "starts the editor that the user chose, and reads the file it wrote"
)]

use std::{io::IsTerminal, process::Command};

use becket_engine::{Environment, Error};

/// What the user makes of `text`. `suffix` tells the editor what it is.
pub(crate) fn edit(environment: &Environment, text: &str, suffix: &str) -> Result<String, Error> {
    let chosen = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| environment.variable(name).filter(|value| !value.trim().is_empty()));
    let editor = match chosen {
        Some(editor) => editor.to_owned(),
        None if std::io::stdin().is_terminal() => usual().to_owned(),
        None => {
            return Err(Error::invalid("text_missing", "There is no text, and no editor to write it in.")
                .with_hint("Give the text as an argument, pass `-` to read stdin, or set EDITOR."));
        }
    };
    let words = words(&editor);
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::invalid("editor_missing", "EDITOR names no program."));
    };
    let failed = |what: &str| Error::unavailable("editor_failed", format!("{what}; nothing was written."));
    let file = tempfile::Builder::new().prefix("becket-").suffix(suffix).tempfile();
    let file = file.map_err(|error| failed("A file for the editor could not be made").with_source(error))?;
    std::fs::write(file.path(), text)
        .map_err(|error| failed("A file for the editor could not be written").with_source(error))?;
    let status = Command::new(program).args(arguments).arg(file.path()).status().map_err(|error| {
        failed(&format!("`{program}` could not be started"))
            .with_hint("Set EDITOR to your editor.")
            .with_source(error)
    })?;
    if !status.success() {
        return Err(failed(&format!("`{program}` ended with {status}")));
    }
    std::fs::read_to_string(file.path())
        .map_err(|error| failed("What the editor wrote could not be read").with_source(error))
}

fn usual() -> &'static str {
    if cfg!(windows) { "notepad" } else { "vi" }
}

/// A command line of an editor: words, with quotes around those that have spaces.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => (quote, begun) = (Some(character), true),
            (None, ' ' | '\t') => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            _ => {
                word.push(character);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_may_have_arguments_and_spaces() {
        assert_eq!(words("code --wait"), ["code", "--wait"]);
        assert_eq!(words("\"/opt/my editor/bin\" -x 'a b'"), ["/opt/my editor/bin", "-x", "a b"]);
        assert_eq!(words("  vi  "), ["vi"]);
        assert_eq!(words(""), Vec::<String>::new());
        assert_eq!(words("a \"\" b"), ["a", "", "b"]);
    }
}
