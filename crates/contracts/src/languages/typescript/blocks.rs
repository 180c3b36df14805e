//! What a namespace, or a block that is declared for a module, shows to others.

use becket_base::divided;
use oxc_ast::ast::{
    Declaration, ExportDefaultDeclarationKind, ModuleExportName, Statement, TSImportEqualsDeclaration,
    TSModuleReference, TSNamespaceDeclaration, TSNamespaceDeclarationBody,
};

use super::component::Callable;
use super::modules::{self, DEFAULT, declared_names};
use super::print::{Print, join, quoted, type_name};
use super::shape;
use super::value::digest;
use crate::brackets::{group, split};
use crate::model::{Declaration as Facts, DeclarationDetail, DeclarationKind, Lines, TypeShape};
use crate::render::named;

/// Longer ones are known by the names of what they hold, with digests, so that a change of it is seen all the same.
const LONGEST: usize = 1000;

/// A member of a long block: `name: #5f3a9c1e`. What a function need not be given stands apart, for it may be more:
/// `name: #5f3a9c1e?07a2`.
pub(crate) fn brief(name: &str, text: &str) -> String {
    let is_function = matches!(named(text), Some((DeclarationKind::Function | DeclarationKind::Hook, ..)));
    let Some((start, end)) = group(text, '(', ')').filter(|_| is_function) else {
        return format!("{name}: {}", digest(text));
    };
    let mut needed = split(&text[start + 1..end], &[',']);
    let first = needed.iter().rposition(|one| !need_not_be_given(one)).map_or(0, |last| last + 1);
    let others = needed.split_off(first);
    let rest = digest(&[&text[..start], &needed.join(", "), &text[end..]].join("("));
    let others = others.iter().map(|one| format!("?{}", &digest(one)[1..5]));
    format!("{name}: {rest}{}", others.collect::<String>())
}

/// `far?: number`, `far = 1`, `...all: number[]`
fn need_not_be_given(parameter: &str) -> bool {
    let count = |text: &str, signs: &[char]| text.matches(signs).count();
    let is_open = |text: &str| count(text, &['{', '[', '(']) > count(text, &['}', ']', ')']);
    let name = divided::before_first(parameter, b':');
    let default = parameter.split_once(" = ").is_some_and(|(before, _)| !is_open(before));
    parameter.starts_with("...") || name.ends_with('?') || default
}

/// One thing that can be reached through a block.
enum Shown<'x, 'a> {
    Declared(&'x Declaration<'a>),
    /// `export { local as name }`
    Listed {
        local: String,
        name: String,
        declared: Vec<&'x Declaration<'a>>,
    },
    Default(&'x ExportDefaultDeclarationKind<'a>),
}

/// Whether exports that declare nothing say what is exported: where there is one, nothing else is by itself.
pub(super) fn lists(body: &[Statement<'_>]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::ExportAllDeclaration(_)
        | Statement::TSExportAssignment(_) => true,
        Statement::ExportDefaultDeclaration(export) => export.declaration.is_expression(),
        _ => false,
    })
}

/// In an ambient block everything is shown, unless a list says what is.
fn shown<'x, 'a>(body: &'x [Statement<'a>], is_ambient: bool) -> Vec<Shown<'x, 'a>> {
    let is_implied = is_ambient && !lists(body);
    let named = |name: &ModuleExportName<'_>| name.name().into_string();
    let listed = |local: String, name: String| {
        let all = body.iter().filter_map(|statement| match statement {
            Statement::ExportDeclaration(_) => None,
            other => other.as_declaration(),
        });
        let declared = all.filter(|declared| declared_names(declared).contains(&local)).collect();
        Shown::Listed { local, name, declared }
    };
    let mut found = Vec::new();
    for statement in body {
        match statement {
            Statement::ExportDeclaration(export) => found.push(Shown::Declared(&export.declaration)),
            Statement::ExportNamedDeclaration(export) => {
                let each = export.specifiers.iter();
                found.extend(each.map(|one| listed(named(&one.local), named(&one.exported))));
            }
            Statement::ExportFromDeclaration(export) => {
                for one in &export.specifiers {
                    let local = format!("import('{}').{}", export.source.value, named(&one.local));
                    found.push(Shown::Listed { local, name: named(&one.exported), declared: Vec::new() });
                }
            }
            Statement::ExportAllDeclaration(export) => {
                let name = export.exported.as_ref().map_or_else(|| "*".to_owned(), named);
                let local = format!("import('{}')", export.source.value);
                found.push(Shown::Listed { local, name, declared: Vec::new() });
            }
            Statement::ExportDefaultDeclaration(export) => {
                let name = export.declaration.as_expression().and_then(modules::named);
                found.push(match name {
                    Some(name) => listed(name, DEFAULT.to_owned()),
                    None => Shown::Default(&export.declaration),
                });
            }
            Statement::TSExportAssignment(export) => {
                let name = modules::named(&export.expression);
                found.extend(name.map(|name| listed(name, DEFAULT.to_owned())));
            }
            other if is_implied => found.extend(other.as_declaration().map(Shown::Declared)),
            _ => {}
        }
    }
    found
}

