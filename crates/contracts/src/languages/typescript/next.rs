//! What a file exports by the names that Next.js reads. Whether Next.js reads them depends on the path: see `link`.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    AssignmentTarget, Class, ExportDefaultDeclarationKind, Expression, ObjectPropertyKind, Program, Statement,
};
use serde_json::{Value, json};

use super::body::text_of;
use super::modules::{self, DEFAULT, Modules};
use super::print::Print;
use crate::model::{Directive, Export, ExportOrigin, NextExports, NextMetadata};

const DATA: &[&str] = &[
    "config",
    "dynamic",
    "dynamicParams",
    "fetchCache",
    "generateImageMetadata",
    "generateSitemaps",
    "generateStaticParams",
    "generateViewport",
    INITIAL,
    "getServerSideProps",
    "getStaticPaths",
    "getStaticProps",
    "maxDuration",
    "preferredRegion",
    "revalidate",
    "runtime",
    "viewport",
];

/// What a page has as a member, and not as an export.
const INITIAL: &str = "getInitialProps";

pub(super) fn directive(program: &Program<'_>) -> Option<Directive> {
    program.directives.iter().find_map(|directive| match directive.directive.as_str() {
        "use client" => Some(Directive::Client),
        "use server" => Some(Directive::Server),
        _ => None,
    })
}

pub(super) fn exports(
    program: &Program<'_>,
    modules: &Modules<'_>,
    print: Print<'_, '_>,
    actions: BTreeSet<String>,
) -> NextExports {
    let names: Vec<&str> = modules.exports.iter().map(|export| export.name.as_str()).collect();
    let known = |list: &[&str]| -> Vec<String> {
        list.iter().filter(|name| names.contains(name)).map(|name| (*name).to_owned()).collect()
    };
    let mut data: Vec<String> = known(DATA);
    if default_has(INITIAL, program, &modules.exports) && !data.iter().any(|one| one == INITIAL) {
        data.push(INITIAL.to_owned());
        data.sort();
    }
    let dynamic = names.contains(&"generateMetadata");
    let literals = names.contains(&"metadata").then(|| metadata(program, print));
    NextExports {
        metadata: (dynamic || literals.is_some())
            .then(|| NextMetadata { literals: literals.unwrap_or_default(), dynamic }),
        methods: known(NextExports::METHODS),
        data,
        actions: actions.into_iter().collect(),
        imports_next: modules.imports_from(|from| from == "next" || from.starts_with("next/")),
    }
}

/// Whether what is exported by default has a member: `Page.getInitialProps = …`, `static getInitialProps()`.
fn default_has(member: &str, program: &Program<'_>, exports: &[Export]) -> bool {
    let Some(local) = exports.iter().filter(|one| one.name == DEFAULT).find_map(|one| match &one.origin {
        ExportOrigin::Local(local) => Some(local.as_str()),
        ExportOrigin::Module { .. } => None,
    }) else {
        return false;
    };
    let is_in = |class: &Class<'_>| {
        class
            .body
            .body
            .iter()
            .any(|one| one.r#static() && one.static_name().is_some_and(|name| name == member))
    };
    program.body.iter().any(|statement| match statement {
        Statement::ExpressionStatement(statement) => match &statement.expression {
            Expression::AssignmentExpression(assignment) => match &assignment.left {
                AssignmentTarget::StaticMemberExpression(left) => {
                    left.property.name == member && left.object.is_specific_id(local)
                }
                _ => false,
            },
            _ => false,
        },
        Statement::ClassDeclaration(class) => {
            class.id.as_ref().is_some_and(|id| id.name == local) && is_in(class)
        }
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => is_in(class),
            _ => false,
        },
        _ => false,
    })
}

fn metadata(program: &Program<'_>, print: Print<'_, '_>) -> BTreeMap<String, Value> {
    let object = modules::constants(program).find_map(|(name, value)| match value.get_inner_expression() {
        Expression::ObjectExpression(object) if name == "metadata" => Some(object),
        _ => None,
    });
    let properties = object.into_iter().flat_map(|object| &object.properties);
    let properties = properties.filter_map(ObjectPropertyKind::as_property);
    properties
        .map(|property| (print.key(&property.key, property.computed), literal(print, &property.value)))
        .collect()
}

fn literal(print: Print<'_, '_>, value: &Expression<'_>) -> Value {
    match value.get_inner_expression() {
        Expression::NumericLiteral(number) => json!(number.value),
        Expression::BooleanLiteral(flag) => json!(flag.value),
        Expression::NullLiteral(_) => Value::Null,
        Expression::ObjectExpression(object) => {
            let properties = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
            let fields = properties.map(|property| {
                (print.key(&property.key, property.computed), literal(print, &property.value))
            });
            Value::Object(fields.collect())
        }
        Expression::ArrayExpression(array) => {
            let elements = array.elements.iter().filter_map(|element| element.as_expression());
            Value::Array(elements.map(|element| literal(print, element)).collect())
        }
        other => json!(text_of(other).unwrap_or_else(|| format!("${{{}}}", print.short(other)))),
    }
}
