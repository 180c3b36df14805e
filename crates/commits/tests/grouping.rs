//! What holds of every grouping, plan, edit and history, whatever the changes are.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use becket_commits::{
    Breaking, Change, Companion, Edit, EditError, Evidence, Grouping, History, HunkId, Plan, PlannedCommit,
    Stage, Touched, Unit, embedding_text, group, plan, units,
};
use becket_diff::{Entry, FileChange, FilePath, parse};
use proptest::prelude::*;

/// A tree of small files whose hunks are made of a few words, so that some have much in common.
fn trees() -> impl Strategy<Value = Vec<FileChange>> {
    let word = prop::sample::select(vec![
        "alpha",
        "beta_gamma",
        "fn open()",
        "Delta",
        "  return",
        "x = y",
        "# note",
        "refer to context 7",
    ]);
    let hunk = prop::collection::vec((any::<bool>(), word), 1..5);
    let file = (0..6_usize, prop::collection::vec(hunk, 1..5));
    prop::collection::btree_map(0..8_u8, file, 1..7).prop_map(|files| {
        let mut patch = String::new();
        for (number, (kind, hunks)) in files {
            let path =
                format!("{}/f{number}.{}", ["src", "tests", "docs"][kind % 3], ["rs", "py", "md"][kind % 3]);
            write!(
                patch,
                "diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n"
            )
            .unwrap();
            for (place, lines) in hunks.iter().enumerate() {
                let removed = lines.iter().filter(|(added, _)| !added).count();
                let start = place * 20 + 5;
                writeln!(
                    patch,
                    "@@ -{start},{removed} +{start},{} @@ fn around{place}() {{",
                    lines.len() - removed
                )
                .unwrap();
                for (added, word) in lines {
                    writeln!(patch, "{}{word}", if *added { '+' } else { '-' }).unwrap();
                }
            }
        }
        files_of(&patch)
    })
}

fn files_of(patch: &str) -> Vec<FileChange> {
    let entries = parse(patch.as_bytes()).unwrap();
    entries
        .into_iter()
        .map(|entry| if let Entry::File(file) = entry { file } else { panic!("a file") })
        .collect()
}

fn changes(files: &[FileChange]) -> Vec<Change<'_>> {
    files.iter().map(|file| Change { id: "change-1", stage: Stage::Unstaged, file }).collect()
}

fn nothing_known(history: &History) -> Evidence<'_> {
    Evidence::of(history)
}

/// The same for plans, which ask no history.
fn nothing() -> Evidence<'static> {
    static NONE: std::sync::LazyLock<History> = std::sync::LazyLock::new(History::default);
    Evidence::of(&NONE)
}

fn planned(files: &[FileChange]) -> (Vec<Unit>, Plan) {
    let changes = changes(files);
    let units = units(&changes);
    let history = History::default();
    let evidence = nothing_known(&history);
    let grouping = group(&changes, &units, &evidence);
    let plan = plan(&changes, &units, &evidence, &grouping);
    (units, plan)
}

