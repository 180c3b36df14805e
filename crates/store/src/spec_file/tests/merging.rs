//! Branches that come together.

use super::*;
use crate::spec_file::Labels;
use crate::spec_file::merge::{Merged, merge};

const LABELS: Labels<'_> = Labels { ours: "main", theirs: "topic" };

fn edited(text: &str, edits: &[Edit]) -> String {
    apply(text, edits).unwrap().0
}

fn create(id: &str) -> Edit {
    Edit::Create(Box::new(made(id)))
}

fn finished(id: &str, by: &str) -> Edit {
    let at = Some("2026-01-01T00:00:00Z".to_owned());
    set(
        id,
        vec![
            Field::Status(Status::Done),
            Field::CompletedBy(Some(by.into())),
            Field::CompletedAt(at.clone()),
            Field::UpdatedAt(at),
        ],
    )
}

fn clean(ours: &[Edit], theirs: &[Edit]) -> Spec {
    let (ours, theirs) = (edited(FILE, ours), edited(FILE, theirs));
    let Merged { text, conflicts } = merge(FILE, &ours, &theirs, &LABELS);
    assert_eq!(conflicts, 0, "{text}");
    assert!(text.contains("# say hello") && text.contains("owner: nobody   # unknown key"), "{text}");
    read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn task<'s>(spec: &'s Spec, id: &str) -> &'s Definition {
    spec.tasks.iter().find(|task| task.id == id).unwrap()
}

#[test]
fn two_branches_that_each_add_a_task_merge() {
    let spec = clean(&[create("T11")], &[create("T12"), create("T13")]);
    let ids: Vec<_> = spec.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["T1", "T2", "T10", "T11", "T12", "T13"]);
}

#[test]
fn two_branches_that_each_finish_a_task_merge() {
    let spec = clean(&[finished("T1", "A1")], &[finished("T10", "A2"), create("T11")]);
    assert_eq!(task(&spec, "T1").completed_by.as_deref(), Some("A1"));
    assert_eq!(task(&spec, "T10").completed_by.as_deref(), Some("A2"));
}

#[test]
fn the_same_task_changed_in_different_fields_merges() {
    let spec = clean(
        &[finished("T1", "A1"), set("T1", vec![Field::Labels(vec!["a".into(), "b".into(), "x".into()])])],
        &[set("T1", vec![Field::Title("Better".into()), Field::Labels(vec!["b".into(), "y".into()])])],
    );
    let first = task(&spec, "T1");
    assert_eq!((first.title.as_str(), first.status), ("Better", Status::Done));
    assert_eq!(first.labels, ["b", "x", "y"]);
}

#[test]
fn who_is_further_wins() {
    let verified = set("T1", vec![Field::Status(Status::Verified), Field::VerifiedBy(Some("A3".into()))]);
    let spec = clean(&[finished("T1", "A1")], &[finished("T1", "A2"), verified]);
    let first = task(&spec, "T1");
    assert_eq!((first.status, first.verified_by.as_deref()), (Status::Verified, Some("A3")));
}

#[test]
fn a_task_taken_out_on_one_side_goes() {
    let spec = clean(&[create("T11")], &[Edit::Remove { id: "T2".into() }]);
    assert!(!spec.tasks.iter().any(|task| task.id == "T2"));
    let spec = clean(&[Edit::Remove { id: "T2".into() }], &[create("T11")]);
    assert!(!spec.tasks.iter().any(|task| task.id == "T2"));
}

#[test]
fn a_real_conflict_leaves_markers_around_that_task_alone() {
    let ours = edited(FILE, &[set("T1", vec![Field::Title("Mine".into())]), finished("T10", "A1")]);
    let theirs = edited(FILE, &[set("T1", vec![Field::Title("Theirs".into())]), create("T11")]);
    let merged = merge(FILE, &ours, &theirs, &LABELS);
    assert_eq!(merged.conflicts, 1);
    assert!(merged.text.contains("<<<<<<< main\n    title: 'Mine'   # say hello\n=======\n    title: 'Theirs'   # say hello\n>>>>>>> topic\n"), "{}", merged.text);
    assert!(merged.text.contains("completed_by: A1") && merged.text.contains("  T11:"));
    assert_eq!(read(&merged.text).unwrap_err().code(), "spec_conflict_markers");
}

