//! A contract with the code beside it, as it stands in bundles. In `none` and `header` what is private is a name, and
//! signatures take the room that the seed's fields leave them (`thrift`). In `full` everything is written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::thrift::{Thrift, Words};
use super::{CodeMode, merged};
use crate::header;
use crate::json::{self, quote};
use crate::languages::typescript::is_hook;
use crate::model::{
    Contract, ContractDeclaration, DeclarationKind, Exports, LocalFacts, LogicSignature, PropType, Route,
    SHARED_GUARDS, SchemaVersion, UnresolvedType, Version, fold_route, shared, unfold,
};

/// Room for a header however small the file is.
const LEAST_HEADER: usize = 80;

/// Bytes of a node, usually.
const USUAL: usize = 4096;

/// Everything that a node is made of.
#[derive(Debug, Clone, Copy)]
pub struct NodeSource<'a> {
    pub contract: &'a Contract,
    pub facts: &'a LocalFacts,
    /// Of the source.
    pub tokens: usize,
    pub thrift: Thrift,
    /// The source without its secrets, which `full` alone writes.
    pub code: Option<&'a str>,
}

/// A node as compact JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeText {
    pub text: String,
    /// Where the contract begins; before it is only the name of the file.
    pub contract: usize,
}

pub fn node(source: &NodeSource<'_>, schema: SchemaVersion, mode: CodeMode) -> NodeText {
    let contract = source.contract;
    let mut text = String::with_capacity(USUAL);
    text.push_str("{\"entryId\":");
    quote(&mut text, &contract.entry_id);
    text.push_str(",\"contract\":");
    let start = text.len();
    let whole = |mut text: String| {
        text.push('}');
        // It is kept for as long as the index is.
        text.shrink_to_fit();
        NodeText { contract: start, text }
    };
    let add_header = |text: &mut String, room: usize| {
        text.push_str(",\"codeHeader\":");
        let header = header::code_header(source.facts, room);
        if header.is_empty() { text.push_str("null") } else { quote(text, &header) }
    };
    if mode == CodeMode::Full {
        text.push_str(&contract.to_json(schema).to_string());
        add_header(&mut text, usize::MAX);
        if let Some(code) = source.code {
            text.push_str(",\"code\":");
            quote(&mut text, code);
        }
        return whole(text);
    }
    let share = source.thrift.share(mode);
    // The original's readers want every field, and all of it.
    let room = share.filter(|_| schema == SchemaVersion::V03).map(|share| share.props(source.tokens));
    let (merged, unresolved) = match room {
        Some(room) => (merged::fitting(source, room), merged::named_in(&contract.unresolved, room / 2)),
        None => (Cow::Borrowed(&contract.logic_signature), Cow::Borrowed(&contract.unresolved[..])),
    };
    let frame =
        |words| Frame { contract, merged: &merged, unresolved: &unresolved, schema, signatures: &[], words };
    let fits = |text: &str| share.is_some_and(|share| text.len() - start <= share.fields(source.tokens));
    let choices =
        share.filter(|_| schema == SchemaVersion::V03).map_or(&[Words::All][..], |share| share.words);
    // From the fewest on, which most small files have to do with.
    let (fewest, more) = choices.split_last().unwrap_or((&Words::All, &[]));
    let mut words = *fewest;
    frame(words).write(&mut text, start);
    let more = if fits(&text) { more } else { &[] };
    for choice in more.iter().rev() {
        let mut wordier = String::with_capacity(USUAL);
        wordier.push_str(&text[..start]);
        frame(*choice).write(&mut wordier, start);
        if !fits(&wordier) {
            break;
        }
        (text, words) = (wordier, *choice);
    }
    let written = text.len() - start;
    let room = share.map_or(usize::MAX, |share| share.texts(source.tokens).saturating_sub(written));
    if mode == CodeMode::Header {
        add_header(&mut text, room.max(LEAST_HEADER));
        return whole(text);
    }
    let signatures = header::signatures(source.facts, room);
    if !signatures.is_empty() {
        Frame { signatures: &signatures, ..frame(words) }.write(&mut text, start);
    }
    whole(text)
}

