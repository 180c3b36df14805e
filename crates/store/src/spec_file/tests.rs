//! The file as people and the original write it: what is read, what a change leaves alone, and what is refused.

use std::path::Path;

use proptest::prelude::*;

use super::*;

mod errors;
mod merging;
mod properties;

const FILE: &str = "\
# The plan of the shop
project:
  name: shop   # short
  default_branch: main
  conventions: {style: tidy}

tasks:
  # first things first
  T1:
    title: 'It''s a start'   # say hello
    description: |
      Two lines,
      one text.

    acceptance_criteria:
      - works   # really
      - \"is tested: yes\"
    depends_on: []
    labels: [a, b]
    priority: 5
    status: ready
    owner: nobody   # unknown key
  T2: {title: In one line, status: done, depends_on: [T1], completed_at: 2025-12-28 10:00:00.123456+00:00}

  T10:
    title: 登录
    prd:
      source: PRD.md
      refs:
      - anchor: login
        lines: [3, 9]
      - {anchor: cart, lines: null}
      excerpt: null
      prd_hash: abc
# the end
features:
  core: [T1, T2]
custom: &keep {x: 1}
";

fn set(id: &str, fields: Vec<Field>) -> Edit {
    Edit::Set { id: id.to_owned(), fields }
}

fn after(edits: &[Edit]) -> String {
    apply(FILE, edits).unwrap_or_else(|error| panic!("{error}")).0
}

fn made(id: &str) -> Definition {
    Definition {
        id: id.to_owned(),
        title: "New".to_owned(),
        priority: 100,
        status: Status::Ready,
        ..Definition::default()
    }
}

/// The lines that are in only one of the two.
fn differing(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let lines = |text: &str, other: &str| {
        let other: Vec<&str> = other.lines().collect();
        text.lines().filter(|line| !other.contains(line)).map(str::to_owned).collect()
    };
    (lines(before, after), lines(after, before))
}

#[test]
fn every_field_is_read() {
    let spec = read(FILE).unwrap();
    assert_eq!(spec.project, Project { name: "shop".to_owned(), default_branch: "main".to_owned() });
    assert_eq!(spec.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ["T1", "T2", "T10"]);
    let first = &spec.tasks[0];
    assert_eq!(first.title, "It's a start");
    assert_eq!(first.description, "Two lines,\none text.\n");
    assert_eq!(first.acceptance_criteria, ["works", "is tested: yes"]);
    assert_eq!((first.priority, first.status), (5, Status::Ready));
    let second = &spec.tasks[1];
    assert_eq!((second.priority, second.status), (100, Status::Done));
    assert_eq!(second.completed_at.as_deref(), Some("2025-12-28T10:00:00.123456Z"));
    let third = &spec.tasks[2];
    assert_eq!(third.title, "登录");
    assert_eq!(third.status, Status::Todo);
    let prd = third.prd.as_ref().unwrap();
    assert_eq!((prd.refs[0].lines, prd.refs[1].lines), (Some((3, 9)), None));
    assert_eq!(spec.features, [("core".to_owned(), vec!["T1".to_owned(), "T2".to_owned()])]);
    assert!(spec.problems.is_empty());
}

#[test]
fn a_change_of_status_changes_one_line() {
    let (gone, new) = differing(FILE, &after(&[set("T1", vec![Field::Status(Status::Done)])]));
    assert_eq!(gone, ["    status: ready"]);
    assert_eq!(new, ["    status: done"]);
}

#[test]
fn a_missing_key_is_added_after_the_last_one() {
    let changed = after(&[set(
        "T1",
        vec![
            Field::CompletedBy(Some("A1B2".into())),
            Field::CompletedAt(Some("2026-01-01T00:00:00Z".into())),
        ],
    )]);
    assert!(changed.contains(
        "    owner: nobody   # unknown key\n    completed_by: A1B2\n    completed_at: '2026-01-01T00:00:00Z'\n  T2:"
    ));
}

#[test]
fn a_task_in_one_line_stays_in_one_line() {
    let changed =
        after(&[set("T2", vec![Field::Status(Status::Verified), Field::VerifiedBy(Some("A, b".into()))])]);
    assert!(changed.contains("T2: {title: In one line, status: verified, depends_on: [T1], completed_at: 2025-12-28 10:00:00.123456+00:00, verified_by: 'A, b'}\n"), "{changed}");
}

#[test]
fn one_item_of_a_list_comes_and_goes_without_the_comments_of_others() {
    let changed =
        after(&[set("T1", vec![Field::AcceptanceCriteria(vec!["works".into(), "is quick".into()])])]);
    assert!(changed.contains("      - works   # really\n      - is quick\n    depends_on"), "{changed}");
    let changed = after(&[set("T1", vec![Field::Labels(vec!["x".into()])])]);
    assert!(changed.contains("    labels:") && read(&changed).unwrap().tasks[0].labels == ["x"], "{changed}");
}

