//! Hashes of what a file promises, of its text, and of a bundle. What a consumer cannot see (formatting, comments,
//! bodies, the order of imports, private names, where and when) never reaches `semanticHash`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use becket_base::ByName;
use becket_base::divided;
use memchr::{memchr, memmem};
use serde::Serialize;

use crate::json::{self, quote};
use crate::mentions::{Mention, replaced};
use crate::model::{Contract, ContractDeclaration, DeclarationKind, Member, PropType, State};
use crate::order::in_order;

/// Bytes that are usually hashed.
const USUAL: usize = 2048;

/// `uif:` and 24 hexadecimal digits over exports, signatures, props, emits, state and routes. Of a file that could not be
/// read it is that of its text: what changed in it may be anything.
pub fn semantic_hash(contract: &Contract) -> String {
    if contract.is_unread() {
        return contract.file_hash.clone();
    }
    // What exported declarations lead to is seen through them.
    let seen = contract.declarations.iter().filter(|one| one.exported || !one.signatures.is_empty());
    let seen: Vec<_> = seen.map(|declaration| (declaration, declaration.declared_props())).collect();
    let mut declarations: Vec<Seen<'_>> = seen
        .iter()
        .map(|(declaration, props)| (declaration, props, outside_name(contract, declaration)))
        .map(|(declaration, props, name)| Seen {
            kind: declaration.kind_outside(),
            signatures: in_one_order(outside_signatures(contract, declaration, &name)),
            name,
            imported: in_set(declaration.imported.iter().map(|one| (&*one.name, &*one.from))),
            inherits: in_set(declaration.inherits.iter().map(|one| (one.outside(), &*one.keys, one.only))),
            props: props.iter().map(|variant| members(variant)).collect(),
            emits: &declaration.emits,
            state: sorted_state(&declaration.state),
        })
        .collect();
    // Where a declaration stands in its file is nobody's business.
    declarations.sort_by(|left, right| (&left.name, left.kind).cmp(&(&right.name, right.kind)));
    let mut routes: Vec<_> = contract
        .routes
        .iter()
        .map(|route| {
            let parameters: Vec<_> = route
                .parameters
                .iter()
                .map(|one| (&one.name, one.source, one.taken_as(), one.optional))
                .collect();
            (
                &route.method,
                route.path_and_versions(),
                parameters,
                &route.guards,
                route.answer(),
                route.own_status(),
            )
        })
        .collect();
    routes.sort();
    let next = contract.nextjs.as_ref().map(|next| (next.directive, next.answers()));
    let exports = &contract.exports;
    digest(
        "uif:",
        &(
            (exports.default.is_some(), &exports.named, &exports.stars, &exports.types),
            &contract.passed_on,
            declarations,
            (events(contract), unnamed_state(contract), &contract.logic_signature.api_signature),
            routes,
            next,
        ),
    )
}

/// `uif:` and 24 hexadecimal digits over the text, whatever ends its lines, without a `@uif` comment block.
pub fn file_hash(source: &str) -> String {
    file_hash_of(source, || blake3::hash(source.as_bytes()))
}

/// The same for a text whose hash as it stands may be known.
pub fn file_hash_of(source: &str, whole: impl FnOnce() -> blake3::Hash) -> String {
    let text: Cow<'_, str> = if memchr(b'\r', source.as_bytes()).is_some() {
        source.replace("\r\n", "\n").into()
    } else {
        source.into()
    };
    let hash = match (without_stamp_block(&text), &text) {
        (Cow::Borrowed(_), Cow::Borrowed(_)) => whole(),
        (text, _) => blake3::hash(text.as_bytes()),
    };
    named("uif:", &hash)
}

/// `uifb:` and 24 hexadecimal digits over the depth and what each node promises: [`bundled`], by path.
pub fn bundle_hash<'a>(depth: usize, nodes: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut text = format!("[\"0.1\",{depth},[");
    text.reserve(nodes.clone().map(|node| node.len() + 1).sum::<usize>() + 2);
    for (at, node) in nodes.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(node);
    }
    text.push_str("]]");
    named("uifb:", &blake3::hash(text.as_bytes()))
}

/// What the hash of every bundle is over that has this node; `promise` is [`digits`] of its semantic hash.
pub fn bundled(path: &str, promise: [u8; 12]) -> Box<str> {
    let mut text = String::with_capacity(path.len() + 36);
    text.push('[');
    quote(&mut text, path);
    text.push_str(",\"");
    write_named(&mut text, "uif:", &promise);
    text.push_str("\"]");
    text.into()
}

/// The digits of a hash as numbers: a name takes more than twice the room.
pub fn digits(hash: &str) -> [u8; 12] {
    let digits = divided::after_last(hash, b':').as_bytes();
    let value = |at: usize| digits.get(at).and_then(|digit| char::from(*digit).to_digit(16)).unwrap_or(0);
    std::array::from_fn(|at| (value(2 * at) * 16 + value(2 * at + 1)).to_le_bytes()[0])
}

#[derive(Serialize)]
struct Seen<'a> {
    name: Cow<'a, str>,
    kind: DeclarationKind,
    signatures: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    imported: Vec<(&'a str, &'a str)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inherits: Vec<((&'a str, &'a str), &'a [String], bool)>,
    props: Vec<Vec<(&'a str, &'a str, bool)>>,
    emits: &'a [String],
    state: Vec<&'a State>,
}

/// Events with their types, as far as no prop tells them. Those of private components are nobody's business.
fn events(contract: &Contract) -> BTreeMap<&str, &PropType> {
    let is_seen = |event: &str| {
        contract.declarations.iter().filter(|one| one.exported || one.is_unnamed()).any(|one| {
            let is_prop = || one.props.iter().flatten().any(|prop| prop.name == event);
            one.is_unnamed() || one.emits.iter().any(|own| own == event) && !is_prop()
        })
    };
    let all = contract.logic_signature.emits.iter().map(|(event, ty)| (event.as_str(), ty));
    all.filter(|(event, _)| is_seen(event)).collect()
}