/// The contract in a node: of `none` and `header` with what its signatures tell of the declarations.
pub fn read_node(node: &Value) -> Result<Contract, serde_json::Error> {
    let mut value = node.get("contract").cloned().unwrap_or_default();
    let mut lines = Vec::new();
    // A contract that has all of its words lists its imports, if only to say that there are none.
    let lists = ["version", "composition"].iter().find_map(|name| value.get(name));
    let brief = lists.and_then(|lists| lists.get("imports")).is_none();
    unfold(&mut value);
    if let Some(fields) = value.as_object_mut() {
        let listed = fields.get("declarations").and_then(Value::as_array);
        if listed.is_some_and(|listed| listed.iter().any(Value::is_string)) {
            let listed = fields.shift_remove("declarations");
            let texts = listed.as_ref().and_then(Value::as_array).into_iter().flatten();
            lines.extend(texts.filter_map(Value::as_str).map(str::to_owned));
        }
        if let Some(names) = fields.shift_remove("private") {
            let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
            lines.extend(names.map(|name| format!("private {name}")));
        }
    }
    let mut contract: Contract = serde_json::from_value(value)?;
    contract.brief = brief;
    if contract.entry_id.is_empty() {
        node.get("entryId").and_then(Value::as_str).unwrap_or_default().clone_into(&mut contract.entry_id);
    }
    if brief {
        for route in &mut contract.routes {
            if route.has_path_parameters() && route.parameters.is_empty() {
                route.parameters = Route::path_parameters(&route.path);
            }
        }
    }
    if contract.declarations.is_empty() {
        let header = node.get("codeHeader").and_then(Value::as_str).unwrap_or_default();
        let declared = header.lines().filter(|line| !line.starts_with('/'));
        let declared = declared.map(|line| line.strip_prefix("export ").unwrap_or(line));
        lines.extend(declared.map(|line| line.split(" // ").next().unwrap_or(line).to_owned()));
        contract.declarations = declarations(&lines);
    }
    let LogicSignature { props, emits, .. } = &mut contract.logic_signature;
    for (name, emitted) in emits.each_mut() {
        if let (true, Some(prop @ PropType::Described { kind, .. })) =
            (said_by_prop(emitted), props.get(name))
        {
            if kind == "function" {
                *emitted = prop.clone();
            }
        }
    }
    Ok(contract)
}

/// The contract without what stands elsewhere in the node.
#[derive(Clone, Copy)]
struct Frame<'a> {
    contract: &'a Contract,
    merged: &'a LogicSignature,
    unresolved: &'a [UnresolvedType],
    schema: SchemaVersion,
    signatures: &'a [String],
    words: Words,
}

impl Frame<'_> {
    /// In the place of whatever stands in a text from `start` on.
    fn write(&self, text: &mut String, start: usize) {
        text.truncate(start);
        json::write(text, self);
    }
}

impl Serialize for Frame<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let contract = self.contract;
        let today = self.schema == SchemaVersion::V04;
        let mut map = serializer.serialize_map(None)?;
        if self.words < Words::Own {
            map.serialize_entry("type", &contract.type_name)?;
            map.serialize_entry("schemaVersion", self.schema.as_str())?;
        }
        map.serialize_entry("kind", &contract.kind)?;
        let signature = Signature(self.merged);
        let keeps_empty = self.words < Words::Filled;
        if today {
            map.serialize_entry("entryId", &contract.entry_id)?;
            map.serialize_entry("description", &contract.description)?;
            map.serialize_entry("composition", &contract.version.with_every_list())?;
            map.serialize_entry("interface", &signature)?;
        } else {
            if self.words < Words::Least {
                map.serialize_entry("description", &contract.description)?;
            }
            if self.words < Words::Once {
                map.serialize_entry("version", &contract.version)?;
            } else {
                let lists = private_lists(contract);
                if keeps_empty || !lists.is_empty() {
                    map.serialize_entry("version", &lists)?;
                }
            }
            if keeps_empty || contract.logic_signature != LogicSignature::default() {
                map.serialize_entry("logicSignature", &signature)?;
            }
        }
        if !contract.exports.is_empty() {
            if today {
                map.serialize_entry("exports", &contract.exports.as_04())?;
            } else if keeps_empty || !contract.exports.named.is_empty() {
                map.serialize_entry("exports", &contract.exports)?;
            } else {
                map.serialize_entry("exports", &unnamed(&contract.exports))?;
            }
        }
        if !self.signatures.is_empty() {
            map.serialize_entry("declarations", self.signatures)?;
        }
        let private: Vec<&str> = contract
            .declarations
            .iter()
            .filter(|one| !one.exported && !is_listed(one.kind))
            .map(|one| one.name.as_str())
            .collect();
        if !private.is_empty() {
            map.serialize_entry("private", &private)?;
        }
        if !contract.routes.is_empty() {
            let shared = shared(&contract.routes);
            if !shared.is_empty() {
                map.serialize_entry(SHARED_GUARDS, shared)?;
            }
            if keeps_empty && shared.is_empty() {
                map.serialize_entry("routes", &contract.routes)?;
            } else {
                let each = contract.routes.iter().map(|route| told_route(route, shared, !keeps_empty));
                map.serialize_entry("routes", &each.collect::<Vec<_>>())?;
            }
        }
        if let Some(nextjs) = &contract.nextjs {
            match nextjs.directive.filter(|_| !keeps_empty && nextjs.tells_directive_only()) {
                Some(directive) => {
                    map.serialize_entry("nextjs", &BTreeMap::from([("directive", directive)]))?;
                }
                None => map.serialize_entry("nextjs", nextjs)?,
            }
        }
        if let Some(style) = &contract.style {
            map.serialize_entry("style", style)?;
        }
        if !contract.prediction.is_empty() {
            map.serialize_entry("prediction", &contract.prediction)?;
        }
        if !self.unresolved.is_empty() {
            map.serialize_entry("unresolved", self.unresolved)?;
        }
        if !contract.diagnostics.is_empty() {
            map.serialize_entry("diagnostics", &contract.diagnostics)?;
        }
        map.serialize_entry("semanticHash", &contract.semantic_hash)?;
        if self.words == Words::All && !contract.file_hash.is_empty() {
            map.serialize_entry("fileHash", &contract.file_hash)?;
        }
        map.end()
    }
}

