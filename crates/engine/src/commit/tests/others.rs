//! What commits mean to others: contracts and who relies on them, notes, tasks.

use super::{
    super::{citations::citations, cut::Cut},
    *,
};
use crate::remember::CreateRequest;

const API: &str = "export interface User {\n  id: string\n}\n\n// Users are cached by id.\nexport function fetchUser(id: string): User {\n  return { id }\n}\n\nexport function dropUser(id: string): void {\n  fetchUser(id)\n}\n";

/// A function that is imported through a barrel and under another name, a note about it, and a task.
fn shop() -> TestRepo {
    let repo = TestRepo::new();
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
    repo.write("package.json", "{\"name\": \"shop\", \"scripts\": {\"test\": \"vitest\"}}\n");
    repo.write("pnpm-lock.yaml", "lockfileVersion: 9\n");
    repo.write("src/api.ts", API);
    repo.write("src/index.ts", "export { fetchUser as loadUser } from './api'\n");
    repo.write(
        "src/page.ts",
        "import { loadUser } from './index'\n\nexport function page(id: string) {\n  return loadUser(id)\n}\n",
    );
    repo.write(
        "src/admin.ts",
        "import { fetchUser } from './api'\n\nexport const admin = fetchUser('root')\n",
    );
    repo.write("src/menu.ts", "export function menu() {\n  return ['home']\n}\n");
    repo.write(
        ".lodestar/spec.yaml",
        "project:\n  name: shop\ntasks:\n  T12:\n    title: Let pages say which region they are for\n    status: ready\n",
    );
    let engine = engine(&repo);
    engine.context_init(None).unwrap();
    engine
        .context_create(&CreateRequest {
            markdown: "# Users are fetched by id alone\n\nThe cache has no other key.\n".to_owned(),
            anchors: vec!["src/api.ts#fetchUser".to_owned()],
            ..CreateRequest::default()
        })
        .unwrap();
    repo.commit("first");
    repo
}

/// A new required parameter; one of its two users follows, and a matter of its own elsewhere.
fn disturbed() -> TestRepo {
    let repo = shop();
    let api = API
        .replace(
            "fetchUser(id: string): User {\n  return { id }",
            "fetchUser(id: string, region: Region): User {\n  return { id: region + id }",
        )
        .replace("  fetchUser(id)", "  fetchUser(id, 'eu')")
        .replace("// Users are cached by id.", "// Users are cached by id and region, for task T12.");
    repo.write("src/api.ts", format!("export type Region = 'eu' | 'us'\n\n{api}"));
    repo.write(
        "src/page.ts",
        "import { loadUser } from './index'\n\nexport function page(id: string) {\n  return loadUser(id, 'eu')\n}\n",
    );
    repo.write("src/menu.ts", "export function menu() {\n  return ['home', 'help']\n}\n");
    repo
}

fn planned(engine: &Engine) -> ProposedCommits {
    let grouped = engine.group_changes(&GroupChangesRequest::default()).unwrap();
    let group_ids = grouped.groups.iter().map(|group| group.id.clone()).collect();
    engine.propose_commits(&ProposeCommitsRequest { group_ids, ..ProposeCommitsRequest::default() }).unwrap()
}

fn of_file<'a>(proposed: &'a ProposedCommits, file: &str) -> &'a CommitPlan {
    proposed.commits.iter().find(|commit| commit.files.iter().any(|path| path == file)).unwrap()
}

#[test]
fn a_plan_tells_whom_each_commit_breaks_and_what_it_makes_stale() {
    let repo = disturbed();
    let engine = engine(&repo);
    let proposed = planned(&engine);
    let effects = of_file(&proposed, "src/api.ts").effects.as_ref().unwrap();
    let broken = &effects.contract_changes[0];
    assert_eq!(
        (broken.file.as_str(), broken.name.as_str(), broken.breaking),
        ("src/api.ts", "fetchUser", true)
    );
    assert!(broken.reason.contains("region"), "{broken:?}");
    assert_eq!(broken.used_by, ["src/admin.ts", "src/index.ts", "src/page.ts"]);
    let added = effects.contract_changes.iter().find(|change| change.name == "Region").unwrap();
    assert_eq!((added.change.as_str(), added.breaking), ("added", false));
    assert!(effects.dependents.contains(&"src/admin.ts".to_owned()), "{effects:?}");
    let notes: Vec<_> =
        effects.stale_notes.iter().map(|note| (note.reference.as_str(), &note.places)).collect();
    assert_eq!(notes, [("00001", &vec!["src/api.ts#fetchUser".to_owned()])]);
    let menu = of_file(&proposed, "src/menu.ts");
    if !menu.files.contains(&"src/api.ts".to_owned()) {
        assert!(menu.effects.as_ref().is_none_or(|effects| effects.stale_notes.is_empty()));
    }
    let text = proposed.to_string();
    assert!(text.contains("breaks `fetchUser` in src/api.ts"), "{text}");
    assert!(text.contains("makes note 00001 stale: Users are fetched by id alone"), "{text}");
}

