//! What was measured, as a Markdown table for `docs/benchmarks.md` or as one JSON object.

use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) setting: Setting,
    pub(crate) rows: Vec<Row>,
}

/// What a reader must know to compare two reports.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) date: String,
    pub(crate) commit: String,
    pub(crate) command: &'static str,
    pub(crate) machine: String,
}

#[derive(Debug)]
pub(crate) struct Row {
    measure: String,
    value: f64,
    unit: &'static str,
    floor: Option<Floor>,
    goal: Option<Goal>,
}

/// The least that such a thing can cost, measured in the same run.
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

impl Row {
    pub(crate) fn new(measure: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { measure: measure.into(), value, unit, floor: None, goal: None }
    }

    pub(crate) fn with_floor(mut self, floor: Floor) -> Self {
        self.floor = Some(floor);
        self
    }

    pub(crate) fn with_goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self
    }

    /// Nothing when there is no goal.
    pub(crate) fn is_met(&self) -> Option<bool> {
        self.goal.map(|goal| match goal {
            Goal::AtMost(bound) => self.value <= bound,
            Goal::AtLeast(bound) => self.value >= bound,
        })
    }

    fn ratio(&self) -> Option<f64> {
        self.floor.as_ref().filter(|floor| floor.value > 0.0).map(|floor| self.value / floor.value)
    }

    fn shown(&self, value: f64) -> String {
        let digits = match value.abs() {
            value if value.fract() < 1e-9 || value >= 100.0 => 0,
            value if value >= 10.0 => 1,
            value if value >= 1.0 => 2,
            _ => 3,
        };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        format!("{value:.digits$}{unit}")
    }

    fn to_markdown(&self) -> String {
        let floor =
            self.floor.as_ref().map(|floor| format!("{} (`{}`)", self.shown(floor.value), floor.name));
        let ratio = self.ratio().map(|ratio| format!("{ratio:.2}"));
        let goal = self.goal.map(|goal| match goal {
            Goal::AtMost(bound) => format!("≤ {}", self.shown(bound)),
            Goal::AtLeast(bound) => format!("≥ {}", self.shown(bound)),
        });
        let met = self.is_met().map(|met| if met { "yes" } else { "**no**" }.to_owned());
        let cells = [Some(self.measure.clone()), Some(self.shown(self.value)), floor, ratio, goal, met];
        let cells: Vec<String> = cells.into_iter().map(Option::unwrap_or_default).collect();
        format!("| {} |\n", cells.join(" | "))
    }

    fn to_json(&self) -> Value {
        json!({
            "measure": self.measure,
            "value": self.value,
            "unit": self.unit,
            "floor": self.floor.as_ref().map(|floor| json!({ "name": floor.name, "value": floor.value })),
            "ratio": self.ratio(),
            "goal": self.goal.map(|goal| match goal {
                Goal::AtMost(bound) => json!({ "at_most": bound }),
                Goal::AtLeast(bound) => json!({ "at_least": bound }),
            }),
            "met": self.is_met(),
        })
    }
}

impl Report {
    pub(crate) fn to_markdown(&self) -> String {
        let Setting { date, commit, command, machine } = &self.setting;
        let mut text = format!("{date}, commit {commit}, `{command}`, {machine}.\n\n");
        text.push_str("| measure | value | floor in the same run | value / floor | goal | met |\n");
        text.push_str("| --- | ---: | ---: | ---: | ---: | --- |\n");
        text.extend(self.rows.iter().map(Row::to_markdown));
        text
    }

    pub(crate) fn to_json(&self) -> Value {
        let Setting { date, commit, command, machine } = &self.setting;
        json!({
            "date": date,
            "commit": commit,
            "command": command,
            "machine": machine,
            "rows": self.rows.iter().map(Row::to_json).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let setting = Setting {
            date: "2026-11-15".to_owned(),
            commit: "abc1234".to_owned(),
            command: "cargo xtask bench mcp",
            machine: "2 cores".to_owned(),
        };
        let floor = Floor { name: "ping", value: 0.05 };
        let rows = vec![
            Row::new("call", 0.125, "ms").with_floor(floor).with_goal(Goal::AtMost(0.2)),
            Row::new("errors", 3.0, "").with_goal(Goal::AtMost(0.0)),
            Row::new("size", 12.345, "MB"),
        ];
        Report { setting, rows }
    }

    #[test]
    fn the_table_says_what_was_missed() {
        let expected = "\
2026-11-15, commit abc1234, `cargo xtask bench mcp`, 2 cores.

| measure | value | floor in the same run | value / floor | goal | met |
| --- | ---: | ---: | ---: | ---: | --- |
| call | 0.125 ms | 0.050 ms (`ping`) | 2.50 | ≤ 0.200 ms | yes |
| errors | 3 |  |  | ≤ 0 | **no** |
| size | 12.3 MB |  |  |  |  |
";
        assert_eq!(report().to_markdown(), expected);
    }

    #[test]
    fn the_json_has_the_same_rows_unrounded() {
        let json = report().to_json();
        assert_eq!(json["rows"][0]["value"], 0.125);
        assert_eq!(json["rows"][0]["met"], true);
        assert_eq!(json["rows"][1]["met"], false);
        assert_eq!(json["rows"][2]["value"], 12.345);
        assert_eq!(json["rows"][2]["met"], Value::Null);
    }
}
