//! What is imported where it is named, `import('./user').User`, under a name as an import at the top of the file gives one.

use crate::model::{Contract, ContractDeclaration, ImportedAs};

const OPENS: &str = "import('";

/// `None` where nothing is imported so, or a whole module is.
pub(super) fn named(file: &Contract, one: &ContractDeclaration) -> Option<ContractDeclaration> {
    let texts = || one.signatures.iter().chain(one.props.iter().flatten().map(|prop| &prop.text));
    if !texts().any(|text| text.contains(OPENS)) {
        return None;
    }
    let mut all = one.clone();
    let mut imported = one.imported.clone();
    for text in &mut all.signatures {
        *text = written(file, text, &mut imported)?;
    }
    for prop in all.props.iter_mut().flatten() {
        prop.text = written(file, &prop.text, &mut imported)?;
    }
    imported.sort();
    Some(ContractDeclaration { imported, ..all })
}

fn written(file: &Contract, text: &str, imported: &mut Vec<ImportedAs>) -> Option<String> {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(OPENS) {
        let (from, after) = after.split_once("').")?;
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.');
        let end = after.find(|letter| !is_part(letter)).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let known = imported.iter().find(|one| one.from == from && one.name == name);
        let word = known.map(|known| known.text.clone()).unwrap_or_else(|| {
            let is_taken = imported.iter().any(|one| one.text == name)
                || file.declarations.iter().any(|one| one.name == name);
            let text = if is_taken { format!("{name}$") } else { name.to_owned() };
            let (name, from) = (name.to_owned(), from.to_owned());
            imported.push(ImportedAs { text: text.clone(), name, from });
            text
        });
        whole.extend([before, &word]);
        rest = after;
    }
    Some(whole + rest)
}
