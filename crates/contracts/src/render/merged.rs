//! The merged props of a file in the room that there is for them: what the file itself says of props comes first, what it
//! inherits from others next, and the number of those that are left out stands in their place.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::node::NodeSource;
use crate::json;
use crate::model::{DeclarationDetail, LocalFacts, LogicSignature, PropType, TypeShape, UnresolvedType};

/// The name of the entry that counts what was left out.
const MORE: &str = "…";
/// Fewer cost little, whatever they are.
const FEW: usize = 6;

pub(super) fn fitting<'a>(source: &NodeSource<'a>, room: usize) -> Cow<'a, LogicSignature> {
    let whole = &source.contract.logic_signature;
    if whole.props.len() <= FEW {
        return Cow::Borrowed(whole);
    }
    let mut written = String::new();
    let cost = |(name, prop): (&String, &PropType)| {
        written.clear();
        json::write(&mut written, prop);
        name.len() + 4 + written.len()
    };
    let costs: Vec<usize> = whole.props.iter().map(cost).collect();
    if costs.iter().sum::<usize>() <= room {
        return Cow::Borrowed(whole);
    }
    let own = own_names(source.facts);
    let is_own: Vec<bool> = whole.props.keys().map(|name| own.contains(name.as_str())).collect();
    let (mine, inherited): (Vec<usize>, Vec<usize>) = (0..costs.len()).partition(|at| is_own[*at]);
    let mut spent = 0;
    let kept: FxHashSet<usize> = mine
        .into_iter()
        .chain(inherited)
        .take_while(|at| {
            spent += costs[*at];
            spent <= room
        })
        .collect();
    let more = whole.props.len() - kept.len();
    let more = (MORE.to_owned(), PropType::Plain(format!("{more} more")));
    let kept = whole.props.iter().enumerate().filter(|(at, _)| kept.contains(at));
    let props = kept.map(|(_, (name, prop))| (name.clone(), prop.clone())).chain([more]).collect();
    let LogicSignature { props: _, emits, state, api_signature } = whole;
    let (emits, state, api_signature) = (emits.clone(), state.clone(), api_signature.clone());
    Cow::Owned(LogicSignature { props, emits, state, api_signature })
}

/// Types that no file of the project declares, and how many more there are.
pub(super) fn named_in(all: &[UnresolvedType], room: usize) -> Cow<'_, [UnresolvedType]> {
    let mut spent = 0;
    let fits = |one: &&UnresolvedType| {
        spent += serde_json::to_string(one).map_or(0, |text| text.len());
        spent <= room
    };
    let kept = all.iter().take_while(fits).count();
    if kept == all.len() {
        return Cow::Borrowed(all);
    }
    let more = UnresolvedType {
        name: MORE.to_owned(),
        from: Some(format!("{} more", all.len() - kept)),
        ..UnresolvedType::default()
    };
    all[..kept].iter().cloned().chain([more]).collect()
}

/// Names of members that types and components of the file say themselves.
fn own_names(facts: &LocalFacts) -> FxHashSet<&str> {
    let mut names = FxHashSet::default();
    for declaration in &facts.declarations {
        match &declaration.detail {
            DeclarationDetail::Shape { shape, .. } => members(shape, &mut names),
            DeclarationDetail::Component(component) => {
                names.extend(component.destructured.iter().map(|(name, _)| name.as_str()));
                if let Some(props) = &component.props {
                    members(props, &mut names);
                }
            }
            _ => {}
        }
    }
    names
}

fn members<'f>(shape: &'f TypeShape, names: &mut FxHashSet<&'f str>) {
    match shape {
        TypeShape::Object(members) => names.extend(members.iter().map(|member| member.name.as_str())),
        TypeShape::Intersection(parts) | TypeShape::Union(parts) => {
            for part in parts {
                members(part, names);
            }
        }
        TypeShape::Generic { shape, .. } => members(shape, names),
        TypeShape::Reference { arguments, .. } => {
            for part in arguments {
                members(part, names);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CodeMode, Thrift, node};
    use super::*;
    use crate::graph::{Member, Slice};
    use crate::language::Reader;
    use crate::link::{link, link_alone};
    use crate::model::SchemaVersion;
    use crate::target::Target;

    #[test]
    fn a_file_says_its_own_props_first_and_counts_the_others() {
        let inherited: Vec<String> =
            (0..100).map(|at| format!("a{at}?: string | number | undefined")).collect();
        let base = format!("export interface Base {{ {} }}", inherited.join("; "));
        let text = "import type { Base } from './base';\n\
            export function Card({ title }: Base & { title: string; zoom?: number }) { return <b>{title}</b>; }";
        let mut reader = Reader::new();
        let (base, facts) = (reader.read("base.ts", &base), reader.read("card.tsx", text));
        let targets = [("./base".to_owned(), Target::File("src/base.ts".to_owned()))].into();
        let member = |path, facts| Member { path, facts, targets: &targets };
        let members = [member("src/base.ts", &base), member("src/card.tsx", &facts)];
        let contract = link(&Slice(&members), 1).contract;
        assert_eq!(contract.logic_signature.props.len(), 102);
        let source =
            |thrift| NodeSource { contract: &contract, facts: &facts, tokens: 625, thrift, code: None };
        let props = |thrift, schema| {
            let text = node(&source(thrift), schema, CodeMode::None).text;
            let node: serde_json::Value = serde_json::from_str(&text).unwrap();
            let field = if schema == SchemaVersion::V04 { "interface" } else { "logicSignature" };
            node["contract"][field]["props"].as_object().unwrap().clone()
        };
        let cut = props(Thrift::Texts, SchemaVersion::V03);
        assert!(cut.contains_key("title") && cut.contains_key("zoom"), "{cut:?}");
        assert_eq!(cut["…"], format!("{} more", 102 - (cut.len() - 1)));
        assert!(cut.len() < 12, "{cut:?}");
        assert_eq!(props(Thrift::None, SchemaVersion::V03).len(), 102);
        assert_eq!(props(Thrift::Texts, SchemaVersion::V04).len(), 102);
        let alone = link_alone("src/card.tsx", &facts).contract;
        assert!(!alone.logic_signature.props.contains_key("…"));
    }
}