#[test]
fn a_value_of_several_lines_is_replaced_whole() {
    let changed = after(&[set("T1", vec![Field::Description("short".into())])]);
    assert!(changed.contains("    description: short\n"), "{changed}");
    let changed = after(&[set("T1", vec![Field::Description("a\n\nb: c\n  d".into())])]);
    assert!(changed.contains("    description: |-\n      a\n\n      b: c\n        d\n"), "{changed}");
}

#[test]
fn a_key_can_be_taken_away() {
    let changed = after(&[set("T2", vec![Field::CompletedAt(None)])]);
    assert!(changed.contains("depends_on: [T1]}\n"), "{changed}");
    let changed = after(&[set("T10", vec![Field::Prd(None)])]);
    assert!(changed.contains("    title: 登录\n# the end\n"), "{changed}");
}

#[test]
fn a_new_task_follows_the_last_one() {
    let changed = after(&[Edit::Create(Box::new(made("T11")))]);
    let (gone, _) = differing(FILE, &changed);
    assert!(gone.is_empty());
    assert!(
        changed.contains("      prd_hash: abc\n  T11:\n    title: New\n    description: ''\n"),
        "{changed}"
    );
    assert!(changed.ends_with("# the end\nfeatures:\n  core: [T1, T2]\ncustom: &keep {x: 1}\n"));
}

#[test]
fn a_task_is_added_to_every_shape_of_file() {
    let shapes = [
        "",
        "# nothing yet\n",
        "project:\n  name: x\n",
        "project:\n  name: x",
        "tasks:\n",
        "tasks: {}\n",
        "tasks: {}   # none\nproject:\n  name: x\n",
        "tasks: ~\n",
        "tasks:\n# a comment\nfeatures: {}\n",
        "---\nproject: {name: x}\n...\n",
        "{}",
        "{\"project\": {\"name\": \"x\"}}\n",
        "{\"tasks\": {\"A\": {\"title\": \"a\"}}}\n",
        "{\"tasks\": {}}\n",
        "tasks: {A: {title: a}}\n",
        "tasks:\n    A:\n        title: a",
        "tasks:\n    A:\n        title: |+\n            a\n\n",
        "tasks:\r\n  A:\r\n    title: a\r\n",
        "tasks:\n  A: {title: a, }\n",
    ];
    for shape in shapes {
        let task = Definition { labels: vec!["l, 1".into()], description: "a\nb".into(), ..made("B") };
        let (changed, spec) = apply(shape, &[Edit::Create(Box::new(task.clone()))])
            .unwrap_or_else(|error| panic!("{shape:?}: {error}"));
        assert_eq!(spec.tasks.last(), Some(&task), "{shape:?} became {changed:?}");
        let (twice, spec) = apply(&changed, &[Edit::Create(Box::new(made("C")))]).unwrap();
        assert_eq!(spec.tasks.last().map(|task| task.id.as_str()), Some("C"), "{twice:?}");
        let (back, _) = apply(&twice, &[Edit::Remove { id: "C".into() }]).unwrap();
        assert_eq!(back, changed, "taken out again from {twice:?}");
        if shape.contains("\r\n") {
            assert!(!changed.replace("\r\n", "").contains('\n'), "{changed:?}");
        }
    }
}

#[test]
fn json_stays_json() {
    let text = "{\"tasks\": {\"A\": {\"title\": \"a\", \"status\": \"ready\", \"labels\": [\"x\"]}}}";
    let edits = [
        set(
            "A",
            vec![
                Field::Status(Status::Done),
                Field::CompletedBy(Some("é\u{7}".into())),
                Field::Labels(vec!["y".into()]),
            ],
        ),
        Edit::Create(Box::new(made("B"))),
    ];
    let (changed, _) = apply(text, &edits).unwrap();
    let value: serde_json::Value =
        serde_json::from_str(&changed).unwrap_or_else(|error| panic!("{error}: {changed}"));
    assert_eq!(value["tasks"]["A"]["completed_by"], "é\u{7}");
    assert_eq!(value["tasks"]["B"]["title"], "New");
}

#[test]
fn clearing_empties_tasks_and_features_and_keeps_the_rest() {
    let changed = after(&[Edit::Clear]);
    let spec = read(&changed).unwrap();
    assert!(spec.tasks.is_empty() && spec.features.is_empty());
    assert!(
        changed.contains("name: shop   # short") && changed.ends_with("custom: &keep {x: 1}\n"),
        "{changed}"
    );
    let changed = after(&[Edit::Clear, Edit::Create(Box::new(made("T1")))]);
    assert_eq!(read(&changed).unwrap().tasks, [made("T1")]);
}

#[test]
fn edits_of_one_task_are_one_edit() {
    let changed = after(&[
        set("T1", vec![Field::Status(Status::Done)]),
        set("T1", vec![Field::Status(Status::Verified), Field::Priority(1)]),
    ]);
    let spec = read(&changed).unwrap();
    assert_eq!((spec.tasks[0].status, spec.tasks[0].priority), (Status::Verified, 1));
}

