//! The short texts beside results of the coordinate plane, where several tools say the same kind of thing.

use becket_engine::coordinate::{
    Answer, ChangedTask, ClaimedTask, EventsAnswer, MessageRow, TaskRow, Verified,
};

/// Rows of a text before it says how many more there are.
const SHOWN: usize = 20;

/// Each on a line of its own, after a break.
pub(crate) fn lines(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| ["\n", sentence.as_str()].concat()).collect::<Vec<_>>().concat()
}

pub(crate) fn rows(tasks: &[TaskRow], total: u64) -> String {
    if tasks.is_empty() {
        return "No tasks.".to_owned();
    }
    let mut text: Vec<String> = tasks.iter().take(SHOWN).map(row).collect();
    if total > text.len() as u64 {
        text.push(format!("({total} in all)"));
    }
    text.join("\n")
}

fn row(task: &TaskRow) -> String {
    let holder =
        task.claimed_by_agent_id.as_ref().map(|agent| format!(", held by {agent}")).unwrap_or_default();
    format!("{} [{}{holder}] {}", task.id, task.status, becket_base::clip(&task.title, 80))
}

pub(crate) fn claimed(output: &Answer<ClaimedTask>) -> String {
    let claim = &output.answer;
    let told = match (&claim.lease, &claim.conflict) {
        (Some(lease), _) if claim.renewed => {
            format!("{} stays yours until {}.", lease.task_id, lease.expires_at)
        }
        (Some(lease), _) => format!("{} is yours until {}.", lease.task_id, lease.expires_at),
        (None, Some(conflict)) => {
            format!("{} holds it until {}.", conflict.claimed_by_agent_id, conflict.expires_at)
        }
        (None, None) => "Not claimed.".to_owned(),
    };
    let handoff = claim
        .handoff_message
        .as_ref()
        .map(|message| format!("\nHandoff from {}: {}", message.from, message.body));
    format!("{told}{}{}{}", lines(&claim.warnings), handoff.unwrap_or_default(), output.notice())
}

pub(crate) fn verified(output: &Answer<Verified>) -> String {
    let freed = match output.answer.newly_ready_task_ids.as_slice() {
        [] => String::new(),
        ids => format!(" Newly ready: {}.", ids.join(", ")),
    };
    format!(
        "{} is {}.{freed}{}{}",
        output.answer.task_id,
        output.answer.status,
        lines(&output.answer.warnings),
        output.notice()
    )
}

pub(crate) fn changed(verb: &str, output: &Answer<ChangedTask>) -> String {
    let task = &output.answer.task;
    format!(
        "{verb} {} {} [{}].{}{}",
        task.id,
        task.title,
        task.status,
        lines(&output.answer.warnings),
        output.notice()
    )
}

pub(crate) fn mail(messages: &[MessageRow]) -> String {
    if messages.is_empty() {
        return "No messages.".to_owned();
    }
    let row = |message: &MessageRow| {
        let about = message.subject.as_deref().unwrap_or(&message.body);
        format!(
            "{} from {} [{}] {}",
            message.id,
            message.from,
            message.severity,
            becket_base::clip(about, 200)
        )
    };
    let mut text: Vec<String> = messages.iter().take(SHOWN).map(row).collect();
    if messages.len() > SHOWN {
        text.push(format!("({} in all)", messages.len()));
    }
    text.join("\n")
}

pub(crate) fn happened(output: &EventsAnswer) -> String {
    if output.events.is_empty() {
        return format!("Nothing happened; the cursor stays {}.", output.next_cursor);
    }
    let mut text: Vec<String> =
        output.events.iter().take(SHOWN).map(|event| format!("{} {}", event.id, event.summary())).collect();
    if output.events.len() > SHOWN {
        text.push(format!("({} in all)", output.events.len()));
    }
    text.join("\n")
}