/// The names that can be reached through a namespace.
pub(super) fn names_of(namespace: &TSNamespaceDeclaration<'_>, is_ambient: bool) -> Vec<String> {
    match &namespace.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => vec![inner.id.name.into_string()],
        TSNamespaceDeclarationBody::TSModuleBlock(block) => names(&block.body, is_ambient),
    }
}

/// The names that can be reached through a block.
pub(super) fn names(body: &[Statement<'_>], is_ambient: bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for one in shown(body, is_ambient) {
        match one {
            Shown::Declared(declaration) => names.extend(declared_names(declaration)),
            Shown::Listed { name, .. } => names.extend((name != "*").then_some(name)),
            Shown::Default(_) => names.push(DEFAULT.to_owned()),
        }
    }
    names.dedup();
    names
}

/// The types of a namespace, by their whole names.
pub(super) fn of_namespace(
    print: Print<'_, '_>,
    namespace: &TSNamespaceDeclaration<'_>,
) -> DeclarationDetail {
    let types = types_within(print, namespace, "");
    if types.is_empty() { DeclarationDetail::None } else { DeclarationDetail::Namespace { types } }
}

fn types_within(print: Print<'_, '_>, namespace: &TSNamespaceDeclaration<'_>, around: &str) -> Vec<Facts> {
    let around = format!("{around}{}.", namespace.id.name);
    match &namespace.body {
        TSNamespaceDeclarationBody::TSModuleBlock(block) => types(print, &block.body, &around),
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => types_within(print, inner, &around),
    }
}