#[test]
fn what_an_anchor_shares_is_not_changed_behind_somebodys_back() {
    let text = "tasks:\n  A:\n    title: a\n    status: &s ready\n  B:\n    title: b\n    status: *s\n";
    let error = apply(text, &[set("A", vec![Field::Status(Status::Done)])]).unwrap_err();
    assert_eq!(error.code(), "spec_not_spliceable");
    let (changed, spec) = apply(text, &[set("B", vec![Field::Status(Status::Done)])]).unwrap();
    assert_eq!((spec.tasks[0].status, spec.tasks[1].status), (Status::Ready, Status::Done), "{changed}");
}

#[test]
fn a_merge_key_gives_what_a_task_does_not_say() {
    let text = "base: &base {priority: 7, status: ready}\ntasks:\n  A:\n    <<: *base\n    title: a\n    status: done\n";
    let spec = read(text).unwrap();
    assert_eq!((spec.tasks[0].priority, spec.tasks[0].status), (7, Status::Done));
}

#[test]
fn what_stands_twice_is_reported_and_the_later_counts() {
    let text = "tasks:\n  A:\n    title: one\n    title: two\n  B:\n    title: b\n  A:\n    title: three\n";
    let spec = read(text).unwrap();
    assert_eq!(spec.tasks.iter().map(|task| task.title.as_str()).collect::<Vec<_>>(), ["b", "three"]);
    assert_eq!(spec.problems.len(), 2, "{:?}", spec.problems);
    assert!(spec.problems.iter().any(|problem| (problem.line, problem.column) == (2, 3)));
    let (changed, _) = apply(text, &[set("A", vec![Field::Title("four".into())])]).unwrap();
    assert!(changed.ends_with("  A:\n    title: four\n"), "{changed}");
}

fn folder(text: &str) -> (tempfile::TempDir, SpecFile) {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("spec.yaml"), text).unwrap();
    let file = SpecFile::new(folder.path());
    (folder, file)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_change_of_the_file_is_whole_and_leaves_nothing_behind() {
    let (folder, file) = folder(&format!("\u{feff}{FILE}"));
    fs_err::write(folder.path().join("spec-dead.tmp.lock"), "half").unwrap();
    let before = file.read().unwrap();
    let after = file
        .change::<SpecError>(|loaded| {
            assert_eq!(loaded.hash, before.hash);
            Ok(vec![set("T1", vec![Field::Status(Status::Done)])])
        })
        .unwrap();
    let now = file.read().unwrap();
    assert_eq!((&now.hash, &now.stat, now.spec.tasks[0].status), (&after.hash, &after.stat, Status::Done));
    assert!(now.text.starts_with("\u{feff}# The plan"));
    assert_eq!(names(folder.path()), ["spec.lock", "spec.yaml"]);
}

/// An editor takes no lock: between our reading and our writing it may save, or the file may be taken away.
#[test]
fn what_an_editor_does_meanwhile_is_not_written_over() {
    let (folder, file) = folder(FILE);
    let path = folder.path().join("spec.yaml");
    let mut times = 0;
    let done = file.change::<SpecError>(|_| {
        times += 1;
        if times == 1 {
            fs_err::write(&path, FILE.replace("name: shop", "name: market")).unwrap();
        }
        Ok(vec![set("T1", vec![Field::Status(Status::Done)])])
    });
    done.unwrap();
    let text = fs_err::read_to_string(&path).unwrap();
    assert_eq!(times, 2);
    assert!(text.contains("name: market") && text.contains("status: done\n    owner"), "{text}");

    let gone = file.change::<SpecError>(|_| {
        fs_err::remove_file(&path).unwrap();
        Ok(vec![set("T1", vec![Field::Status(Status::Verified)])])
    });
    assert!(matches!(gone, Err(SpecError::Missing { .. })), "{gone:?}");
    assert!(!path.exists(), "put back what was taken away");
    assert_eq!(names(folder.path()), ["spec.lock"]);
}

#[test]
fn nothing_is_written_without_an_edit() {
    let (_folder, file) = folder(FILE);
    let before = file.stat().unwrap();
    file.change::<SpecError>(|_| Ok(Vec::new())).unwrap();
    assert_eq!(file.stat().unwrap(), before);
}

#[test]
fn writers_in_turn_lose_nothing() {
    let (_folder, file) = folder("tasks: {}\n");
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let file = file.clone();
            std::thread::spawn(move || {
                for count in 0..4 {
                    let id = format!("T{thread}-{count}");
                    file.change::<SpecError>(|_| Ok(vec![Edit::Create(Box::new(made(&id)))])).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(file.read().unwrap().spec.tasks.len(), 32);
}

#[cfg(unix)]
#[test]
fn the_mode_stays_and_a_link_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, file) = folder(FILE);
    let path = folder.path().join("spec.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    file.change::<SpecError>(|_| Ok(vec![set("T1", vec![Field::Priority(1)])])).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    fs_err::rename(&path, folder.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", &path).unwrap();
    assert!(matches!(file.read(), Err(SpecError::NotAFile { .. })));
}

/// Other systems have neither modes nor links that anybody may make.
#[cfg(not(unix))]
#[test]
fn a_folder_in_the_place_of_the_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("spec.yaml")).unwrap();
    assert!(matches!(SpecFile::new(folder.path()).read(), Err(SpecError::NotAFile { .. })));
}
