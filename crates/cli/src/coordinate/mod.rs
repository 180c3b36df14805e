//! The coordinate plane on the command line: the same commands as `becket task …` and as `lodestar task …`. Each is one call
//! into the engine; the two differ only in the envelope around the answer.

pub(crate) mod agent;
pub(crate) mod msg;
mod table;
pub(crate) mod task;

use becket_engine::Error;
use serde_json::{Value, json};

use crate::ui::{Finding, visible};

pub(crate) use table::table;

/// What a command found, in the words of the seed's envelope.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub data: Value,
    pub text: String,
    pub next: Vec<Next>,
    pub warnings: Vec<String>,
    /// A refusal that is an answer and no error: a claim on a held task.
    pub refused: Option<Finding>,
}

/// A command that makes sense now.
#[derive(Debug)]
pub(crate) struct Next {
    pub intent: &'static str,
    /// Without the name of the program, of which there are two.
    pub command: String,
    pub description: &'static str,
}

impl Outcome {
    /// The text is full of words of agents, none of which may steer the terminal of a person.
    pub(crate) fn new(data: Value, text: impl AsRef<str>) -> Self {
        let text = visible(text.as_ref());
        Self { data, text, next: Vec::new(), warnings: Vec::new(), refused: None }
    }

    #[must_use]
    pub(crate) fn then(mut self, intent: &'static str, command: String, description: &'static str) -> Self {
        self.next.push(Next { intent, command, description });
        self
    }

    #[must_use]
    pub(crate) fn warn(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// `next` and `warnings` for the seed's envelope.
    pub(crate) fn envelope(&self) -> Value {
        let next: Vec<Value> = self
            .next
            .iter()
            .map(|next| {
                let command = format!("lodestar {}", next.command);
                json!({"intent": next.intent, "cmd": command, "description": next.description})
            })
            .collect();
        let mut envelope =
            json!({"ok": self.refused.is_none(), "data": self.data, "next": next, "warnings": self.warnings});
        if let Some(finding) = &self.refused {
            envelope["error"] = finding.told();
        }
        envelope
    }

    /// For a person beside the text: warnings, then what to do next. Talk, so that a script gets the text alone.
    pub(crate) fn advice(&self, program: &str) -> Vec<String> {
        let warnings = self.warnings.iter().map(|warning| format!("! {}", visible(warning)));
        let next =
            |next: &Next| format!("next: {program} {}  ({})", visible(&next.command), next.description);
        warnings.chain(self.next.iter().map(next)).collect()
    }
}

/// An id as one word of a command line: a task may be called anything.
pub(crate) fn word(id: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./:+@%,".contains(letter);
    if !id.is_empty() && id.chars().all(is_plain) {
        return id.to_owned();
    }
    format!("'{}'", id.replace('\'', "'\\''"))
}

/// `1h30m`, `45s` or a bare number of seconds.
pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a time such as 15m, 1h30m or 45s");
    let mut rest = text.trim();
    if let Ok(number) = rest.parse::<u64>() {
        return if number == 0 { Err("zero is no time".to_owned()) } else { Ok(number) };
    }
    let mut total = 0_u64;
    for (unit, factor) in [('h', 3_600), ('m', 60), ('s', 1)] {
        if let Some((number, after)) = rest.split_once(unit) {
            let number: u64 = number.parse().map_err(|_| wrong())?;
            total = number.checked_mul(factor).and_then(|part| total.checked_add(part)).ok_or_else(wrong)?;
            rest = after;
        }
    }
    if !rest.is_empty() {
        return Err(wrong());
    }
    if total == 0 { Err("zero is no time".to_owned()) } else { Ok(total) }
}

/// The engine's hints name tools; a person at a terminal has commands.
pub(crate) fn spoken(error: Error, program: &str) -> Error {
    const COMMANDS: [(&str, &str); 12] = [
        ("lodestar_task_claim_next", "task claim"),
        ("lodestar_task_claim", "task claim"),
        ("lodestar_task_next", "task next"),
        ("lodestar_task_list", "task list"),
        ("lodestar_task_get", "task show"),
        ("lodestar_task_create", "task create"),
        ("lodestar_agent_join", "agent join"),
        ("lodestar_agent_list", "agent list"),
        ("lodestar_message_send", "msg send"),
        ("lodestar_message_list", "msg thread"),
        ("lodestar_task_renew", "task renew"),
        ("lodestar_task_release", "task release"),
    ];
    let Some(hint) = error.hint() else { return error };
    let hint = COMMANDS
        .iter()
        .fold(hint.to_owned(), |hint, (tool, command)| hint.replace(tool, &format!("`{program} {command}`")));
    error.with_hint(hint)
}

/// The command that a hint names, if it names one: words between backquotes that begin with a program of ours.
pub(crate) fn command_in(hint: &str) -> Option<&str> {
    hint.split('`').skip(1).step_by(2).find(|words| {
        words.split_once(' ').is_some_and(|(program, _)| matches!(program, "lodestar" | "becket"))
    })
}

/// Options that the seed checks itself, so that leaving one out is its error and not a usage error.
pub(crate) fn required(value: Option<String>, name: &str) -> Result<String, Error> {
    value.filter(|value| !value.trim().is_empty()).ok_or_else(|| {
        Error::invalid("missing_option", format!("{name} is required."))
            .with_hint("--help shows the whole command.")
    })
}

#[cfg(test)]
mod tests {
    use super::{command_in, word};

    #[test]
    fn a_command_is_found_in_a_hint() {
        assert_eq!(command_in("Run `lodestar init` (or `becket task init`) here."), Some("lodestar init"));
        assert_eq!(
            command_in("`git diff` shows it; `becket doctor --repair`."),
            Some("becket doctor --repair")
        );
        assert_eq!(command_in("Correct `prd.source`; lodestar task list"), None);
    }

    #[test]
    fn an_id_is_one_word_of_a_command() {
        assert_eq!(["T1", "app/登录", "a b", "it's"].map(word), ["T1", "app/登录", "'a b'", "'it'\\''s'"]);
    }
}
