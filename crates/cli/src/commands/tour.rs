//! `becket tour`: a throw-away repository, the real server, and every call in sight.

use std::process::ExitCode;

use becket_engine::{Error, sample};
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    client::{Client, Surroundings},
    context::{Context, own_binary},
    signals,
    ui::{Report, Ui},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Tour {
    /// Keep the throw-away repository, and say where it is
    #[arg(long)]
    keep: bool,
}

/// One call of the tour.
#[derive(Debug, Serialize)]
struct Step {
    title: &'static str,
    call: String,
    answer: Value,
    /// What to see in it.
    shows: String,
}

impl Tour {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let interrupted = match signals::noted() {
            Ok(interrupted) => interrupted,
            Err(error) => {
                let error = Error::unavailable("signals", "Signals cannot be caught.").with_source(error);
                return context.ui.finish::<()>("tour", Err(error));
            }
        };
        let mut guide = Guide {
            ui: context.ui,
            json: context.global.json,
            steps: Vec::new(),
            chapter: 0,
            interrupted: interrupted.clone(),
        };
        let result = walk(&mut guide, self.keep);
        // What Ctrl-C does to a `git` or a server of the tour is not a failure of its own.
        let result = if interrupted.is_asked() { Err(end_of_tour()) } else { result };
        context.ui.finish("tour", result.map(|closing| Report::new(json!({"steps": guide.steps}), closing)))
    }
}

