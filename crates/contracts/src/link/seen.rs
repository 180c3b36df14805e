//! What others see of the declarations that a file keeps to itself: those that exported signatures lead to.

use std::collections::BTreeMap;

use crate::mentions::{Mention, mentions};
use crate::model::{ContractDeclaration, DeclarationKind};

/// A private declaration is known by its name; what it looks like is nobody else's business, unless somebody has to know
/// it who uses what is exported.
pub(super) fn published(declarations: Vec<ContractDeclaration>) -> Vec<ContractDeclaration> {
    let seen = seen_through(&declarations);
    let publish = |(declaration, is_seen): (ContractDeclaration, bool)| {
        if declaration.exported {
            return declaration;
        }
        let (signatures, props) =
            if is_seen { (declaration.signatures, declaration.props) } else { Default::default() };
        ContractDeclaration {
            signatures,
            props,
            doc: None,
            form: None,
            emits: Vec::new(),
            state: Vec::new(),
            ..declaration
        }
    };
    declarations.into_iter().zip(seen).map(publish).collect()
}

/// Which private declarations the signatures of exported ones mention, or those of such declarations.
fn seen_through(declarations: &[ContractDeclaration]) -> Vec<bool> {
    let mut seen = vec![false; declarations.len()];
    let mut private: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, one) in declarations.iter().enumerate().filter(|(_, one)| !one.exported) {
        private.entry(&one.name).or_default().push(at);
    }
    if private.is_empty() {
        return seen;
    }
    let mut open: Vec<&ContractDeclaration> = declarations.iter().filter(|one| one.exported).collect();
    while let Some(one) = open.pop() {
        for mention in visible(one).flat_map(mentions) {
            for &at in private.get(mention.first()).into_iter().flatten() {
                if leads_to(&mention, &declarations[at]) && !std::mem::replace(&mut seen[at], true) {
                    open.push(&declarations[at]);
                }
            }
        }
    }
    seen
}

/// The texts by which others know a declaration. The props of a component are written out, so what it calls their type is
/// its own business.
fn visible(one: &ContractDeclaration) -> impl Iterator<Item = &str> {
    let by_props = one.kind == DeclarationKind::Component && !one.props.is_empty();
    let signatures = one.signatures.iter().filter(move |_| !by_props).map(String::as_str);
    let props = one.props.iter().filter(move |_| by_props).flatten().map(|prop| prop.text.as_str());
    signatures.chain(props)
}

/// A type is mentioned by its name alone; the same name of a value may be that of anything else.
fn leads_to(mention: &Mention<'_>, declaration: &ContractDeclaration) -> bool {
    use DeclarationKind::{Class, Enum, Interface, Namespace, Type};
    mention.is_value || matches!(declaration.kind, Class | Enum | Interface | Namespace | Type)
}
