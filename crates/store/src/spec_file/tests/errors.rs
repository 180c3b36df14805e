//! Every broken file is an error with its place.

use super::*;

fn error(text: &str) -> SpecError {
    read(text).unwrap_err()
}

fn words(text: &str) -> (&'static str, String) {
    let error = error(text);
    (error.code(), error.to_string())
}

#[test]
fn broken_yaml_has_a_line_and_a_column() {
    let (code, message) = words("tasks:\n  A:\n    title: [a\n  B: x\n");
    assert_eq!(code, "spec_malformed");
    assert!(message.starts_with("spec.yaml:"), "{message}");
    let SpecError::Malformed { place, .. } = error("project:\n  name: x\n tasks: y\n") else { panic!() };
    assert_eq!(place.line, 3);
}

#[test]
fn a_few_lines_of_aliases_do_not_take_all_memory() {
    let list = |anchor: char, item: &str| format!("{anchor}: &{anchor} [{}]\n", [item; 9].join(", "));
    let bomb: String =
        ('b'..='k').zip('a'..).map(|(anchor, last)| list(anchor, &format!("*{last}"))).collect();
    let SpecError::Malformed { place, problem } = error(&(list('a', "x") + &bomb + "tasks: {}\n")) else {
        panic!()
    };
    assert!((5..=10).contains(&place.line), "{place:?}");
    assert!(problem.ends_with("stand for more than a million values"), "{problem}");

    let wrapped = format!("a: {}x{}\nb: [{}]\n", "&a [".repeat(60), "]".repeat(60), ["*a"; 9].join(", "));
    assert!(read(&(wrapped + "tasks: {}\n")).is_ok());
    let shared: Vec<String> = (0..20_000).map(|at| format!("  T{at}: {{title: a, labels: *l}}\n")).collect();
    let shared = format!("l: &l [one, two, three]\ntasks:\n{}", shared.concat());
    assert_eq!(read(&shared).unwrap().tasks.len(), 20_000);
}

#[test]
fn conflict_markers_are_named_as_such() {
    let text = "tasks:\n  A:\n    title: a\n<<<<<<< ours\n  B:\n    title: b\n=======\n>>>>>>> theirs\n";
    assert_eq!(
        words(text),
        (
            "spec_conflict_markers",
            "spec.yaml:4:1: conflict markers of a merge are still in the file".to_owned()
        )
    );
}

#[test]
fn a_wrong_type_names_task_and_key() {
    let cases = [
        (
            "    priority: high\n",
            "spec.yaml:4:15: `priority` of task `A` is `high`, where a whole number belongs",
        ),
        ("    labels: 5\n", "spec.yaml:4:13: `labels` of task `A` is `5`, where a list of texts belongs"),
        (
            "    depends_on: [[x]]\n",
            "spec.yaml:4:18: `depends_on` of task `A` is a list, where a text belongs",
        ),
        (
            "    description: {a: 1}\n",
            "spec.yaml:4:18: `description` of task `A` is a mapping, where a text belongs",
        ),
        (
            "    prd: {refs: []}\n",
            "spec.yaml:4:10: `prd.source` of task `A` is a mapping, where a path belongs",
        ),
        (
            "    prd: {source: a, refs: [{anchor: x, lines: [1]}]}\n",
            "spec.yaml:4:48: `prd.refs.lines` of task `A` is a list, where a pair of line numbers belongs",
        ),
        (
            "    created_at: banana\n",
            "spec.yaml:4:17: `created_at` of task `A` is `banana`, where a moment such as 2025-12-28T10:00:00+00:00 belongs",
        ),
    ];
    for (line, message) in cases {
        assert_eq!(
            words(&format!("tasks:\n  A:\n    title: a\n{line}")),
            ("spec_wrong_type", message.to_owned())
        );
    }
}

#[test]
fn the_shape_of_the_file_is_checked() {
    assert_eq!(
        words("tasks:\n- title: a\n").1,
        "spec.yaml:2:3: `tasks` is a list, where a mapping from id to task belongs"
    );
    assert_eq!(words("- a\n").0, "spec_malformed");
    assert_eq!(
        words("project: x\n").1,
        "spec.yaml:1:10: `project` is a single value, where a mapping belongs"
    );
    assert_eq!(words("tasks:\n  A: x\n").0, "spec_wrong_type");
    assert_eq!(words("tasks:\n  A:\n    status: ready\n").1, "spec.yaml:2:3: task `A` has no title");
    assert_eq!(words("tasks:\n  '':\n    title: a\n").0, "spec_empty_id");
    assert_eq!(words("a: 1\n---\nb: 2\n").0, "spec_malformed");
}

#[test]
fn an_unknown_status_names_its_task() {
    assert_eq!(
        words("tasks:\n  A:\n    title: a\n    status: finished\n"),
        ("spec_unknown_status", "spec.yaml:4:13: task `A` has the unknown status `finished`".to_owned())
    );
}

#[test]
fn a_bomb_is_refused_and_not_blown_up() {
    assert_eq!(words(&"[".repeat(20_000)).0, "spec_malformed");
    assert_eq!(words(&format!("x: {}", "[".repeat(2_000))).0, "spec_malformed");
}

#[test]
fn a_file_that_is_not_utf8_has_a_place() {
    let (folder, file) = folder("");
    fs_err::write(folder.path().join("spec.yaml"), b"tasks:\n  A: \xff\n").unwrap();
    let SpecError::NotUtf8 { place } = file.read().unwrap_err() else { panic!() };
    assert_eq!((place.line, place.column), (2, 6));
}

#[test]
fn a_missing_file_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(SpecFile::new(folder.path()).read().unwrap_err().code(), "spec_missing");
    assert!(SpecFile::new(folder.path()).stat().unwrap().is_none());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(tasks:|  A:|    title: |[\\[\\]{}:,&*!|>'\"%@`#\\- \n\tа-яa-c]){0,30}") {
        let _ = read(&text);
        let _ = apply(&text, &[Edit::Create(Box::new(made("Z")))]);
    }
}