#[test]
fn a_draft_says_the_same_of_planned_and_of_made_commits() {
    let repo = disturbed();
    let engine = engine(&repo);
    let proposed = planned(&engine);
    let commits: Vec<String> = proposed.commits.iter().map(|commit| commit.id.clone()).collect();
    let base = repo.head();
    let request = GeneratePrRequest { commits: commits.clone(), ..GeneratePrRequest::default() };
    let draft = engine.generate_pr(&request).unwrap();
    let text = &draft.description;
    for expected in [
        "- **Breaking**: `fetchUser` in src/api.ts: the parameter `region: Region` was added\n",
        "  - was `function fetchUser(id: string): User`, is `function fetchUser(id: string, region: Region): User`\n",
        "  - used by `src/admin.ts`, `src/index.ts`, **not changed here**\n  - used by `src/page.ts`, changed here too\n",
        "- `Region` in src/api.ts: added\n",
        "- 00001 Users are fetched by id alone (src/api.ts#fetchUser): **may be stale now**\n",
        "- T12 Let pages say which region they are for\n",
        "- pnpm test\n",
    ] {
        assert!(text.contains(expected), "{expected}\n in\n{text}");
    }
    assert!(!repo.path(".lodestar/runtime.sqlite").exists(), "a draft makes no store");
    assert_eq!(repo.git(["status", "--porcelain", "--ignored", ".lodestar"]), "");

    let part = |text: &str, heading: &str| {
        let from = text.find(heading).unwrap_or_else(|| panic!("{heading} in\n{text}"));
        text[from..].split("\n## ").next().unwrap_or_default().to_owned()
    };
    // Half of it made and half of it planned is the same change of the tree.
    let first = ApplyCommitRequest { commit_id: commits[0].clone(), ..ApplyCommitRequest::default() };
    engine.apply_commit(&first).unwrap();
    let half = engine.generate_pr(&request).unwrap();
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    let made =
        engine.generate_pr(&GeneratePrRequest { base: Some(base), ..GeneratePrRequest::default() }).unwrap();
    for heading in ["## Contract changes", "## Notes", "## Tasks"] {
        assert_eq!(part(&half.description, heading), part(text, heading));
        assert_eq!(part(&made.description, heading), part(text, heading));
    }
    let sha = &made.commits[0].commit_sha.as_ref().unwrap()[..10];
    assert!(made.description.contains(&format!("- `{sha}` ")), "{}", made.description);
    assert_eq!(made.contract_changes, draft.contract_changes);
}

#[test]
fn contracts_decide_what_a_name_means_and_what_comes_first() {
    let repo = shop();
    // `total` is new in two files; `view.ts` imports that of `b.ts` under another name.
    repo.write("src/a.ts", "export const x = 1\n");
    repo.write("src/b.ts", "export const y = 1\n");
    repo.write("src/view.ts", "export function view() {\n  return 1\n}\n");
    repo.commit("second");
    repo.write("src/a.ts", "export const x = 1\n\nexport function total() {\n  return 1\n}\n");
    repo.write("src/b.ts", "export const y = 1\n\nexport function total() {\n  return 2\n}\n");
    repo.write(
        "src/view.ts",
        "import { total as sum } from './b'\n\nexport function view() {\n  return sum()\n}\n",
    );
    let engine = engine(&repo);
    let desk = engine.desk(None).unwrap();
    let taken = desk.look(becket_git::Untracked::Include).unwrap();
    let cut = super::super::cut::Cut::of(taken.snapshot);
    let facts = super::super::contracts::contract_facts(&desk, &cut);
    let view = &facts[2];
    assert_eq!(
        (view.new.uses[0].local.as_str(), view.new.uses[0].path.as_str(), view.new.uses[0].name.as_str()),
        ("sum", "src/b.ts", "total")
    );
    assert!(view.old.uses.is_empty());
    assert_eq!((facts[1].new.declares[1].name.as_str(), facts[1].new.declares[1].first_line), ("total", 3));
    assert_eq!(facts[1].old.declares.len(), 1);
    // Each apart, in whatever order: what is imported comes before its import.
    let mut proposed = planned(&engine);
    for file in ["src/a.ts", "src/b.ts", "src/view.ts"] {
        let commit = of_file(&proposed, file);
        if commit.files.len() > 1 {
            let change = rows(&engine.list_changes(&ListChangesRequest::default()).unwrap().changes)
                .iter()
                .find(|row| row.1 == file)
                .unwrap()
                .0
                .to_owned();
            let hunks =
                commit.hunk_ids.iter().filter(|id| id.starts_with(&format!("{change}-"))).cloned().collect();
            let edits = vec![PlanEdit::Split { commit: commit.id.clone(), hunks }];
            proposed = engine.edit_plan(&EditPlanRequest { edits, ..EditPlanRequest::default() }).unwrap();
        }
    }
    assert_eq!(proposed.commits.len(), 3);
    assert!(of_file(&proposed, "src/b.ts").title.contains("add total"), "{proposed}");
}

