//! Templates of users, rendered where they can do no harm: no file is read, work and output are bounded, and of the
//! filters only those that cannot make much out of little.

use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, Value, context, filters, tests};

use super::{PullRequest, PullRequestError, Section};

/// Steps of the interpreter: thousands of times what a long text needs.
const FUEL: u64 = 200_000;
const LONGEST_TEMPLATE: usize = 256 << 10;
const LONGEST_TEXT: usize = 1 << 20;

pub(super) fn render(
    template: &str,
    request: &PullRequest,
    title: &str,
    sections: &[Section],
) -> Result<String, PullRequestError> {
    if template.len() > LONGEST_TEMPLATE {
        return Err(PullRequestError::Template { line: 1, reason: "it is longer than 256 KiB".to_owned() });
    }
    let environment = environment();
    let summary =
        sections.iter().find(|section| section.key == "summary").map(|section| section.text.as_str());
    let values = context! {
        title,
        summary,
        sections => Value::from(Serde(sections)),
        commits => Value::from(Serde(&request.commits)),
        contracts => Value::from(Serde(&request.contracts)),
        notes => Value::from(Serde(&request.notes)),
        tasks => Value::from(Serde(&request.tasks)),
        checks => Value::from(Serde(&request.checks)),
    };
    let template = environment.template_from_str(template).map_err(|error| refused(&error))?;
    let mut output = Bounded { text: Vec::new() };
    template.render_captured_to(values, &mut output).map_err(|error| refused(&error))?;
    Ok(String::from_utf8_lossy(&output.text).into_owned())
}

/// Empty but for what is named here: without a loader there is nothing to include, import or extend.
fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(50);
    environment.add_filter("upper", filters::upper);
    environment.add_filter("lower", filters::lower);
    environment.add_filter("title", filters::title);
    environment.add_filter("capitalize", filters::capitalize);
    environment.add_filter("trim", filters::trim);
    environment.add_filter("join", filters::join);
    environment.add_filter("length", filters::length);
    environment.add_filter("count", filters::length);
    environment.add_filter("default", filters::default);
    environment.add_filter("first", filters::first);
    environment.add_filter("last", filters::last);
    environment.add_filter("sort", filters::sort);
    environment.add_filter("unique", filters::unique);
    environment.add_filter("reverse", filters::reverse);
    environment.add_filter("lines", filters::lines);
    environment.add_filter("map", filters::map);
    environment.add_filter("select", filters::select);
    environment.add_filter("selectattr", filters::selectattr);
    environment.add_filter("reject", filters::reject);
    environment.add_filter("rejectattr", filters::rejectattr);
    environment.add_filter("groupby", filters::groupby);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("none", tests::is_none);
    environment.add_test("eq", tests::is_eq);
    environment.add_test("equalto", tests::is_eq);
    environment.add_test("ne", tests::is_ne);
    environment.add_test("startingwith", tests::is_startingwith);
    environment.add_test("endingwith", tests::is_endingwith);
    environment
}

fn refused(error: &minijinja::Error) -> PullRequestError {
    let reason = match error.kind() {
        ErrorKind::OutOfFuel => "it takes too long".to_owned(),
        ErrorKind::WriteFailure => "what it writes is longer than 1 MiB".to_owned(),
        _ => error
            .detail()
            .map_or_else(|| error.kind().to_string(), |detail| format!("{}: {detail}", error.kind())),
    };
    PullRequestError::Template { line: error.line().unwrap_or(1), reason }
}

struct Bounded {
    text: Vec<u8>,
}

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.text.len() + bytes.len() > LONGEST_TEXT {
            return Err(std::io::Error::other("too long"));
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
