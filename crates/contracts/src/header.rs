//! The surface of a file as compact, declaration-like text: `codeHeader`, and the signatures that a contract without code
//! lists.
//!
//! What is exported, as it is declared, with the first line of its doc comment. What is private is not in it. Secrets
//! are gone already: facts are read from redacted text. Where there is little room signatures are cut alike, the
//! longest first: a reader who needs the thousandth member opens the file.

use std::collections::{BTreeMap, BTreeSet};

use crate::languages::typescript::{listed, quoted};
use crate::model::{Declaration, ExportOrigin, LocalFacts};

/// The local name of a default export that has none.
const DEFAULT: &str = "default";

/// Ends a signature that was cut.
pub const CUT: char = '…';
const CUT_TEXT: &str = "…";

/// How much of each declaration is told, from everything to the name and a little.
const STEPS: [Step; 6] = [
    Step { longest: 600, overloads: usize::MAX, docs: true },
    Step { longest: 300, overloads: 6, docs: true },
    Step { longest: 160, overloads: 3, docs: true },
    Step { longest: 160, overloads: 2, docs: false },
    Step { longest: 90, overloads: 1, docs: false },
    Step { longest: 50, overloads: 1, docs: false },
];

#[derive(Debug, Clone, Copy)]
struct Step {
    /// In characters, of one signature.
    longest: usize,
    overloads: usize,
    docs: bool,
}

/// The header of one file, without a line break at its end, in about `room` bytes; empty where a file exports nothing
/// and says nothing.
pub fn code_header(facts: &LocalFacts, room: usize) -> String {
    let mut rest: Vec<String> = renames(facts).into_iter().collect();
    rest.extend(re_exports(facts));
    let declarations = exported(facts).map(|one| (Reached::of(one, facts).word(), one)).collect();
    Told { doc: facts.doc.as_deref(), declarations, rest, docs: true }.fitting(room).join("\n")
}

/// The signatures of what a file exports, in about `room` bytes.
pub fn signatures(facts: &LocalFacts, room: usize) -> Vec<String> {
    let declarations = exported(facts).map(|one| ("", one)).collect();
    Told { doc: None, declarations, rest: Vec::new(), docs: false }.fitting(room)
}

fn exported(facts: &LocalFacts) -> impl Iterator<Item = &Declaration> {
    facts.declarations.iter().filter(|declaration| declaration.exported)
}

/// What there is to tell of a file.
struct Told<'a> {
    doc: Option<&'a str>,
    /// Each with what stands before it.
    declarations: Vec<(&'static str, &'a Declaration)>,
    /// Lines that follow, and are never cut.
    rest: Vec<String>,
    docs: bool,
}

impl Told<'_> {
    /// The most that fits. What does not fit in the shortest form either is left out from the end, and counted.
    fn fitting(self, room: usize) -> Vec<String> {
        // Measured first: most have to be tried in several forms, and are written in one.
        if let Some(step) = STEPS.into_iter().find(|step| self.size(*step) <= room) {
            return self.lines(step);
        }
        let mut shortest = self.lines(STEPS[STEPS.len() - 1]);
        let all = shortest.len();
        let mut spent = 0;
        shortest.retain(|line| {
            spent += line.len() + BETWEEN;
            spent <= room
        });
        if !shortest.is_empty() {
            shortest.push(format!("// {CUT} {} more", all - shortest.len()));
        }
        shortest
    }

    fn lines(self, step: Step) -> Vec<String> {
        let docs = step.docs && self.docs;
        let mut lines = Vec::with_capacity(self.declarations.len() + self.rest.len() + 1);
        lines.extend(self.doc.filter(|_| docs).map(|doc| format!("/** {doc} */")));
        for (before, declaration) in &self.declarations {
            let others = lines.len();
            lines.extend(shown(declaration, step).map(|one| one.after(before)));
            let doc = declaration.doc.as_ref().filter(|_| docs);
            if let (Some(last), Some(doc)) = (lines[others..].last_mut(), doc) {
                last.reserve_exact(4 + doc.len());
                last.push_str(" // ");
                last.push_str(doc);
            }
        }
        lines.extend(self.rest);
        lines
    }

    /// Of these lines, with what stands between them.
    fn size(&self, step: Step) -> usize {
        let docs = step.docs && self.docs;
        let mut size = self.doc.filter(|_| docs).map_or(0, |doc| "/**  */".len() + doc.len() + BETWEEN);
        for (before, declaration) in &self.declarations {
            let doc = declaration.doc.as_ref().filter(|_| docs && !declaration.signatures.is_empty());
            size += doc.map_or(0, |doc| 4 + doc.len());
            size += shown(declaration, step).map(|one| one.size(before) + BETWEEN).sum::<usize>();
        }
        size + self.rest.iter().map(|line| line.len() + BETWEEN).sum::<usize>()
    }
}

/// What a line costs beside its text.
const BETWEEN: usize = 3;

/// How a declaration is exported where it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    ByName,
    AsDefault,
    /// Only `export { local as name }` says it, or nothing has to.
    ByList,
    /// A global.
    Everywhere,
}

impl Reached {
    fn word(self) -> &'static str {
        match self {
            Reached::ByName => "export ",
            Reached::AsDefault => "export default ",
            Reached::ByList => "",
            Reached::Everywhere => "declare ",
        }
    }

    fn of(declaration: &Declaration, facts: &LocalFacts) -> Self {
        let has = |name: &str| is_exported(&declaration.name, name, facts);
        let can_be_default = declaration.name == DEFAULT
            || declaration.signatures.first().is_some_and(|text| {
                let words = ["function", "async function", "class", "abstract class", "interface"];
                words.iter().any(|word| text.starts_with(word))
            });
        if facts.exports.is_empty() {
            let says_so = declaration.signatures.first().is_some_and(|text| text.starts_with("declare "));
            if says_so { Self::ByList } else { Self::Everywhere }
        } else if declaration.name != DEFAULT && has(&declaration.name) {
            Self::ByName
        } else if has(DEFAULT) && can_be_default {
            Self::AsDefault
        } else {
            Self::ByList
        }
    }
}