#[test]
fn a_run_that_holds_two_matters_is_parted_and_every_byte_is_kept() {
    let repo = TestRepo::new();
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
    let ledger = "pub struct Ledger {}\n";
    let region = "pub struct Region {}\n";
    repo.write("src/ledger.rs", ledger);
    repo.write("src/region.rs", region);
    repo.write("src/main.rs", "mod ledger;\nmod region;\n\nfn main() {\n    start();\n}\n");
    repo.commit("first");
    let two = "\npub fn open_ledger_account(ledger: &Ledger) -> Account {\n    ledger.open_ledger_account()\n}\n\npub fn paint_region_border(region: &Region) -> Border {\n    region.paint_region_border()\n}\n";
    repo.write("src/main.rs", format!("mod ledger;\nmod region;\n\nfn main() {{\n    start();\n}}\n{two}"));
    repo.write("src/ledger.rs", format!("{ledger}\nimpl Ledger {{\n    pub fn open_ledger_account(&self) -> Account {{\n        Account::new()\n    }}\n}}\n"));
    repo.write("src/region.rs", format!("{region}\nimpl Region {{\n    pub fn paint_region_border(&self) -> Border {{\n        Border::new()\n    }}\n}}\n"));
    let engine = engine(&repo);
    let before = repo.read("src/main.rs");
    let proposed = planned(&engine);
    let commit =
        proposed.commits.iter().find(|commit| commit.files.contains(&"src/main.rs".to_owned())).unwrap();
    // Whoever wants to can part the hunk by name, whatever the grouping says.
    let whole = "change-2-hunk-1";
    let piece = format!("{whole}.2");
    let edits = vec![PlanEdit::Split { commit: commit.id.clone(), hunks: vec![piece.clone()] }];
    let edited =
        if commit.hunk_ids.iter().any(|id| id.starts_with(whole)) && !commit.hunk_ids.contains(&piece) {
            engine.edit_plan(&EditPlanRequest { edits, ..EditPlanRequest::default() }).unwrap()
        } else {
            proposed
        };
    let holding: Vec<&CommitPlan> =
        edited.commits.iter().filter(|commit| commit.files.contains(&"src/main.rs".to_owned())).collect();
    assert_eq!(holding.len(), 2, "{edited}");
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.read("src/main.rs"), before);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    let between = repo.git(["show", "HEAD~1:src/main.rs"]);
    let has = |name: &str| between.contains(&format!("fn {name}"));
    assert!(
        has("open_ledger_account") != has("paint_region_border") || edited.commits.len() > 2,
        "{between}"
    );
}

/// What each changed note and line of the log belongs to, by path and first line.
fn citations_of(engine: &Engine) -> Vec<(String, Vec<String>, String)> {
    let desk = engine.desk(None).unwrap();
    let cut = Cut::of(desk.look(becket_git::Untracked::Include).unwrap().snapshot);
    let changes = cut.changes();
    let shown = |unit: &usize| {
        let unit = &cut.units[*unit];
        let path = changes[unit.change].path().to_text().into_owned();
        unit.hunk().map_or(path.clone(), |hunk| format!("{path}:{}", hunk.new.start))
    };
    let all = citations(&desk, &cut).into_iter();
    all.map(|one| (shown(&one.unit), one.with.iter().map(shown).collect(), one.reason)).collect()
}