/// Exports of which none has a name, without the list of names.
fn unnamed(exports: &Exports) -> Value {
    let mut told = serde_json::to_value(exports).unwrap_or_default();
    if let Some(fields) = told.as_object_mut() {
        fields.remove("named");
    }
    told
}

/// A route without the guards that it shares; a brief one without what its path tells, and without its line.
fn told_route(route: &Route, shared: &[String], brief: bool) -> Value {
    let mut told = serde_json::to_value(route).unwrap_or_default();
    fold_route(&mut told, route, shared);
    if let Some(fields) = told.as_object_mut().filter(|_| brief) {
        fields.remove("line");
        if route.handler == Route::ANONYMOUS {
            fields.remove("handler");
        }
        if route.has_path_parameters() && route.parameters == Route::path_parameters(&route.path) {
            fields.remove("parameters");
        }
    }
    told
}

/// What `version` tells that neither the exports nor the edges do.
fn private_lists(contract: &Contract) -> BTreeMap<&'static str, Vec<&String>> {
    let exported = |name: &String| {
        contract.exports.named.binary_search(name).is_ok() || contract.exports.default.as_ref() == Some(name)
    };
    let Version { variables, hooks, components, functions, imports: _, language_specific: _ } =
        &contract.version;
    let lists: [(&str, Vec<&String>); 4] = [
        ("variables", variables.iter().filter(|name| !exported(name)).collect()),
        ("hooks", hooks.iter().collect()),
        ("components", components.iter().collect()),
        ("functions", functions.iter().filter(|name| !exported(name)).collect()),
    ];
    lists.into_iter().filter(|(_, list)| !list.is_empty()).collect()
}

/// Whether `version` names declarations of this kind already.
fn is_listed(kind: DeclarationKind) -> bool {
    use DeclarationKind::{Component, Constant, Function, Hook, Variable};
    matches!(kind, Component | Hook | Function | Constant | Variable)
}

/// The merged view; what an event looks like stands with the prop of its name.
struct Signature<'a>(&'a LogicSignature);

impl Serialize for Signature<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LogicSignature { props, emits, state, api_signature } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("props", props)?;
        let plain = said_once();
        let emits: BTreeMap<&String, &PropType> = emits
            .iter()
            .map(|(name, emitted)| (name, if props.get(name) == Some(emitted) { &plain } else { emitted }))
            .collect();
        map.serialize_entry("emits", &emits)?;
        if !state.is_empty() {
            map.serialize_entry("state", state)?;
        }
        if let Some(api) = api_signature {
            map.serialize_entry("apiSignature", api)?;
        }
        map.end()
    }
}

fn said_once() -> PropType {
    PropType::Described { kind: "function".to_owned(), literals: None, signature: None, optional: false }
}

fn said_by_prop(emitted: &PropType) -> bool {
    *emitted == said_once()
}

