//! The text of pull requests, and what templates of users can and cannot do.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use becket_commits::{
    ContractChange, Note, NoteStanding, PullRequest, PullRequestCommit, PullRequestError, Task, Template,
    Trailer, Wording, draft,
};

fn request() -> PullRequest {
    let commit = |id: &str, title: &str, added: usize| PullRequestCommit {
        id: id.to_owned(),
        title: title.to_owned(),
        files: vec!["src/a.rs".to_owned()],
        added,
        removed: 1,
        trailers: vec![Trailer { key: "Task".to_owned(), value: "T7".to_owned() }],
        ..PullRequestCommit::default()
    };
    PullRequest {
        commits: vec![
            commit("commit-1", "style: format a.rs", 90),
            commit("0123456789abcdef0123456789abcdef01234567", "feat(ledger): add open_ledger", 10),
            commit("commit-3", "feat(ledger): add Ledger", 40),
            commit("commit-4", "Something by hand", 2),
        ],
        contracts: vec![
            ContractChange {
                path: "src/b.ts".into(),
                name: "load".into(),
                summary: "is new".into(),
                ..ContractChange::default()
            },
            ContractChange {
                path: "src/a.ts".into(),
                name: "open".into(),
                summary: "`limit` is now required".into(),
                breaking: true,
                before: Some("function open(): Ledger".into()),
                after: Some("function open(limit: number): Ledger".into()),
                consumers: (1..=7)
                    .map(|number| format!("src/c{number}.ts"))
                    .chain(["src/a.rs".to_owned()])
                    .collect(),
            },
            ContractChange {
                path: "src/b.ts".into(),
                name: "store".into(),
                summary: "is new".into(),
                ..ContractChange::default()
            },
        ],
        notes: vec![
            Note { id: "00012".into(), title: "Why a ledger".into(), standing: NoteStanding::Cited },
            Note { id: "00019".into(), title: "Old format".into(), standing: NoteStanding::Stale },
        ],
        tasks: vec![Task { id: "T12".into(), title: "Keep a ledger".into() }],
        checks: vec!["cargo test -p ledger".into()],
    }
}

#[test]
fn the_body_says_all_and_breaking_changes_first() {
    let draft = draft(&request(), &Wording::default(), Template::BuiltIn).unwrap();
    assert_eq!(draft.title, "feat(ledger): add Ledger (+3 more)");
    assert_eq!(
        draft.body,
        "\
## Summary

- **New**
  - add open_ledger
  - add Ledger
- **Formatting**: format a.rs
- **Other**: Something by hand

## Contract changes

- **Breaking**: `open` in src/a.ts: `limit` is now required
  - was `function open(): Ledger`, is `function open(limit: number): Ledger`
  - used by `src/c1.ts`, `src/c2.ts`, `src/c3.ts`, `src/c4.ts`, `src/c5.ts` and 2 more, **not changed here**
  - used by `src/a.rs`, changed here too
- `load`, `store` in src/b.ts: is new

## Commits

- style: format a.rs (1 file, +90 −1)
- `0123456789` feat(ledger): add open_ledger (1 file, +10 −1)
- feat(ledger): add Ledger (1 file, +40 −1)
- Something by hand (1 file, +2 −1)

## Notes

- 00019 Old format: **may be stale now**
- 00012 Why a ledger

## Tasks

- T12 Keep a ledger
- T7

## How to test

- cargo test -p ledger
"
    );
}

#[test]
fn own_words_win() {
    let own = Wording { title: Some("My\ntitle".into()), summary: Some("My summary".into()), body: None };
    let one = draft(&request(), &own, Template::BuiltIn).unwrap();
    assert_eq!(one.title, "My title");
    assert!(one.body.starts_with("## Summary\n\nMy summary\n\n## Contract changes\n"));
    let whole =
        draft(&request(), &Wording { body: Some("All mine".into()), ..own }, Template::BuiltIn).unwrap();
    assert_eq!(whole.body, "All mine");
    assert!(matches!(
        draft(&PullRequest::default(), &Wording::default(), Template::BuiltIn),
        Err(PullRequestError::NoCommits)
    ));
}

#[test]
fn a_template_of_the_user_sees_everything() {
    let template = "# {{ title|upper }}\n{% for commit in commits if commit.added > 9 %}* {{ commit.title }}\n{% endfor %}{{ tasks|map(attribute='id')|join(', ') }}";
    let body = draft(&request(), &Wording::default(), Template::User(template)).unwrap().body;
    assert_eq!(
        body,
        "# FEAT(LEDGER): ADD LEDGER (+3 MORE)\n* style: format a.rs\n* feat(ledger): add open_ledger\n* feat(ledger): add Ledger\nT12\n"
    );
}

#[test]
fn a_template_can_do_no_harm() {
    let big = format!("{{% for a in commits %}}{}{{% endfor %}}", "x".repeat(250 << 10));
    let bigger = format!(
        "{{% for a in commits %}}{{% for b in commits %}}{}{{% endfor %}}{{% endfor %}}",
        "x".repeat(250 << 10)
    );
    assert!(draft(&request(), &Wording::default(), Template::User(&big)).is_ok());
    let cases = [
        ("{% include '/etc/passwd' %}", ""),
        ("{% import 'x' as y %}", ""),
        ("{{ '%999999999d'|format(1) }}", "format"),
        ("{{ 'x'|indent(999999999) }}", "indent"),
        ("{{ 'x'|center(999999999) }}", "center"),
        ("{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}", "range"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", ""),
        ("{% for a in 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' * 99999 %}{{ a }}{% endfor %}", ""),
        ("{% if %}", ""),
        (&bigger, "longer than 1 MiB"),
    ];
    for (template, reason) in cases {
        let shown: String = template.chars().take(60).collect();
        let error = draft(&request(), &Wording::default(), Template::User(template)).expect_err(&shown);
        assert!(error.to_string().contains(reason), "{shown}: {error}");
    }
    let error = draft(&request(), &Wording::default(), Template::User("fine\n{{ oops( }}")).unwrap_err();
    assert!(error.to_string().starts_with("line 2 of the template: "), "{error}");
}

#[test]
fn a_form_is_filled_under_its_own_headings() {
    let form = "<!-- # Description of what to do -->\n# What does this change?\n\n<!-- say it -->\n\n### How was it tested?\n\n- [ ] I ran the tests\n\n**Screenshots**\n";
    let body = draft(&request(), &Wording::default(), Template::Form(form)).unwrap().body;
    let place = |text: &str| body.find(text).unwrap_or_else(|| unreachable!("no {text} in {body}"));
    let order = [
        "# What does this change?",
        "- **New**",
        "<!-- say it -->",
        "### How was it tested?",
        "- cargo test -p ledger",
        "- [ ] I ran the tests",
        "**Screenshots**",
        "## Contract changes",
        "## Commits",
        "## Tasks",
    ];
    let places: Vec<usize> = order.iter().map(|text| place(text)).collect();
    assert!(places.is_sorted(), "{places:?} in {body}");
    assert_eq!(body.matches("## Summary").count(), 0);
}