#[test]
fn a_note_goes_with_the_code_that_it_cites_and_its_line_of_the_log_with_it() {
    let repo = disturbed();
    let engine = engine(&repo);
    for (title, anchor) in [
        ("Menus are flat", "src/menu.ts#menu"),
        ("Regions are two", "src/api.ts#Region"),
        ("Pages", "src/page.ts"),
    ] {
        let markdown = format!("# {title}\n\nThat is enough for now.\n");
        let request =
            CreateRequest { markdown, anchors: vec![anchor.to_owned()], ..CreateRequest::default() };
        engine.context_create(&request).unwrap();
    }
    let row =
        |unit: &str, with: &str, reason: &str| (unit.to_owned(), vec![with.to_owned()], reason.to_owned());
    assert_eq!(
        citations_of(&engine),
        [
            row(".context/00002.md", "src/menu.ts:2", "note 00002 cites `src/menu.ts#menu`"),
            row(".context/00003.md", "src/api.ts:1", "note 00003 cites `src/api.ts#Region`"),
            row(".context/00004.md", "src/page.ts:4", "note 00004 cites `src/page.ts`"),
            row(".context/log.jsonl:2", ".context/00002.md", "the log tells of note 00002"),
            row(".context/log.jsonl:3", ".context/00003.md", "the log tells of note 00003"),
            row(".context/log.jsonl:4", ".context/00004.md", "the log tells of note 00004"),
        ]
    );
    let plan = planned(&engine);
    let home = |file: &str| of_file(&plan, file);
    for (note, source) in [("2", "src/menu.ts"), ("3", "src/api.ts"), ("4", "src/page.ts")] {
        let commit = home(source);
        assert_eq!(home(&format!(".context/0000{note}.md")).id, commit.id, "{plan}");
        assert!(commit.description.contains(&format!("Context: 0000{note}")), "{}", commit.description);
        assert!(commit.reasons.iter().any(|one| one.signal == "citation"), "{:?}", commit.reasons);
    }
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn a_note_without_anchors_goes_where_a_comment_refers_to_it_or_where_it_names() {
    let repo = disturbed();
    let engine = engine(&repo);
    for markdown in
        ["# Help comes last\n\nPeople look there last.\n", "# Pages\n\nSee src/page.ts.\n", "# Alone\n"]
    {
        let request = CreateRequest { markdown: markdown.to_owned(), ..CreateRequest::default() };
        engine.context_create(&request).unwrap();
    }
    repo.write(
        "src/menu.ts",
        "export function menu() {\n  // refer to context 00002\n  return ['home', 'help']\n}\n",
    );
    let found = citations_of(&engine);
    let of = |unit: &str| {
        found
            .iter()
            .find(|(own, _, _)| own == unit)
            .map(|(_, with, reason)| (with.join(" "), reason.as_str()))
    };
    assert_eq!(
        of(".context/00002.md"),
        Some(("src/menu.ts:2".to_owned(), "src/menu.ts refers to note 00002"))
    );
    assert_eq!(
        of(".context/00003.md"),
        Some(("src/page.ts:4".to_owned(), "note 00003 speaks of src/page.ts"))
    );
    assert_eq!(of(".context/00004.md"), None);
    assert!(of(".context/log.jsonl:4").is_some(), "{found:?}");
}

#[test]
fn a_commit_that_breaks_a_promise_says_so_in_its_title_and_in_a_footer() {
    let repo = disturbed();
    let engine = engine(&repo);
    let plan = planned(&engine);
    let breaks = |commit: &&CommitPlan| {
        let effects = commit.effects.as_ref();
        effects.is_some_and(|effects| effects.contract_changes.iter().any(|change| change.breaking))
    };
    let broken = plan.commits.iter().find(breaks).unwrap();
    assert!(broken.title.split(": ").next().unwrap().ends_with('!'), "{}", broken.title);
    assert!(
        broken.description.contains("\n\nBREAKING CHANGE: `fetchUser` in src/api.ts: "),
        "{}",
        broken.description
    );
    for other in plan.commits.iter().filter(|commit| !breaks(commit)) {
        assert!(!other.title.contains('!') && !other.description.contains("BREAKING"), "{other}");
    }
    let edits =
        vec![PlanEdit::Title { commit: broken.id.clone(), title: "feat: ask for a region".to_owned() }];
    let edited = engine.edit_plan(&EditPlanRequest { edits, ..EditPlanRequest::default() }).unwrap();
    let own = edited.commits.iter().find(|commit| commit.id == broken.id).unwrap();
    assert_eq!(own.title, "feat: ask for a region");
    assert!(own.description.contains("BREAKING CHANGE: "), "the body is still ours");
    engine.apply_all(&ApplyAllRequest::default()).unwrap();
    assert!(repo.git(["log", "--format=%B", "-3"]).contains("BREAKING CHANGE: `fetchUser`"));
}