/// Declarations from their printed signatures; those of one name that follow each other are overloads.
fn declarations(lines: &[String]) -> Vec<ContractDeclaration> {
    let mut all: Vec<ContractDeclaration> = Vec::new();
    for line in lines {
        let Some((kind, name, signature)) = named(line) else { continue };
        // What is a type has the name of a value beside it, and is no part of that.
        let is_type = |kind| matches!(kind, DeclarationKind::Interface | DeclarationKind::Type);
        let is_more = |last: &&mut ContractDeclaration| {
            last.name == name && last.exported && is_type(last.kind) == is_type(kind)
        };
        match all.last_mut().filter(is_more) {
            Some(last) => last.signatures.push(signature.to_owned()),
            None => all.push(ContractDeclaration {
                name: name.to_owned(),
                kind,
                exported: !line.starts_with("private "),
                lines: crate::model::Lines { first: 0, last: 0 },
                signatures: if line.starts_with("private ") {
                    Vec::new()
                } else {
                    vec![signature.to_owned()]
                },
                decorators: Vec::new(),
                doc: None,
                form: None,
                props: Vec::new(),
                emits: Vec::new(),
                state: Vec::new(),
                imported: Vec::new(),
                given_by: Vec::new(),
                inherits: Vec::new(),
            }),
        }
    }
    all
}

