//! `cargo xtask bench coordinate`: what claims, lists and messages cost, at the store itself on both engines and through
//! servers of the release binary. The program that measures the store belongs to `store`, whose tables its floors write to.

#![allow(clippy::disallowed_methods, reason = "it starts the program that measures")]

mod servers;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::BenchError;
use super::process::{self, output_of};
use super::report::{Floor, Goal, Row};

pub(crate) fn measure(root: &Path) -> Result<Vec<Row>, BenchError> {
    let program = process::build_example(root, "becket-store", "coordinate_bench")?;
    let lines = output_of(&mut Command::new(program))?;
    let mut rows: Vec<Row> = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| row(&line))
        .collect();
    rows.extend(servers::measure(&process::build_release(root)?)?);
    Ok(rows)
}

fn row(line: &Value) -> Option<Row> {
    let unit = match line["unit"].as_str()? {
        "ms" => "ms",
        "s" => "s",
        "MiB" => "MiB",
        "×" => "×",
        _ => "",
    };
    let mut row = Row::new(line["measure"].as_str()?, line["value"].as_f64()?, unit);
    if let Some(floor) = line["floor"].as_array() {
        let name =
            if floor.first()?.as_str()?.starts_with("at ") { "at 100 tasks" } else { "bare transactions" };
        row = row.with_floor(Floor { name, value: floor.get(1)?.as_f64()? });
    }
    if let Some(goal) = line["goal"].as_array() {
        let bound = goal.get(1)?.as_f64()?;
        let goal = if goal.first()? == "least" { Goal::AtLeast(bound) } else { Goal::AtMost(bound) };
        row = row.with_goal(goal);
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_read_with_its_goal() {
        let line = |goal: Value| json!({ "measure": "m", "value": 0.75, "unit": "×", "floor": ["at 100", 1.0], "goal": goal });
        assert_eq!(row(&line(json!(["least", 0.7]))).unwrap().is_met(), Some(true));
        assert_eq!(row(&line(json!(["least", 0.8]))).unwrap().is_met(), Some(false));
        assert_eq!(row(&line(json!(["most", 0.8]))).unwrap().is_met(), Some(true));
        assert_eq!(row(&line(Value::Null)).unwrap().is_met(), None);
    }
}