/// The state of a component that only the merged view tells; that of others stands beside them.
fn unnamed_state(contract: &Contract) -> Option<&ByName<String>> {
    contract
        .declarations
        .iter()
        .any(ContractDeclaration::is_unnamed)
        .then_some(&contract.logic_signature.state)
}

/// What a file calls something that others know by another name is its own business.
fn outside_name<'a>(contract: &'a Contract, declaration: &'a ContractDeclaration) -> Cow<'a, str> {
    let mut names = contract.exports.names_of(&declaration.name);
    match (names.next(), names.next()) {
        (Some(only), None) => only.into(),
        (Some(_), Some(_)) => {
            contract.exports.names_of(&declaration.name).collect::<Vec<_>>().join(" ").into()
        }
        (None, _) => declaration.name.as_str().into(),
    }
}

fn outside_signatures<'a>(
    contract: &'a Contract,
    declaration: &'a ContractDeclaration,
    name: &str,
) -> Cow<'a, [String]> {
    let signatures = canonical(declaration);
    if name == declaration.name {
        return signatures;
    }
    let names = || contract.exports.names_of(&declaration.name);
    let is_own = || names().any(|name| name == declaration.name);
    let Some(outside) = names().next().filter(|_| declaration.exported && !is_own()) else {
        return signatures;
    };
    let outside = if outside == "default" { String::new() } else { format!(" {outside}") };
    let named = |signature: &String| declaration.renamed(signature, &outside);
    signatures.iter().map(named).collect::<Vec<_>>().into()
}

fn in_one_order(signatures: Cow<'_, [String]>) -> Cow<'_, [String]> {
    if signatures.iter().all(|text| memchr(b';', text.as_bytes()).is_none()) {
        return signatures;
    }
    signatures.iter().map(|text| in_order(text).into_owned()).collect::<Vec<_>>().into()
}

/// The signatures with what the other module calls it for each name that is imported.
pub(crate) fn canonical(declaration: &ContractDeclaration) -> Cow<'_, [String]> {
    let imported = &declaration.imported;
    if imported.iter().all(|one| one.text == one.name) {
        return declaration.signatures.as_slice().into();
    }
    let other = |mention: &Mention<'_>| {
        let known = imported.iter().find(|one| one.text == mention.text)?;
        // Of several that are the whole of a module each is another one.
        Some(if matches!(known.name.as_str(), "default" | "*") { known.from.as_str() } else { &known.name })
    };
    let signatures = declaration.signatures.iter();
    signatures.map(|signature| replaced(signature, |one| other(one)).into_owned()).collect::<Vec<_>>().into()
}

fn members(variant: &[Member]) -> Vec<(&str, &str, bool)> {
    let mut members: Vec<_> =
        variant.iter().map(|member| (member.name.as_str(), member.text.as_str(), member.optional)).collect();
    members.sort_unstable();
    members
}

/// Sorted, each once.
fn in_set<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn sorted_state(state: &[State]) -> Vec<&State> {
    let mut state: Vec<&State> = state.iter().collect();
    state.sort();
    state
}

fn digest(prefix: &str, value: &impl Serialize) -> String {
    // Hashed at once, which is faster than word by word.
    let mut written = String::with_capacity(USUAL);
    json::write(&mut written, value);
    named(prefix, &blake3::hash(written.as_bytes()))
}

fn named(prefix: &str, hash: &blake3::Hash) -> String {
    let mut name = String::with_capacity(prefix.len() + 24);
    write_named(&mut name, prefix, &hash.as_bytes()[..12]);
    name
}

fn write_named(text: &mut String, prefix: &str, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.push_str(prefix);
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(DIGITS[usize::from(digit)]));
        }
    }
}

/// The original writes its own stamp into a comment, which must not count.
fn without_stamp_block(text: &str) -> Cow<'_, str> {
    let block = memmem::find(text.as_bytes(), b"@uif").and_then(|mark| {
        let start = text[..mark].rfind("/**")?;
        let end = mark + text[mark..].find("*/")? + 2;
        (!text[start..mark].contains("*/")).then_some((start, end))
    });
    match block {
        Some((start, end)) => format!("{}{}", &text[..start], &text[end..]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_the_stamp_block_do_not_count() {
        assert_eq!(file_hash("a\r\nb\r\n"), file_hash("a\nb\n"));
        assert_eq!(file_hash("/** x\n * @uif Contract\n */code"), file_hash("code"));
        assert_ne!(file_hash("/** x */ @uif */code"), file_hash("code"));
        assert_ne!(file_hash("a"), file_hash("b"));
        assert_eq!(file_hash(""), ["uif:", &blake3::hash(b"").to_hex()[..24]].concat());
    }

    #[test]
    fn a_bundle_is_known_by_its_depth_and_what_its_nodes_promise() {
        let promises = ["one", "two"].map(file_hash);
        let [one, two] = &promises;
        let nodes = [bundled("a", digits(one)), bundled("\"b\"", digits(two))];
        let hash = |depth| bundle_hash(depth, nodes.iter().map(|node| &**node));
        let over = format!(r#"["0.1",2,[["a","{one}"],["\"b\"","{two}"]]]"#);
        assert_eq!(hash(2), named("uifb:", &blake3::hash(over.as_bytes())));
        assert_ne!(hash(2), hash(1));
        assert!(hash(2).starts_with("uifb:") && hash(2).len() == 29);
    }
}