/// Kind and name of a printed signature; `None` for a line that declares nothing (`{ a } from './b'`).
pub(crate) fn named(line: &str) -> Option<(DeclarationKind, &str, &str)> {
    let line = line.strip_prefix("default ").unwrap_or(line);
    if let Some(name) = line.strip_prefix("private ") {
        return Some((DeclarationKind::Type, name, ""));
    }
    // `declare global { … }`, `declare module 'x' { … }`
    let ambient = line.strip_prefix("declare ");
    if let Some(added) = ambient.filter(|added| added.starts_with("global") || added.starts_with("module ")) {
        let name = added.split_once(" {").map_or(added, |(name, _)| name);
        return Some((DeclarationKind::Namespace, name, line));
    }
    let mut rest = ambient.unwrap_or(line);
    for modifier in ["async ", "abstract "] {
        rest = rest.strip_prefix(modifier).unwrap_or(rest);
    }
    let words: [(&str, DeclarationKind); 11] = [
        ("function* ", DeclarationKind::Function),
        ("function ", DeclarationKind::Function),
        ("class ", DeclarationKind::Class),
        ("interface ", DeclarationKind::Interface),
        ("type ", DeclarationKind::Type),
        ("const enum ", DeclarationKind::Enum),
        ("enum ", DeclarationKind::Enum),
        ("const ", DeclarationKind::Constant),
        ("namespace ", DeclarationKind::Namespace),
        ("let ", DeclarationKind::Variable),
        ("var ", DeclarationKind::Variable),
    ];
    for (word, kind) in words {
        if let Some(rest) = rest.strip_prefix(word) {
            let end = rest.find(|letter: char| !(letter.is_alphanumeric() || "_$".contains(letter)));
            let name = match &rest[..end.unwrap_or(rest.len())] {
                // `export default class extends Base`
                "" | "extends" | "implements" => "default",
                name => name,
            };
            let value = rest[end.unwrap_or(rest.len())..].strip_prefix(": ").unwrap_or_default();
            let can_be_called = value.starts_with(['(', '<']) || value.starts_with("async ");
            let kind = match kind {
                DeclarationKind::Constant if can_be_called && value.contains("=>") => {
                    DeclarationKind::Function
                }
                other => other,
            };
            // What is a hook is told by its name alone.
            let is_hook = kind == DeclarationKind::Function && is_hook(name);
            // That it is there for everybody is said before its signature.
            return Some((if is_hook { DeclarationKind::Hook } else { kind }, name, ambient.unwrap_or(line)));
        }
    }
    let declares = !line.starts_with(['{', '*', '/']);
    declares.then_some((DeclarationKind::Constant, "default", line))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::language::Reader;
    use crate::link::link_alone;
    use serde_json::json;

    const SOURCE: &str = "/** Money. */\nexport interface Props { label: string; onPress?: (id: number) => void }\n\
        type Hidden = string;\nfunction helper() {}\n\
        /** Pays. */\nexport function pay(amount: number): Promise<void>;\nexport function pay(amount: string): Promise<void>;\n\
        export function pay(amount: any): any { return helper(amount); }\n\
        export const Button = ({ label, onPress }: Props) => <b onClick={() => onPress?.(1)}>{label}</b>;\n\
        export default class Wallet { open(): void {} }\n";

    fn written(mode: CodeMode, schema: SchemaVersion, thrift: Thrift, tokens: usize) -> (Contract, Value) {
        written_of(SOURCE, mode, schema, thrift, tokens)
    }

    fn written_of(
        text: &str,
        mode: CodeMode,
        schema: SchemaVersion,
        thrift: Thrift,
        tokens: usize,
    ) -> (Contract, Value) {
        let facts = Reader::new().read("a.tsx", text);
        let mut contract = link_alone("src/a.tsx", &facts).contract;
        contract.file_hash = crate::fingerprint::file_hash(text);
        contract.semantic_hash = crate::fingerprint::semantic_hash(&contract);
        let source = NodeSource { contract: &contract, facts: &facts, tokens, thrift, code: Some(text) };
        let node = node(&source, schema, mode);
        assert!(node.text[node.contract..].starts_with('{'));
        (contract, serde_json::from_str(&node.text).unwrap())
    }

    #[test]
    fn a_small_node_says_each_thing_once_and_is_read_back() {
        for mode in [CodeMode::None, CodeMode::Header] {
            for schema in [SchemaVersion::V03, SchemaVersion::V04] {
                let (contract, value) = written(mode, schema, Thrift::Texts, 100_000);
                let read = read_node(&value).unwrap();
                assert_eq!(read.entry_id, "src/a.tsx");
                assert_eq!(read.logic_signature, contract.logic_signature, "{mode:?} {schema}");
                assert_eq!(read.version, contract.version);
                assert_eq!(read.semantic_hash, contract.semantic_hash);
                let names: Vec<_> = read
                    .declarations
                    .iter()
                    .filter(|one| one.exported)
                    .map(|one| (one.name.as_str(), one.signatures.clone()))
                    .collect();
                let expected: Vec<_> = contract
                    .declarations
                    .iter()
                    .filter(|one| one.exported)
                    .map(|one| (one.name.as_str(), one.signatures.clone()))
                    .collect();
                assert_eq!(names, expected, "{mode:?} {schema}");
                assert_eq!(value["contract"]["private"], json!(["Hidden"]));
                assert_eq!(value.get("codeHeader").is_some(), mode == CodeMode::Header);
                assert_eq!(value["contract"].get("declarations").is_some(), mode == CodeMode::None);
            }
        }
    }

    const SEED: [&str; 8] = [
        "type",
        "schemaVersion",
        "kind",
        "description",
        "version",
        "logicSignature",
        "exports",
        "semanticHash",
    ];

    #[test]
    fn the_seeds_fields_stay_however_many_files_there_are() {
        for mode in [CodeMode::None, CodeMode::Header] {
            for (thrift, tokens) in [(Thrift::None, 10), (Thrift::Texts, 10), (Thrift::Fields, 100_000)] {
                let (contract, small) = written(mode, SchemaVersion::V03, thrift, tokens);
                for field in SEED {
                    assert!(small["contract"].get(field).is_some(), "{mode:?} {thrift:?} {field}: {small}");
                }
                assert_eq!(small["contract"]["version"], json!(contract.version));
                assert!(!read_node(&small).unwrap().brief);
            }
        }
    }

    #[test]
    fn small_files_among_many_leave_out_what_says_nothing_of_them() {
        let (contract, small) = written(CodeMode::None, SchemaVersion::V03, Thrift::Fields, 10);
        for absent in ["type", "schemaVersion", "description", "fileHash", "declarations"] {
            assert!(small["contract"].get(absent).is_none(), "{absent}: {small}");
        }
        assert_eq!(small["contract"]["version"], json!({"functions": ["helper"]}));
        let read = read_node(&small).unwrap();
        assert!(read.brief);
        assert_eq!((&read.exports, &read.logic_signature), (&contract.exports, &contract.logic_signature));
        let (_, small) = written(CodeMode::Header, SchemaVersion::V03, Thrift::Fields, 10);
        assert_eq!(small["contract"]["type"], "UIFContract");
        assert!(small["codeHeader"].as_str().unwrap().len() < LEAST_HEADER + 40, "{small}");
    }

    #[test]
    fn a_small_file_leaves_out_of_routes_and_directives_what_is_usual() {
        let text = "'use client';\nimport express from 'express';\nexport const router = express.Router();\n\
            router.get('/a/:id', (req, res) => { res.json(req.params.id); });\n\
            router.post('/b', save);\nfunction save(req, res) { res.send(req.body); }\n";
        let (contract, small) = written_of(text, CodeMode::None, SchemaVersion::V03, Thrift::Fields, 10);
        assert_eq!(contract.routes[0].parameters.len(), 1);
        assert_eq!(small["contract"]["nextjs"], json!({"directive": "client"}));
        let first = json!({"framework": "express", "method": "GET", "path": "/a/:id"});
        assert_eq!(small["contract"]["routes"][0], first);
        assert_eq!(small["contract"]["routes"][1]["handler"], "save");
        let read = read_node(&small).unwrap();
        assert_eq!(read.nextjs, contract.nextjs);
        let mut unplaced = contract.routes.clone();
        for route in &mut unplaced {
            route.line = 0;
        }
        assert_eq!(read.routes, unplaced);
        let (_, whole) = written_of(text, CodeMode::None, SchemaVersion::V03, Thrift::None, 10);
        assert_eq!(whole["contract"]["routes"], json!(contract.routes));
        assert_eq!(whole["contract"]["nextjs"]["isInAppDir"], false);
        let (contract, small) =
            written_of("export default 1;\n", CodeMode::None, SchemaVersion::V03, Thrift::Fields, 10);
        assert_eq!(small["contract"]["exports"], json!({"default": "default"}));
        assert_eq!(read_node(&small).unwrap().exports, contract.exports);
    }

    #[test]
    fn what_runs_before_many_routes_is_said_once() {
        let mut text = String::from("import express from 'express';\nexport const app = express();\n");
        text.push_str(
            "app.use(handlePressure({ limit: 9 }));\napp.get('/ping', ping);\napp.use(cookieParser());\n",
        );
        for at in 1..60 {
            writeln!(text, "app.get('/{at}', mayRead('{at}'), show);").unwrap();
        }
        text.push_str("app.use(authenticate({ strict: true }));\napp.get('/me', me);\n");
        let forms = [
            (CodeMode::None, Thrift::None),
            (CodeMode::None, Thrift::Fields),
            (CodeMode::Full, Thrift::None),
        ];
        for (mode, thrift) in forms {
            for schema in [SchemaVersion::V03, SchemaVersion::V04] {
                let (contract, written) = written_of(&text, mode, schema, thrift, 10);
                let told = &written["contract"];
                assert_eq!(
                    told["sharedGuards"],
                    json!(["handlePressure({ limit: 9 })", "cookieParser()"]),
                    "{told}"
                );
                let said = |at: usize| (&told["routes"][at]["shared"], &told["routes"][at]["guards"]);
                assert_eq!(said(0), (&json!(1), &Value::Null));
                assert_eq!(said(1), (&json!(2), &json!(["mayRead('1')"])));
                assert_eq!(said(60), (&json!(2), &json!(["authenticate({ strict: true })"])));
                let read = read_node(&written).unwrap();
                let guards =
                    |one: &Contract| one.routes.iter().map(|one| one.guards.clone()).collect::<Vec<_>>();
                assert_eq!(guards(&read), guards(&contract));
            }
        }
    }

    #[test]
    fn types_that_are_not_followed_have_the_room_of_props() {
        let bases: Vec<String> = (0..40).map(|at| format!("Base{at}")).collect();
        let text = format!(
            "import type {{ {} }} from 'elsewhere';\nexport function Card(props: {}) {{ return <b>{{props.a}}</b>; }}\n",
            bases.join(", "),
            bases.join(" & "),
        );
        let (contract, large) = written_of(&text, CodeMode::None, SchemaVersion::V03, Thrift::Texts, 100_000);
        assert_eq!(contract.unresolved.len(), 40);
        assert_eq!(large["contract"]["unresolved"], json!(contract.unresolved));
        let (_, small) = written_of(&text, CodeMode::None, SchemaVersion::V03, Thrift::Texts, 10);
        let told = small["contract"]["unresolved"].as_array().unwrap();
        assert!(told.len() < 6, "{told:?}");
        assert_eq!(told[told.len() - 1], json!({"name": "…", "from": format!("{} more", 41 - told.len())}));
    }

    #[test]
    fn full_cuts_nothing() {
        let (contract, full) = written(CodeMode::Full, SchemaVersion::V03, Thrift::Fields, 10);
        assert_eq!(full["code"], SOURCE);
        assert_eq!(read_node(&full).unwrap(), contract);
    }
}
