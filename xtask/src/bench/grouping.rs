//! How long grouping takes, without Git: the same function that answers `group_changes`, on hunks made up here.

use std::fmt::Write as _;
use std::time::Instant;

use becket_commits::{Change, Evidence, History, Stage, Touched, group, plan, units};
use becket_diff::{Entry, FileChange, FilePath, parse};

use super::BenchError;
use super::report::{Goal, Row};
use super::sample::Sample;

/// Hunks, how often they are grouped, and how many milliseconds that may take.
const SIZES: [(usize, usize, f64); 2] = [(500, 9, 150.0), (5_000, 3, 3_000.0)];
const HUNKS_OF_A_FILE: usize = 8;
const FILES_OF_AN_INTENT: usize = 3;

/// Rows for grouping and planning 500 and 5,000 hunks, and the memory that the largest took. The program that measures
/// must be built with optimisation.
pub(super) fn measure() -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for (hunks, times, goal) in SIZES {
        let patch = made_up(hunks);
        let entries = parse(patch.as_bytes()).map_err(|_| BenchError::Silent { expected: "a patch" })?;
        let files: Vec<FileChange> = entries
            .into_iter()
            .filter_map(|entry| if let Entry::File(file) = entry { Some(file) } else { None })
            .collect();
        let changes: Vec<Change<'_>> =
            files.iter().map(|file| Change { id: "", stage: Stage::Unstaged, file }).collect();
        let mut history = History::default();
        let paths: Vec<FilePath> = files.iter().filter_map(|file| file.path().cloned()).collect();
        for some in paths.chunks(FILES_OF_AN_INTENT) {
            history.absorb(&Touched { paths: some, patch: None });
        }
        let evidence = Evidence::of(&history);
        let (mut grouped, mut planned) = (Sample::default(), Sample::default());
        for _ in 0..times {
            let begun = Instant::now();
            let units = units(&changes);
            let grouping = group(&changes, &units, &evidence);
            grouped.add(begun.elapsed());
            let begun = Instant::now();
            let plan = plan(&changes, &units, &evidence, &grouping);
            planned.add(begun.elapsed());
            if plan.commits.iter().map(|commit| commit.hunks.len()).sum::<usize>() != hunks {
                return Err(BenchError::Silent { expected: "a plan of all hunks" });
            }
        }
        rows.push(
            Row::new(format!("grouping {hunks} hunks, median of {times}"), grouped.milliseconds(50), "ms")
                .with_goal(Goal::AtMost(goal)),
        );
        rows.push(Row::new(
            format!("planning {hunks} hunks, median of {times}"),
            planned.milliseconds(50),
            "ms",
        ));
    }
    if let Some(memory) = super::process::memory(std::process::id()) {
        rows.push(
            Row::new("memory of it all, peak (VmHWM)", memory.peak / super::MIB, "MiB")
                .with_goal(Goal::AtMost(300.0)),
        );
    }
    Ok(rows)
}

/// Intents of a few files each; hunks of one intent share names, and every hunk has names of its own.
fn made_up(hunks: usize) -> String {
    let mut patch = String::new();
    for file in 0..hunks.div_ceil(HUNKS_OF_A_FILE) {
        let intent = file / FILES_OF_AN_INTENT;
        let path = format!("src/area{}/module_{file}.rs", intent % 40);
        let _ = write!(
            patch,
            "diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n"
        );
        for hunk in 0..HUNKS_OF_A_FILE.min(hunks - file * HUNKS_OF_A_FILE) {
            let start = hunk * 40 + 10;
            let _ = write!(
                patch,
                "@@ -{start},7 +{start},8 @@ fn step_{hunk}(state: &mut State) {{\n let before = state.load();\n let ready = before.len();\n check(ready);\n-    let value = old_name_{file}_{hunk}(state, intent_{intent});\n+    let value = new_name_{file}_{hunk}(state, intent_{intent}, Topic{intent}::First);\n+    record_{intent}(value, common);\n finish(value);\n state.store(value);\n done();\n"
            );
        }
    }
    patch
}
