//! `docs/reference/cli.md`: every command with its usage, arguments and options, from the clap definition.

use clap::{Arg, ArgAction, Command};

use super::markdown::{code, fence, heading, paragraph, sentence, table};

pub(super) fn body() -> String {
    page(becket_cli::command())
}

fn page(mut command: Command) -> String {
    command.build();
    let mut page = paragraph(&sentence(&about(&command)));
    page.push_str(&contents(&command));
    page.push_str(&heading(2, "Options of every command"));
    let globals: Vec<&Arg> = shown(&command).filter(|arg| arg.is_global_set()).collect();
    page.push_str(&options(&globals));
    page.push_str(&after(&command));
    for child in children(&command) {
        section(child, command.get_name(), 2, &mut page);
    }
    page
}

fn contents(command: &Command) -> String {
    let rows: Vec<Vec<String>> = children(command)
        .map(|child| {
            let title = format!("{} {}", command.get_name(), child.get_name());
            vec![format!("[{}](#{})", code(&title), title.replace(' ', "-")), sentence(&about(child))]
        })
        .collect();
    table(&["Command", "What it does"], &rows)
}

fn section(command: &Command, parents: &str, level: usize, page: &mut String) {
    let name = format!("{parents} {}", command.get_name());
    page.push_str(&heading(level, &code(&name)));
    page.push_str(&paragraph(&sentence(&about(command))));
    let usage = command.clone().render_usage().to_string();
    let usage =
        usage.trim_start_matches("Usage: ").replacen(command.get_bin_name().unwrap_or_default(), &name, 1);
    page.push_str(&fence("text", &usage));
    let own: Vec<&Arg> = shown(command).filter(|arg| !arg.is_global_set()).collect();
    let (positional, flags): (Vec<&Arg>, Vec<&Arg>) = own.into_iter().partition(|arg| arg.is_positional());
    page.push_str(&arguments(&positional));
    page.push_str(&options(&flags));
    page.push_str(&after(command));
    for child in children(command) {
        section(child, &name, level + 1, page);
    }
}

fn arguments(positional: &[&Arg]) -> String {
    let rows: Vec<Vec<String>> = positional
        .iter()
        .map(|arg| {
            let needed = if arg.is_required_set() { "yes" } else { "no" };
            vec![code(&value_names(arg)), needed.to_owned(), meaning(arg)]
        })
        .collect();
    table(&["Argument", "Required", "Meaning"], &rows)
}

fn options(flags: &[&Arg]) -> String {
    let rows: Vec<Vec<String>> = flags.iter().map(|arg| vec![spelling(arg), meaning(arg)]).collect();
    table(&["Option", "Meaning"], &rows)
}

fn spelling(arg: &Arg) -> String {
    let mut spellings: Vec<String> = arg.get_short().map(|short| format!("-{short}")).into_iter().collect();
    spellings.extend(arg.get_long().map(|long| format!("--{long}")));
    spellings.extend(arg.get_visible_aliases().unwrap_or_default().iter().map(|alias| format!("--{alias}")));
    if let Some(last) = spellings.last_mut().filter(|_| takes_value(arg)) {
        last.push(' ');
        last.push_str(&value_names(arg));
    }
    spellings.iter().map(|spelling| code(spelling)).collect::<Vec<_>>().join(", ")
}

fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut parts = vec![sentence(&help)];
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|one| !one.is_hide_set())
        .map(|one| code(one.get_name()))
        .collect();
    if takes_value(arg) && !values.is_empty() {
        parts.push(format!("One of {}.", values.join(", ")));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect();
    if takes_value(arg) && !defaults.is_empty() {
        parts.push(format!("Default: {}.", defaults.join(", ")));
    }
    if takes_value(arg) && matches!(arg.get_action(), ArgAction::Append) && !arg.is_positional() {
        let comma = arg.get_value_delimiter() == Some(',');
        parts.push(
            if comma { "Separate several with commas." } else { "May be given several times." }.to_owned(),
        );
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn value_names(arg: &Arg) -> String {
    let names = arg.get_value_names().map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>());
    let names = names.unwrap_or_else(|| vec![arg.get_id().as_str().to_uppercase()]);
    let several = arg.get_num_args().is_some_and(|range| range.max_values() > 1) && names.len() == 1;
    let names = format!("{}{}", names.join(" "), if several { "…" } else { "" });
    let optional = !arg.is_positional() && arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    if optional { format!("[{names}]") } else { names }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    let generated = |arg: &Arg| {
        matches!(
            arg.get_action(),
            ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort | ArgAction::Version
        )
    };
    command.get_arguments().filter(move |arg| !arg.is_hide_set() && !generated(arg))
}

fn children(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|child| !child.is_hide_set() && child.get_name() != "help")
}

fn about(command: &Command) -> String {
    command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default()
}

/// What the help says at its end: exit codes, examples.
fn after(command: &Command) -> String {
    let text = command
        .get_after_long_help()
        .or(command.get_after_help())
        .map(ToString::to_string)
        .unwrap_or_default();
    if text.trim().is_empty() { String::new() } else { fence("text", text.trim()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_command_is_on_the_page() {
        let command = Command::new("tool")
            .about("A tool")
            .after_help("Exit codes:\n  0 done")
            .arg(Arg::new("json").long("json").global(true).action(ArgAction::SetTrue).help("As JSON"))
            .subcommand(
                Command::new("serve")
                    .about("Serve it")
                    .arg(Arg::new("file").required(true).help("What to serve"))
                    .arg(
                        Arg::new("mode")
                            .short('m')
                            .long("mode")
                            .value_name("MODE")
                            .value_parser(["a", "b"])
                            .default_value("a")
                            .help("How"),
                    )
                    .arg(Arg::new("hidden").long("hidden").hide(true))
                    .subcommand(Command::new("once").about("And stop")),
            );
        assert_eq!(
            page(command),
            "A tool.\n\n| Command | What it does |\n| --- | --- |\n| [`tool serve`](#tool-serve) | Serve it. |\n\n\
             ## Options of every command\n\n| Option | Meaning |\n| --- | --- |\n| `--json` | As JSON. |\n\n\
             ```text\nExit codes:\n  0 done\n```\n\n\
             ## `tool serve`\n\nServe it.\n\n```text\ntool serve [OPTIONS] <file> [COMMAND]\n```\n\n\
             | Argument | Required | Meaning |\n| --- | --- | --- |\n| `FILE` | yes | What to serve. |\n\n\
             | Option | Meaning |\n| --- | --- |\n| `-m`, `--mode MODE` | How. One of `a`, `b`. Default: `a`. |\n\n\
             ### `tool serve once`\n\nAnd stop.\n\n```text\ntool serve <file> once [OPTIONS]\n```\n\n"
        );
    }
}