fn walk(guide: &mut Guide, keep: bool) -> Result<String, Error> {
    let folder = tempfile::Builder::new().prefix("becket-tour-").tempdir().map_err(|error| {
        Error::unavailable("not_writable", "There is no temporary folder.").with_source(error)
    })?;
    let sample = sample::create(folder.path())?;
    guide.goes_on()?;
    let binary = own_binary()?;
    guide.say("A small TypeScript shop in a throw-away Git repository, with two worktrees.");

    guide.chapter("Connect", "An agent's host starts `becket mcp` and shakes hands. Any MCP host can.");
    let mut client = Client::start(&binary, &sample.repository, Surroundings::Bare)?;
    let answer = client.initialize("2025-11-25")?;
    let shows = format!(
        "{} {}, protocol {}",
        text(&answer, "/serverInfo/name"),
        text(&answer, "/serverInfo/version"),
        text(&answer, "/protocolVersion")
    );
    guide.step("Connect", "initialize {\"protocolVersion\": \"2025-11-25\"}", answer, shows);
    let answer = client.request("tools/list", json!({}))?;
    let names: Vec<_> =
        answer["tools"].as_array().into_iter().flatten().map(|tool| text(tool, "/name")).collect();
    guide.step("Connect", "tools/list", answer, names.join(", "));

    guide.chapter(
        "Where am I?",
        "The first call of every agent: repository, worktree, branch, what to do next.",
    );
    guide.tool(&mut client, "Where am I?", "becket_status", &json!({}))?;
    guide.tool(&mut client, "Where am I?", "becket_status", &json!({"worktree": "discounts"}))?;

    let title = "What does it promise?";
    guide.chapter(
        title,
        "Contracts instead of source: signatures, who depends on whom, and what an edit breaks.",
    );
    guide.tool(&mut client, title, "logicstamp_refresh_snapshot", &json!({}))?;
    guide.tool(&mut client, title, "logicstamp_impact", &json!({"target": "src/money.ts#format"}))?;
    sample.break_money()?;
    guide.say("  … an agent gives `format` in src/money.ts a second parameter …");
    guide.tool(&mut client, title, "logicstamp_compare_snapshot", &json!({}))?;
    sample.mend_money()?;

    guide.chapter("Why is it so?", "A decision is written down once, and knows when the code has moved on.");
    let note = "# Amounts are whole cents\n\nFloats lost a cent in every hundredth receipt.\n";
    guide.tool(
        &mut client,
        "Why is it so?",
        "context_create",
        &json!({"markdown": note, "anchors": ["src/money.ts#format"]}),
    )?;
    guide.tool(&mut client, "Why is it so?", "context_refs", &json!({"target": "src/money.ts"}))?;
    sample.edit_money()?;
    guide.say("  … another agent changes `format` in src/money.ts …");
    guide.tool(&mut client, "Why is it so?", "context_refs", &json!({"target": "src/money.ts"}))?;

    guide.chapter(
        "What is not committed?",
        "Every change as data: staged, unstaged, untracked, renamed, binary.",
    );
    sample.add_vouchers()?;
    guide.say("  … a third agent adds vouchers to the receipt, and mends a line of the README …");
    guide.tool(&mut client, "What is not committed?", "list_changes", &json!({}))?;

    guide.chapter(
        "Intent-sized commits",
        "Hunks that belong together become commits in a private index; staged work stays staged, and undo is exact.",
    );
    let title = "Intent-sized commits";
    let grouped = guide.tool(&mut client, title, "group_changes", &json!({}))?;
    let ids = |answer: &Value, list: &str| -> Vec<Value> {
        let rows = answer.pointer(&format!("/structuredContent/{list}")).and_then(Value::as_array);
        rows.into_iter().flatten().map(|row| row["id"].clone()).collect()
    };
    let groups = ids(&grouped, "groups");
    let proposed = guide.tool(&mut client, title, "propose_commits", &json!({"group_ids": groups}))?;
    guide.tool(&mut client, title, "apply_all", &json!({}))?;
    guide.tool(&mut client, title, "generate_pr", &json!({"commit_ids": ids(&proposed, "commits")}))?;
    guide.tool(&mut client, title, "undo", &json!({}))?;
    two_agents(guide, &binary, &sample.repository)?;

    guide.chapter("Sandbox", "Nothing outside the repository is read on a caller's word.");
    for escape in ["../..", "/etc", "../corner-shop-2", ".git", "C:\\Windows"] {
        guide.tool(&mut client, "Sandbox", "becket_status", &json!({"worktree": escape}))?;
    }
    guide.tool(&mut client, "Sandbox", "becket_status", &json!({"worktre": "discounts"}))?;
    guide.closed(client.stop());

    guide.chapter(
        "Both eras",
        "The same program speaks the stateless protocol of 2026-07-28: no handshake, no session.",
    );
    let mut client = Client::start(&binary, &sample.repository, Surroundings::Bare)?;
    client.speak_stateless();
    let answer = client.request("server/discover", json!({}))?;
    let versions: Vec<_> =
        answer["supportedVersions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let shows = format!("speaks {}", versions.join(", "));
    guide.step("Both eras", "server/discover", answer, shows);
    guide.tool(&mut client, "Both eras", "becket_status", &json!({}))?;
    guide.closed(client.stop());

    let mut closing = String::from(
        "\nNext: `becket init` connects the hosts of your own repository; `becket doctor` checks them.",
    );
    if keep {
        let path = folder.keep();
        closing = format!("{closing}\nThe repository is kept at {}.", path.display());
    }
    Ok(closing)
}

/// Two servers, as two hosts would start them.
fn two_agents(
    guide: &mut Guide,
    binary: &std::path::Path,
    repository: &std::path::Path,
) -> Result<(), Error> {
    const TITLE: &str = "Who does what?";
    guide.chapter(TITLE, "Two agents on one list of tasks: one lease each, told of each other's work.");
    sample::tasks(repository)?;
    let mut clients = Vec::new();
    for name in ["Ada", "Bob"] {
        let mut client = Client::start(binary, repository, Surroundings::Bare)?;
        client.initialize("2025-11-25")?;
        let answer = client.call("lodestar_agent_join", &json!({ "name": name }))?;
        let agent = text(&answer, "/structuredContent/agentId");
        guide.step(
            TITLE,
            &format!("lodestar_agent_join {{\"name\": \"{name}\"}}"),
            answer,
            format!("{name} is {agent}"),
        );
        clients.push((client, agent));
    }
    let [(ada, first), (bob, second)] = clients.as_mut_slice() else { return Ok(()) };
    guide.tool(ada, TITLE, "lodestar_task_claim_next", &json!({ "agentId": first }))?;
    guide.tool(bob, TITLE, "lodestar_task_claim", &json!({"taskId": "T001", "agentId": second}))?;
    guide.tool(ada, TITLE, "lodestar_task_done", &json!({"taskId": "T001", "agentId": first}))?;
    let body = "The rounding is in: the receipt can use it.";
    let handoff = json!({"fromAgentId": first, "toAgentId": second, "taskId": "T002", "body": body, "severity": "handoff"});
    guide.tool(ada, TITLE, "lodestar_message_send", &handoff)?;
    guide.tool(bob, TITLE, "lodestar_task_verify", &json!({"taskId": "T001", "agentId": second}))?;
    guide.tool(bob, TITLE, "lodestar_task_claim_next", &json!({ "agentId": second }))?;
    guide.tool(bob, TITLE, "lodestar_task_graph", &json!({}))?;
    for (client, _) in clients {
        guide.closed(client.stop());
    }
    Ok(())
}

/// Tells what happens, as it happens.
struct Guide {
    ui: Ui,
    json: bool,
    steps: Vec<Step>,
    chapter: usize,
    interrupted: signals::Noted,
}

impl Guide {
    /// Between two steps, so that the folder is never removed under a program that works in it.
    fn goes_on(&self) -> Result<(), Error> {
        if self.interrupted.is_asked() { Err(end_of_tour()) } else { Ok(()) }
    }

    fn chapter(&mut self, title: &str, words: &str) {
        self.chapter += 1;
        self.say(&format!("\n{} {}\n{}", format!("{}.", self.chapter).bold(), title.bold(), words.dimmed()));
    }

    fn tool(
        &mut self,
        client: &mut Client,
        title: &'static str,
        name: &str,
        arguments: &Value,
    ) -> Result<Value, Error> {
        self.goes_on()?;
        let answer = client.call(name, arguments)?;
        let shows = text(&answer, "/content/0/text");
        self.step(title, &format!("{name} {arguments}"), answer.clone(), shows);
        Ok(answer)
    }

    fn step(&mut self, title: &'static str, call: &str, answer: Value, shows: String) {
        let failed = answer["isError"] == true;
        let mark = if failed { "✗".red().to_string() } else { "✓".green().to_string() };
        let indented: Vec<String> = shows.trim_end().lines().map(|line| format!("      {line}")).collect();
        self.say(&format!(
            "  {} {}\n{}",
            "→".cyan(),
            call,
            indented.join("\n").replacen("      ", &format!("  {mark}   "), 1)
        ));
        self.steps.push(Step { title, call: call.to_owned(), answer, shows });
    }

    fn closed(&self, clean: bool) {
        let words =
            if clean { "the server ended with its input, exit 0" } else { "the server did not end cleanly" };
        self.say(&format!("  {} end of input\n  {}   {words}", "→".cyan(), if clean { "✓" } else { "✗" }));
    }

    fn say(&self, words: &str) {
        if !self.json {
            self.ui.print(words);
        }
    }
}

fn end_of_tour() -> Error {
    Error::unavailable("interrupted", "The tour was interrupted; its throw-away repository is gone.")
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}