fn sorted<'a>(hunks: impl Iterator<Item = &'a HunkId>) -> Vec<&'a HunkId> {
    let mut hunks: Vec<&HunkId> = hunks.collect();
    hunks.sort();
    hunks
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_hunk_is_in_exactly_one_group_and_one_commit(files in trees()) {
        let changes = changes(&files);
        let units = units(&changes);
        let history = History::default();
        let evidence = nothing_known(&history);
        let grouping = group(&changes, &units, &evidence);
        let all = sorted(units.iter().map(|unit| &unit.id));
        prop_assert_eq!(sorted(grouping.groups.iter().flat_map(|group| &group.hunks)), all.clone());
        let plan = plan(&changes, &units, &evidence, &grouping);
        prop_assert_eq!(sorted(plan.commits.iter().flat_map(|commit| &commit.hunks)), all);
        for (place, commit) in plan.commits.iter().enumerate() {
            prop_assert!(!commit.title.is_empty() && !commit.title.contains('\n') && commit.title.chars().count() <= 72);
            let earlier: BTreeSet<&String> = plan.commits[..place].iter().map(|commit| &commit.id).collect();
            prop_assert!(commit.depends_on.iter().all(|id| earlier.contains(id)));
        }
        for group in &grouping.groups {
            prop_assert!((0.0..=1.0).contains(&group.confidence));
            prop_assert!(group.reasons.iter().all(|reason| (0.0..=1.0).contains(&reason.weight) && !reason.text.is_empty()));
        }
    }

    #[test]
    fn the_same_changes_give_the_same_plan(files in trees()) {
        let (_, first) = planned(&files);
        let (_, second) = planned(&files);
        let text = serde_json::to_string(&first).unwrap();
        prop_assert_eq!(&text, &serde_json::to_string(&second).unwrap());
        prop_assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), first);
    }

    #[test]
    fn ids_do_not_depend_on_positions(files in trees(), shift in 1..500_usize) {
        let mut moved = files.clone();
        for file in &mut moved {
            if let becket_diff::Content::Text(hunks) = &mut file.content {
                for hunk in hunks {
                    hunk.old.start += shift;
                    hunk.new.start += shift * 2;
                }
            }
        }
        let ids = |files: &[FileChange]| -> Vec<HunkId> { units(&changes(files)).into_iter().map(|unit| unit.id).collect() };
        prop_assert_eq!(ids(&files), ids(&moved));
    }

    #[test]
    fn edits_keep_every_hunk_or_are_refused(files in trees(), picks in prop::collection::vec((0..4_u8, any::<u16>(), any::<u16>()), 1..6)) {
        let (units, plan) = planned(&files);
        let changes = changes(&files);
        let commit = |plan: &Plan, pick: u16| plan.commits[usize::from(pick) % plan.commits.len()].id.clone();
        let mut current = plan;
        for (kind, one, other) in picks {
            let hunk = units[usize::from(one) % units.len()].id.clone();
            let edit = match kind {
                0 => Edit::Move { hunks: vec![hunk], to: commit(&current, other) },
                1 => Edit::Merge { commits: vec![commit(&current, one), commit(&current, other)] },
                2 => Edit::Split { commit: commit(&current, other), hunks: vec![hunk] },
                _ => Edit::Retitle { commit: commit(&current, one), title: "own words".to_owned() },
            };
            if let Ok(edited) = current.edited(&changes, &units, &nothing(), &[edit]) {
                prop_assert_eq!(
                    sorted(edited.commits.iter().flat_map(|commit| &commit.hunks)),
                    sorted(units.iter().map(|unit| &unit.id))
                );
                prop_assert!(edited.commits.iter().all(|commit| !commit.hunks.is_empty()));
                let ids: BTreeSet<&String> = edited.commits.iter().map(|commit| &commit.id).collect();
                prop_assert_eq!(ids.len(), edited.commits.len());
                current = edited;
            }
        }
    }

    #[test]
    fn histories_are_read_back_and_broken_ones_refused(
        commits in prop::collection::vec(prop::collection::btree_set(0..9_u8, 1..5), 0..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut history = History::default();
        for paths in &commits {
            let paths: Vec<FilePath> = paths.iter().map(|path| FilePath::new(vec![b'a' + path])).collect();
            history.absorb(&Touched { paths: &paths, patch: None });
        }
        let bytes = history.to_bytes();
        prop_assert_eq!(&History::from_bytes(&bytes).unwrap(), &history);
        prop_assert!(History::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
    }
}

const TWO_FILES: &str = "\
diff --git a/a.rs b/a.rs
index 1111111..2222222 100644
--- a/a.rs
+++ b/a.rs
@@ -5,0 +6,1 @@ fn one() {
+    first_thing();
@@ -90,0 +92,1 @@ fn two() {
+    second_thing();
diff --git a/b.rs b/b.rs
index 1111111..2222222 100644
--- a/b.rs
+++ b/b.rs
@@ -5,0 +6,1 @@ fn three() {
+    third_thing();
";

#[test]
fn own_words_win_and_stay() {
    let files = files_of(TWO_FILES);
    let (units, plan) = planned(&files);
    let changes = changes(&files);
    let first = plan.commits[0].id.clone();
    let all: Vec<HunkId> = units.iter().map(|unit| unit.id.clone()).collect();
    let edits = [
        Edit::Move { hunks: all.clone(), to: first.clone() },
        Edit::Retitle { commit: first.clone(), title: "  feat: my own  ".to_owned() },
        Edit::Describe { commit: first.clone(), body: "Because I say so.\n".to_owned() },
        Edit::Split { commit: first.clone(), hunks: vec![all[1].clone()] },
    ];
    let edited = plan.edited(&changes, &units, &nothing(), &edits).unwrap();
    assert_eq!(edited.commits.len(), 2);
    assert_eq!(edited.commits[0].message(), "feat: my own\n\nBecause I say so.\n");
    assert_eq!(edited.commits[1].title, "fix(a): correct two");
    let reversed: Vec<String> = edited.commits.iter().rev().map(|commit| commit.id.clone()).collect();
    let turned =
        edited.edited(&changes, &units, &nothing(), &[Edit::Reorder { commits: reversed.clone() }]).unwrap();
    assert_eq!(turned.commits.iter().map(|commit| commit.id.clone()).collect::<Vec<_>>(), reversed);
}

#[test]
fn edits_that_cannot_be_say_why() {
    let files = files_of(TWO_FILES);
    let (units, plan) = planned(&files);
    let changes = changes(&files);
    let id = plan.commits[0].id.clone();
    let refused = |edit: Edit| plan.edited(&changes, &units, &nothing(), &[edit]).unwrap_err();
    let retitle =
        |commit: &str, title: &str| Edit::Retitle { commit: commit.to_owned(), title: title.to_owned() };
    assert_eq!(refused(retitle("commit-99", "x")).to_string(), "Unknown commit ID: commit-99");
    assert_eq!(refused(retitle(&id, "two\nlines")), EditError::BadTitle { commit: id.clone() });
    let unknown = HunkId::new("hunk-0");
    assert_eq!(
        refused(Edit::Move { hunks: vec![unknown.clone()], to: id.clone() }),
        EditError::UnknownHunk { hunk: unknown }
    );
    assert_eq!(refused(Edit::Merge { commits: vec![id.clone(), id.clone()] }), EditError::NothingToMerge);
    assert_eq!(
        refused(Edit::Split { commit: id.clone(), hunks: plan.commits[0].hunks.clone() }),
        EditError::NothingLeft { commit: id.clone() }
    );
    assert_eq!(
        refused(Edit::Reorder { commits: vec![id.clone(), id.clone()] }),
        EditError::BadOrder { commit: id }
    );
}

/// Two matters with names of their own in two files each, and one run of lines in a fifth file that holds some of both.
fn two_matters() -> Vec<FileChange> {
    let mut patch = String::new();
    for (folder, name) in [("ledger", "open_ledger_account"), ("border", "paint_region_border")] {
        for file in ["model", "model_test"] {
            write!(
                patch,
                "diff --git a/{folder}/{file}.rs b/{folder}/{file}.rs\nindex 1111111..2222222 100644\n\
                 --- a/{folder}/{file}.rs\n+++ b/{folder}/{file}.rs\n@@ -5,0 +6,3 @@\n\
                 +pub fn {name}_{file}(value: &{name}) {{\n+    {name}(value.{name}_{file}());\n+}}\n"
            )
            .unwrap();
        }
    }
    patch.push_str(
        "diff --git a/main.rs b/main.rs\nindex 1111111..2222222 100644\n--- a/main.rs\n+++ b/main.rs\n\
         @@ -9,0 +10,6 @@\n+fn start_ledger() {\n+    open_ledger_account(open_ledger_account_model());\n+}\n\
         +fn start_border() {\n+    paint_region_border(paint_region_border_model());\n+}\n",
    );
    files_of(&patch)
}

#[test]
fn a_run_of_two_matters_is_cut_where_one_ends_and_each_piece_can_go_its_own_way() {
    let files = two_matters();
    let changes = changes(&files);
    let (all, plan) = planned(&files);
    assert_eq!(all.len(), 6, "the last run has two pieces");
    assert_eq!(becket_commits::runs(&all).last(), Some(&vec![4, 5]));
    let home = |plan: &Plan, unit: usize| {
        plan.commits.iter().position(|commit| commit.hunks.contains(&all[unit].id)).unwrap()
    };
    let commit = plan.commits[home(&plan, 5)].id.clone();
    let border = [2, 3, 5].map(|unit: usize| all[unit].id.clone()).to_vec();
    let edits =
        [Edit::Move { hunks: border.clone(), to: commit.clone() }, Edit::Split { commit, hunks: border }];
    let parted = plan.edited(&changes, &all, &nothing(), &edits).unwrap();
    assert_ne!(home(&parted, 4), home(&parted, 5));
    assert_eq!(home(&parted, 5), home(&parted, 2));
}

/// A matter of money in one language and a matter of maps in another, and a list of imports and a log of changes that have
/// a line of both.
fn far_apart() -> Vec<FileChange> {
    let mut patch = String::new();
    let mut file = |path: &str, lines: &str| {
        let count = lines.lines().count();
        let body = lines.lines().flat_map(|line| ["+", line, "\n"]).collect::<String>();
        write!(
            patch,
            "diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n\
             @@ -8,0 +9,{count} @@\n{body}"
        )
        .unwrap();
    };
    file("CHANGES.md", "- Invoices know `reverse_charge_rate`.\n- Tiles are drawn by `TileMosaicPainter`.");
    file(
        "billing/invoice.py",
        "def reverse_charge_rate(invoice):\n    return invoice.country.vat_exemption(invoice.issued_on)",
    );
    file(
        "billing/tests/test_invoice.py",
        "def test_reverse_charge_rate():\n    assert reverse_charge_rate(make_invoice()) == vat_exemption_of_spain",
    );
    file(
        "main.py",
        "from billing.invoice import reverse_charge_rate\nfrom web.map.painter import TileMosaicPainter",
    );
    file(
        "web/map/painter.js",
        "export class TileMosaicPainter {\n  paint(canvas, zoomLevel) { canvas.drawMosaic(this.tilePyramid, zoomLevel) }\n}",
    );
    file(
        "web/map/painter.spec.js",
        "it('draws a mosaic', () => { new TileMosaicPainter().paint(fakeCanvas, 3); expectMosaic(fakeCanvas.tilePyramid) })",
    );
    files_of(&patch)
}

#[test]
fn a_run_whose_lines_lead_to_different_groups_is_parted() {
    let files = far_apart();
    let changes = changes(&files);
    let units = units(&changes);
    assert_eq!(becket_commits::runs(&units).len(), 6, "two of them have two pieces");
    let grouping = group(&changes, &units, &nothing());
    let home = |unit: usize| grouping.groups.iter().position(|group| group.hunks.contains(&units[unit].id));
    let (invoice, painter) = (home(2), home(6));
    assert_ne!(invoice, painter, "{grouping:#?}");
    assert_eq!((home(0), home(1)), (invoice, painter), "the log of changes: {grouping:#?}");
    assert_eq!((home(4), home(5)), (invoice, painter), "the imports: {grouping:#?}");
}

#[test]
fn what_cannot_be_parted_stays_in_one_commit() {
    let files = files_of(TWO_FILES);
    let changes = changes(&files);
    let units = units(&changes);
    let history = History::default();
    let together = [vec![0, 2]];
    let evidence = Evidence { together: &together, ..nothing_known(&history) };
    let grouping = group(&changes, &units, &evidence);
    let plan = plan(&changes, &units, &evidence, &grouping);
    let home =
        |unit: usize| plan.commits.iter().position(|commit| commit.hunks.contains(&units[unit].id)).unwrap();
    assert_eq!(home(0), home(2));
    let parted = plan.edited(
        &changes,
        &units,
        &nothing(),
        &[Edit::Split { commit: plan.commits[home(0)].id.clone(), hunks: vec![units[0].id.clone()] }],
    );
    assert!(matches!(parted, Err(EditError::TooEarly { .. })), "{parted:?}");
}

#[test]
fn a_companion_goes_where_most_of_what_it_belongs_to_is() {
    let files = two_matters();
    let changes = changes(&files);
    let (units, _) = planned(&files);
    let history = History::default();
    let home = |grouping: &Grouping, unit: usize| {
        grouping.groups.iter().position(|group| group.hunks.contains(&units[unit].id)).unwrap()
    };
    let plain = group(&changes, &units, &nothing_known(&history));
    for target in [0, 2] {
        let companions =
            [Companion { unit: 1, with: vec![target], signal: "citation", reason: "it says so".to_owned() }];
        let grouping =
            group(&changes, &units, &Evidence { companions: &companions, ..nothing_known(&history) });
        assert_eq!(home(&grouping, 1), home(&grouping, target));
        let reason = &grouping.groups[home(&grouping, 1)].reasons[0];
        assert_eq!((reason.signal.as_str(), reason.text.as_str()), ("citation", "it says so"));
        let hunks: usize = grouping.groups.iter().map(|group| group.hunks.len()).sum();
        assert_eq!(hunks, units.len());
    }
    let lost = [Companion { unit: 1, with: vec![99], signal: "citation", reason: String::new() }];
    let alone = group(&changes, &units, &Evidence { companions: &lost, ..nothing_known(&history) });
    assert!(alone.groups.iter().all(|group| group.reasons.iter().all(|reason| reason.signal != "citation")));
    assert!(plain.groups.iter().flat_map(|group| &group.reasons).all(|reason| reason.signal != "citation"));
}

#[test]
fn what_breaks_a_promise_says_so_unless_the_caller_words_it() {
    let files = files_of(TWO_FILES);
    let changes = changes(&files);
    let units = units(&changes);
    let history = History::default();
    let breaking = [Breaking { units: vec![0, 1], text: "`one` in a.rs is gone".to_owned() }];
    let evidence = Evidence { breaking: &breaking, ..nothing_known(&history) };
    let plan = plan(&changes, &units, &evidence, &group(&changes, &units, &evidence));
    let broken: Vec<&PlannedCommit> =
        plan.commits.iter().filter(|commit| !commit.breaking.is_empty()).collect();
    let [broken] = broken.as_slice() else { panic!("one commit breaks it: {plan:?}") };
    assert!(broken.title.split(':').next().unwrap().ends_with('!'), "{}", broken.title);
    assert!(
        broken.message().contains("\n\nBREAKING CHANGE: `one` in a.rs is gone\n"),
        "{}",
        broken.message()
    );
    assert!(plan.commits.iter().all(|commit| commit.id == broken.id || !commit.title.contains('!')));
    let own = [
        Edit::Retitle { commit: broken.id.clone(), title: "feat: mine".to_owned() },
        Edit::Describe { commit: broken.id.clone(), body: "Mine.".to_owned() },
    ];
    let own = plan.edited(&changes, &units, &evidence, &own).unwrap();
    let worded = own.commits.iter().find(|commit| commit.id == broken.id).unwrap();
    assert_eq!(worded.message(), "feat: mine\n\nMine.\n");
    // What no longer breaks anything no longer says so.
    let reordered = Edit::Reorder { commits: plan.commits.iter().map(|commit| commit.id.clone()).collect() };
    let mended = plan.edited(&changes, &units, &nothing_known(&history), &[reordered]).unwrap();
    assert!(mended.commits.iter().all(|commit| !commit.message().contains(['!'])), "{mended:?}");
}

#[test]
fn embeddings_speak_and_a_wrong_number_of_them_is_ignored() {
    let files = files_of(TWO_FILES);
    let changes = changes(&files);
    let units = units(&changes);
    let history = History::default();
    let said = |vectors: &[Arc<[f32]>]| {
        let evidence = Evidence { embeddings: Some(vectors), ..nothing_known(&history) };
        becket_commits::learning::said(&changes, &units, &evidence)
            .into_iter()
            .filter(|said| said.signal == "embeddings")
            .map(|said| (said.one, said.other, said.text))
            .collect::<Vec<_>>()
    };
    let vectors: Vec<Arc<[f32]>> = vec![Arc::from([1.0, 0.0]), Arc::from([0.0, 1.0]), Arc::from([2.0, 0.0])];
    assert_eq!(said(&vectors), [(0, 2, "their embeddings are 100 % alike".to_owned())]);
    assert_eq!(said(&vectors[..2]), []);
    assert_eq!(embedding_text(&changes, &units[0]), "a.rs\n fn one() {\n+    first_thing();");
}

#[test]
fn what_follows_a_move_goes_with_it_and_is_sure_of_it() {
    let files = files_of(
        "diff --git a/lib/view.js b/lib/page.js\nsimilarity index 100%\nrename from lib/view.js\n\
         rename to lib/page.js\n\
         diff --git a/lib/application.js b/lib/application.js\n--- a/lib/application.js\n+++ b/lib/application.js\n\
         @@ -3,1 +3,1 @@\n-var View = require('./view');\n+var View = require('./page');\n\
         @@ -90,0 +91,1 @@\n+  this.settings.querySomethingElse = computeSomethingElse();\n",
    );
    let changes = changes(&files);
    let units = units(&changes);
    let grouping = group(&changes, &units, &nothing());
    let home = grouping.groups.iter().find(|group| group.hunks.contains(&units[0].id)).unwrap();
    assert!(home.hunks.contains(&units[1].id), "{grouping:?}");
    assert_eq!(home.reasons[0].signal, "rename");
    assert!(home.confidence > 0.5, "{grouping:?}");
}
