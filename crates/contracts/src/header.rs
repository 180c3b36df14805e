//! `codeHeader`: the surface of a file as compact, declaration-like text.
//!
//! What is exported, as it is declared, with the first line of its doc comment. What is private is not in it. Secrets
//! are gone already: facts are read from redacted text.

use crate::model::{Declaration, DeclarationKind, ExportOrigin, LocalFacts};

/// Longer signatures are cut: a reader who needs the thousandth member opens the file.
const LONGEST: usize = 600;

/// The header of one file, without a line break at its end; empty where a file exports nothing and says nothing.
pub fn code_header(facts: &LocalFacts) -> String {
    let mut lines = Vec::new();
    if let Some(doc) = &facts.doc {
        lines.push(format!("/** {doc} */"));
    }
    for declaration in facts.declarations.iter().filter(|declaration| declaration.exported) {
        lines.extend(surface(declaration, facts));
    }
    lines.extend(re_exports(facts));
    lines.join("\n")
}

fn surface(declaration: &Declaration, facts: &LocalFacts) -> Vec<String> {
    let is_default = facts.exports.iter().any(|export| {
        export.name == "default" && export.origin == ExportOrigin::Local(declaration.name.clone())
    });
    let last = declaration.signatures.len().saturating_sub(1);
    let texts = declaration.signatures.iter().enumerate().map(|(index, signature)| {
        let signature = signature.strip_prefix("default: ").unwrap_or(signature);
        let export = match (is_default, declaration.kind) {
            (true, DeclarationKind::Constant | DeclarationKind::Variable)
                if declaration.name != "default" =>
            {
                "export "
            }
            (true, _) => "export default ",
            (false, _) => "export ",
        };
        let doc = declaration.doc.as_ref().filter(|_| index == last).map(|doc| format!(" // {doc}"));
        format!("{export}{}{}", cut(signature), doc.unwrap_or_default())
    });
    texts.collect()
}

/// Names that are handed on, gathered by where they come from, in the order in which the modules are first named.
fn re_exports(facts: &LocalFacts) -> Vec<String> {
    let mut sources: Vec<(&str, Vec<String>)> = Vec::new();
    for export in &facts.exports {
        let ExportOrigin::Module { specifier, imported } = &export.origin else { continue };
        let name = match (export.name.as_str(), imported.as_str()) {
            ("*", _) => "*".to_owned(),
            (name, "*") => format!("* as {name}"),
            (name, imported) if name == imported => name.to_owned(),
            (name, imported) => format!("{imported} as {name}"),
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
        lines.extend(stars.iter().map(|star| format!("export {star} from '{specifier}'")));
        if !names.is_empty() {
            lines.push(format!("export {{ {} }} from '{specifier}'", names.join(", ")));
        }
    }
    lines
}

fn cut(signature: &str) -> String {
    match signature.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &signature[..at]),
        None => signature.to_owned(),
    }
}