/// The types that a block declares, those of namespaces in it among them, with what stands `around` before their names. Of
/// a block for a module, which is around nothing, only its own.
pub(super) fn types(print: Print<'_, '_>, body: &[Statement<'_>], around: &str) -> Vec<Facts> {
    let declared = body.iter().filter_map(|statement| match statement {
        Statement::ExportDeclaration(export) => Some(&export.declaration),
        other => other.as_declaration(),
    });
    let mut found = Vec::new();
    for declaration in declared {
        let (id, kind, detail) = match declaration {
            Declaration::TSInterfaceDeclaration(one) => {
                (&one.id, DeclarationKind::Interface, shape::of_interface(print, one))
            }
            Declaration::TSTypeAliasDeclaration(one) => {
                (&one.id, DeclarationKind::Type, shape::of_alias(print, one))
            }
            Declaration::TSNamespaceDeclaration(inner) if !around.is_empty() => {
                merge(&mut found, types_within(print, inner, around));
                continue;
            }
            _ => continue,
        };
        let one = Facts {
            name: format!("{around}{}", id.name),
            kind,
            exported: false,
            signatures: Vec::new(),
            decorators: Vec::new(),
            given_by: Vec::new(),
            doc: None,
            lines: Lines::default(),
            detail,
            parts: Vec::new(),
        };
        if around.is_empty() {
            found.push(one);
        } else {
            merge(&mut found, vec![one]);
        }
    }
    found
}

/// An interface that is declared again has the members of both.
pub(super) fn merge(known: &mut Vec<Facts>, more: Vec<Facts>) {
    for one in more {
        let same = known.iter_mut().find(|same| same.name == one.name && same.kind == one.kind);
        match (same.map(|same| &mut same.detail), one.detail) {
            (Some(DeclarationDetail::Shape { shape, .. }), DeclarationDetail::Shape { shape: more, .. }) => {
                let first = std::mem::replace(shape, TypeShape::Object(Vec::new()));
                *shape = TypeShape::Intersection(vec![first, more]);
            }
            (_, detail) => known.push(Facts { detail, ..one }),
        }
    }
}

impl Print<'_, '_> {
    pub(super) fn namespace(self, namespace: &TSNamespaceDeclaration<'_>, is_ambient: bool) -> String {
        let is_ambient = is_ambient || namespace.declare;
        // `namespace A.B { … }` is one in another.
        let body = match &namespace.body {
            TSNamespaceDeclarationBody::TSModuleBlock(block) => self.block(&block.body, is_ambient),
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                format!("{{ {} }}", self.namespace(inner, is_ambient))
            }
        };
        format!("namespace {} {body}", namespace.id.name)
    }

    /// `{ … }` with what can be reached through it.
    pub(super) fn block(self, body: &[Statement<'_>], is_ambient: bool) -> String {
        let mut members: Vec<(String, String)> = Vec::new();
        for one in shown(body, is_ambient) {
            let told = match one {
                Shown::Declared(declaration) => self.declared(declaration, is_ambient),
                Shown::Listed { local, name, declared } => {
                    let declared = declared.into_iter().flat_map(|one| self.declared(one, is_ambient));
                    let mut told: Vec<_> = declared.filter(|(declares, _)| *declares == local).collect();
                    let as_is = local == name;
                    if !as_is || told.is_empty() {
                        let list = if as_is { local } else { format!("{local} as {name}") };
                        told.push((name, format!("export {{ {list} }}")));
                    }
                    told
                }
                Shown::Default(declaration) => self.default(declaration).into_iter().collect(),
            };
            let is_new = |one: &(String, String)| !members.contains(one);
            let told: Vec<_> = told.into_iter().filter(is_new).collect();
            members.extend(told);
        }
        let whole = join(members.iter().map(|(_, text)| text.clone()), "; ");
        let text = if whole.len() <= LONGEST {
            whole
        } else {
            join(members.iter().map(|(name, text)| brief(name, text)), "; ")
        };
        if text.is_empty() { "{}".to_owned() } else { format!("{{ {text} }}") }
    }

    /// Each name of a declaration, and its text.
    fn declared(self, declaration: &Declaration<'_>, is_ambient: bool) -> Vec<(String, String)> {
        let name = declaration.id().map_or_else(String::new, |id| id.name.into_string());
        let text = match declaration {
            Declaration::FunctionDeclaration(function) => self.function(function, &name),
            Declaration::ClassDeclaration(class) => self.class(class, &name),
            Declaration::TSInterfaceDeclaration(interface) => self.interface(interface),
            Declaration::TSTypeAliasDeclaration(alias) => self.alias(alias),
            Declaration::TSEnumDeclaration(declared) => self.enumeration(declared),
            Declaration::TSNamespaceDeclaration(namespace) => {
                let name = namespace.id.name.into_string();
                return vec![(name, self.namespace(namespace, is_ambient))];
            }
            Declaration::VariableDeclaration(variables) => {
                let each = variables.declarations.iter().filter_map(|one| {
                    let name = one.id.get_identifier_name()?;
                    Some((name.into_string(), self.variable(variables.kind.as_str(), one, &name)))
                });
                return each.collect();
            }
            Declaration::TSImportEqualsDeclaration(import) => {
                return vec![(import.id.name.into_string(), self.import_equals(import))];
            }
            other => return declared_names(other).into_iter().map(|name| (name.clone(), name)).collect(),
        };
        vec![(name, text)]
    }

    /// `import Part = Whole.Part`
    pub(super) fn import_equals(self, import: &TSImportEqualsDeclaration<'_>) -> String {
        let of = match &import.module_reference {
            TSModuleReference::ExternalModuleReference(other) => {
                format!("require({})", quoted(&other.expression.value))
            }
            TSModuleReference::IdentifierReference(other) => other.name.into_string(),
            TSModuleReference::QualifiedName(other) => {
                format!("{}.{}", type_name(&other.left), other.right.name)
            }
        };
        format!("import {} = {of}", import.id.name)
    }

    fn default(self, declaration: &ExportDefaultDeclarationKind<'_>) -> Option<(String, String)> {
        let text = match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                format!("const {DEFAULT}: {}", self.callable(Callable::Function(function), None))
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => self.class(class, DEFAULT),
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                format!("default {}", self.interface(interface))
            }
            other => format!("const {DEFAULT}: {}", self.value_type(other.as_expression()?)),
        };
        Some((DEFAULT.to_owned(), text))
    }
}