#[test]
fn only_what_contradicts_is_marked() {
    let at = |hour: u8| Field::UpdatedAt(Some(format!("2026-01-01T{hour:02}:00:00Z")));
    let base = edited(FILE, &[set("T1", vec![at(1)])]);
    let labels = |word: &str| Field::Labels(vec!["b".into(), word.into()]);
    let ours = edited(&base, &[set("T1", vec![Field::Title("Mine".into()), labels("x"), at(2)])]);
    let done =
        set("T1", vec![Field::Title("Theirs".into()), labels("y"), Field::Status(Status::Done), at(3)]);
    let theirs = edited(&base, &[done]);
    for (left, right, last) in [(&ours, &theirs, "Theirs"), (&theirs, &ours, "Mine")] {
        let merged = merge(&base, left, right, &LABELS);
        assert_eq!(merged.conflicts, 1, "{}", merged.text);
        let start = merged.text.find("<<<<<<< main\n").unwrap();
        let middle = merged.text.find("=======\n").unwrap();
        let end = merged.text.find(">>>>>>> topic\n").unwrap();
        assert!(merged.text[middle..end].contains(last), "{}", merged.text);
        // With either answer it is a file that says all the rest.
        for kept in [start + 13..middle, middle + 8..end] {
            let text = format!("{}{}{}", &merged.text[..start], &merged.text[kept], &merged.text[end + 14..]);
            let spec = read(&text).unwrap();
            let first = task(&spec, "T1");
            assert_eq!(first.status, Status::Done, "{text}");
            assert!(
                ["b", "x", "y"].iter().all(|label| first.labels.iter().any(|one| one == label)),
                "{text}"
            );
            assert_eq!(first.updated_at.as_deref(), Some("2026-01-01T03:00:00Z"));
        }
    }
}

#[test]
fn the_same_new_id_with_different_contents_is_a_conflict() {
    let other = Definition { title: "Other".into(), ..made("T11") };
    let (ours, theirs) = (edited(FILE, &[create("T11")]), edited(FILE, &[Edit::Create(Box::new(other))]));
    assert_eq!(merge(FILE, &ours, &theirs, &LABELS).conflicts, 1);
    assert_eq!(merge(FILE, &ours, &ours, &LABELS).conflicts, 0);
}

#[test]
fn the_parts_around_the_tasks_merge_as_lines() {
    let ours = FILE.replace("name: shop", "name: store");
    let theirs = FILE.replace("custom: &keep {x: 1}", "custom: &keep {x: 2}");
    let merged = merge(FILE, &ours, &theirs, &LABELS);
    assert_eq!(merged.conflicts, 0);
    assert!(merged.text.contains("name: store") && merged.text.contains("{x: 2}"));
}

#[test]
fn files_that_cannot_be_read_merge_as_text() {
    let merged = merge("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\nd: [\n", &LABELS);
    assert!(
        merged.text.starts_with("a\n<<<<<<< main\nB\nc\n=======\nb\nC\nd: [\n>>>>>>> topic\n")
            || merged.text.contains('B'),
        "{}",
        merged.text
    );
    let merged = merge("", "tasks:\n  A:\n    title: a\n", "tasks:\n  B:\n    title: b\n", &LABELS);
    assert!(merged.conflicts <= 1, "{}", merged.text);
}

#[test]
fn both_sides_may_begin_the_list() {
    let base = "project:\n  name: x\n";
    let merged = merge(base, &edited(base, &[create("A")]), &edited(base, &[create("B")]), &LABELS);
    assert_eq!(merged.conflicts, 0, "{}", merged.text);
    assert_eq!(read(&merged.text).unwrap().tasks.len(), 2, "{}", merged.text);
}

proptest! {
    #[test]
    fn disjoint_work_always_merges(ours in proptest::collection::btree_set(0..6_usize, 0..4), added in 0..3_usize, others in 0..3_usize) {
        let mut base = String::from("tasks:\n");
        for index in 0..6 {
            base = format!("{base}  # about {index}\n  T{index}:\n    title: t{index}\n    status: ready\n");
        }
        let mut mine: Vec<Edit> = ours.iter().map(|index| finished(&format!("T{index}"), "A1")).collect();
        mine.extend((0..added).map(|index| create(&format!("M{index}"))));
        let mut theirs: Vec<Edit> = (0..6).filter(|index| !ours.contains(index)).map(|index| finished(&format!("T{index}"), "A2")).collect();
        theirs.extend((0..others).map(|index| create(&format!("O{index}"))));
        let merged = merge(&base, &edited(&base, &mine), &edited(&base, &theirs), &LABELS);
        prop_assert_eq!(merged.conflicts, 0, "{}", merged.text);
        let spec = read(&merged.text).unwrap();
        prop_assert_eq!(spec.tasks.len(), 6 + added + others);
        prop_assert!(spec.tasks.iter().take(6).all(|task| task.status == Status::Done || !task.id.starts_with('T')));
        for index in 0..6 {
            let by = if ours.contains(&index) { "A1" } else { "A2" };
            prop_assert_eq!(task(&spec, &format!("T{index}")).completed_by.as_deref(), Some(by));
        }
    }

    #[test]
    fn lines_that_one_side_changed_are_taken(base in "[ab\n]{0,12}", other in "[ab\n]{0,12}") {
        prop_assert_eq!(merge(&base, &base, &other, &LABELS).text, other.clone());
        prop_assert_eq!(merge(&base, &other, &base, &LABELS).text, other.clone());
        prop_assert_eq!(merge(&base, &other, &other, &LABELS).text, other);
    }
}