/// Whether something of the file is exported under a name.
fn is_exported(local: &str, name: &str, facts: &LocalFacts) -> bool {
    let (named, _) = facts.exported_as(name);
    named.iter().any(|export| matches!(&export.origin, ExportOrigin::Local(from) if from == local))
}

/// `export { local as name }`, for the names that no declaration says.
fn renames(facts: &LocalFacts) -> Option<String> {
    let mut names = Vec::new();
    let mut others: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, local) in facts.renamed() {
        others.entry(local).or_default().push(name);
    }
    for declaration in exported(facts) {
        let Some(other_names) = others.get(declaration.name.as_str()) else { continue };
        let reached = Reached::of(declaration, facts);
        // One that is declared as a type and as a value is one all the same.
        let told = |name: &str| match reached {
            Reached::ByName => name == declaration.name,
            Reached::AsDefault => name == DEFAULT,
            Reached::ByList | Reached::Everywhere => false,
        };
        for name in other_names.iter().filter(|name| !told(name)) {
            let rename = format!("{} as {}", declaration.name, listed(name));
            if !names.contains(&rename) {
                names.push(rename);
            }
        }
    }
    names.extend(undeclared(facts).map(|(local, name)| match name {
        same if same == local => listed(name).into_owned(),
        other => format!("{local} as {}", listed(other)),
    }));
    (!names.is_empty()).then(|| format!("export {{ {} }}", names.join(", ")))
}

/// What is exported that no declaration tells of: a global, or what could not be read.
fn undeclared(facts: &LocalFacts) -> impl Iterator<Item = (&str, &str)> {
    let may_be = facts.is_common_js || !facts.diagnostics.is_empty();
    let exports = if may_be { facts.exports.as_slice() } else { &[] };
    let declared: BTreeSet<&str> = match exports {
        [] => BTreeSet::new(),
        _ => facts.declarations.iter().map(|one| one.name.as_str()).collect(),
    };
    exports.iter().filter_map(move |export| match &export.origin {
        ExportOrigin::Local(local) if local != DEFAULT && !declared.contains(local.as_str()) => {
            Some((local.as_str(), export.name.as_str()))
        }
        _ => None,
    })
}

/// A signature as far as there is room for it.
struct Shown<'a> {
    text: &'a str,
    cut: bool,
    /// Overloads that are not told behind it.
    more: usize,
}

impl Shown<'_> {
    fn after(&self, before: &str) -> String {
        let text = [self.exported(before), self.text, self.end()].concat();
        if self.more == 0 { text } else { text + &self.others() }
    }

    fn size(&self, before: &str) -> usize {
        let others = if self.more == 0 { 0 } else { self.others().len() };
        self.exported(before).len() + self.text.len() + self.end().len() + others
    }

    /// What is assigned to a default export stands beside it.
    fn exported<'b>(&self, before: &'b str) -> &'b str {
        if before == Reached::AsDefault.word() && self.text.starts_with("namespace ") { "" } else { before }
    }

    fn end(&self) -> &'static str {
        if self.cut { CUT_TEXT } else { "" }
    }

    fn others(&self) -> String {
        format!(" {CUT}{} more", self.more)
    }
}

/// One text per overload that there is room for.
fn shown(declaration: &Declaration, step: Step) -> impl Iterator<Item = Shown<'_>> {
    let overloads = declaration.signatures.len();
    declaration.signatures.iter().take(step.overloads).enumerate().map(move |(at, signature)| {
        let whole = signature.strip_prefix("default: ").unwrap_or(signature);
        let text = cut(whole, step.longest);
        let more = if at + 1 == step.overloads { overloads.saturating_sub(step.overloads) } else { 0 };
        Shown { text, cut: text.len() < whole.len(), more }
    })
}

/// Names that are handed on, gathered by where they come from, in the order in which the modules are first named.
fn re_exports(facts: &LocalFacts) -> Vec<String> {
    let mut sources: Vec<(&str, Vec<String>)> = Vec::new();
    for export in &facts.exports {
        let ExportOrigin::Module { specifier, imported } = &export.origin else { continue };
        let name = match (export.name.as_str(), imported.as_str()) {
            ("*", _) => "*".to_owned(),
            (name, "*") => format!("* as {}", listed(name)),
            (name, imported) if name == imported => listed(name).into_owned(),
            (name, imported) => format!("{} as {}", listed(imported), listed(name)),
        };
        match sources.iter_mut().find(|(known, _)| known == specifier) {
            Some((_, names)) => names.push(name),
            None => sources.push((specifier, vec![name])),
        }
    }
    let mut lines = Vec::new();
    for (specifier, names) in sources {
        let (stars, names): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| name.starts_with('*'));
        let specifier = quoted(specifier);
        lines.extend(stars.iter().map(|star| format!("export {star} from {specifier}")));
        if !names.is_empty() {
            lines.push(format!("export {{ {} }} from {specifier}", names.join(", ")));
        }
    }
    lines
}

fn cut(signature: &str, longest: usize) -> &str {
    // It has no more characters than bytes, and almost always as many.
    match signature.as_bytes().get(..=longest) {
        None => signature,
        Some(start) if start.is_ascii() => &signature[..longest],
        Some(_) => signature.char_indices().nth(longest).map_or(signature, |(at, _)| &signature[..at]),
    }
}
