//! The printed signature of each kind of declaration: as declared, without its body.

use oxc_ast::ast::{
    AssignmentTarget, Class, ClassElement, Declaration, Decorator, Expression, Function,
    MethodDefinitionKind, MethodDefinitionType, PropertyDefinitionType, Statement, TSAccessibility,
    TSEnumDeclaration, TSEnumMemberName, TSInterfaceDeclaration, TSTypeAliasDeclaration, UnaryOperator,
    VariableDeclarator,
};

use super::component::Callable;
use super::jsdoc::{self, Said};
use super::modules::DEFAULT;
use super::print::{INFERRED, Print, join, listed, literal_type, type_name};
use super::value::{LONGEST_LITERAL, digest};
use super::within::Within;
use crate::model::is_for_react;

/// Longer decorators hold data.
const LONGEST_DECORATOR: usize = 120;
/// The members of longer namespaces are known by their names.
const LONGEST_NAMESPACE: usize = 1000;

impl Print<'_, '_> {
    pub(super) fn function(self, function: &Function<'_>, name: &str) -> String {
        let name = if name == DEFAULT { "" } else { name };
        let (parameters, returned, mark) =
            self.takes_and_gives(Callable::Function(function), function.span.start, None);
        [
            if function.r#async { "async function" } else { "function" },
            if function.generator { "*" } else { "" },
            if name.is_empty() { "" } else { " " },
            name,
            &self.type_parameters(function.type_parameters.as_deref()),
            "(",
            &parameters,
            "): ",
            &returned,
            mark,
        ]
        .concat()
    }

    /// Parameters and result, and what marks them where a comment says of which types they are.
    fn takes_and_gives(
        self,
        callable: Callable<'_, '_>,
        start: u32,
        outer: Option<&Within<'_, '_, '_>>,
    ) -> (String, String, &'static str) {
        let this = match callable {
            Callable::Function(function) => function.this_param.as_deref(),
            Callable::Arrow(_) => None,
        };
        let said = Said::of(self.source, start);
        let plain = self.parameters(callable.parameters(), this);
        let told = said.as_ref().map(|said| self.parameters_said(callable.parameters(), this, Some(said)));
        let told = told.filter(|told| *told != plain);
        let returns = said.and_then(|said| said.returns).filter(|_| callable.returned().is_none());
        let mark = if returns.is_some() || told.is_some() { jsdoc::MARK } else { "" };
        let parameters = told.unwrap_or(plain);
        let returned = returns.unwrap_or_else(|| match callable.returned() {
            Some(declared) => self.annotation(declared),
            None => self.given(callable, outer),
        });
        (parameters, returned, mark)
    }

    /// The type of a function that is a value.
    pub(super) fn callable(self, callable: Callable<'_, '_>, outer: Option<&Within<'_, '_, '_>>) -> String {
        let start = match callable {
            Callable::Function(function) => function.span.start,
            Callable::Arrow(arrow) => arrow.span.start,
        };
        let (parameters, returned, mark) = self.takes_and_gives(callable, start, outer);
        [
            if callable.is_async() { "async " } else { "" },
            &self.type_parameters(callable.type_parameters()),
            "(",
            &parameters,
            ") => ",
            &returned,
            mark,
        ]
        .concat()
    }

    pub(super) fn interface(self, interface: &TSInterfaceDeclaration<'_>) -> String {
        let parents = join(
            interface.extends.iter().map(|parent| {
                format!(
                    "{}{}",
                    type_name(&parent.type_name),
                    self.type_arguments(parent.type_arguments.as_deref())
                )
            }),
            ", ",
        );
        [
            "interface ",
            &interface.id.name,
            &self.type_parameters(interface.type_parameters.as_deref()),
            if parents.is_empty() { "" } else { " extends " },
            &parents,
            " ",
            &self.members(&interface.body.body),
        ]
        .concat()
    }

    pub(super) fn alias(self, alias: &TSTypeAliasDeclaration<'_>) -> String {
        let parameters = self.type_parameters(alias.type_parameters.as_deref());
        ["type ", &alias.id.name, &parameters, " = ", &self.ty(&alias.type_annotation)].concat()
    }

    pub(super) fn enumeration(self, declared: &TSEnumDeclaration<'_>) -> String {
        let members = declared.body.members.iter().map(|member| {
            let name = match &member.id {
                TSEnumMemberName::Identifier(name) => name.name.into_string(),
                TSEnumMemberName::String(text) | TSEnumMemberName::ComputedString(text) => {
                    listed(&text.value).into_owned()
                }
                TSEnumMemberName::ComputedTemplateString(template) => template
                    .single_quasi()
                    .map_or_else(|| self.template(template), |text| listed(&text).into_owned()),
            };
            match &member.initializer {
                Some(value) => format!("{name} = {}", self.short(value)),
                None => name,
            }
        });
        let members = join(members, ", ");
        format!(
            "{}enum {} {}",
            if declared.r#const { "const " } else { "" },
            declared.id.name,
            if members.is_empty() { "{}".to_owned() } else { format!("{{ {members} }}") }
        )
    }

    /// Public and protected members; what is private, by keyword or by `#`, is nobody's to use.
    pub(super) fn class(self, class: &Class<'_>, name: &str) -> String {
        let members = self.class_members(class, |_| true);
        let head = self.class_head(class, name);
        if members.is_empty() { head + " {}" } else { [&head, " { ", &members, " }"].concat() }
    }

    /// One that is a component: without what only React uses, and nobody extends it.
    pub(super) fn class_component(self, class: &Class<'_>, name: &str) -> String {
        let is_public = |element: &ClassElement<'_>| {
            element.accessibility() != Some(TSAccessibility::Protected)
                && !element.static_name().is_some_and(|name| is_for_react(&name))
        };
        let members = self.class_members(class, is_public);
        let head = self.class_head(class, name);
        if members.is_empty() { head } else { format!("{head} {{ {members} }}") }
    }

    fn class_members(self, class: &Class<'_>, is_shown: impl Fn(&ClassElement<'_>) -> bool) -> String {
        let elements = &class.body.body;
        let shown = elements
            .iter()
            .filter(|element| is_shown(element) && !self.implements_overload(element, elements));
        join(shown.flat_map(|element| self.class_element(element)).chain(self.made_fields(class)), "; ")
    }

    /// JavaScript declares a field where its constructor gives it a value: `this.name = name`.
    fn made_fields(self, class: &Class<'_>) -> Vec<String> {
        let elements = class.body.body.iter().filter(|_| self.source.is_javascript());
        let mut found: Vec<(&str, String)> = Vec::new();
        for element in elements {
            let ClassElement::MethodDefinition(method) = element else { continue };
            let made_in = Callable::Function(&method.value);
            let statements = match method.kind {
                MethodDefinitionKind::Constructor => made_in.statements(),
                _ => continue,
            };
            let said = Said::of(self.source, method.span.start);
            for statement in statements {
                let Statement::ExpressionStatement(made) = statement else { continue };
                let Expression::AssignmentExpression(made) = &made.expression else { continue };
                let AssignmentTarget::StaticMemberExpression(field) = &made.left else { continue };
                let name = field.property.name.as_str();
                let is_own = matches!(field.object, Expression::ThisExpression(_));
                if !is_own || found.iter().any(|(known, _)| *known == name) {
                    continue;
                }
                let parameter = match &made.right {
                    Expression::Identifier(value) => made_in.parameters().items.iter().position(|one| {
                        one.pattern.get_identifier_name().is_some_and(|own| own == value.name)
                    }),
                    _ => None,
                };
                let own = Said::of(self.source, made.span.start).and_then(|said| said.ty);
                let text = own.unwrap_or_else(|| match (parameter, &made.right) {
                    (Some(at), Expression::Identifier(value)) => said
                        .as_ref()
                        .and_then(|said| said.of_parameter(Some(&value.name), at))
                        .map_or_else(|| "any".to_owned(), |said| said.text),
                    (_, value) => self.value_type(value),
                });
                found.push((name, text));
            }
        }
        let declared = |name: &str| {
            let mut elements = class.body.body.iter();
            elements.any(|element| element.static_name().is_some_and(|own| own == name))
        };
        found.retain(|(name, _)| !declared(name));
        found.into_iter().map(|(name, text)| format!("{name}: {text}")).collect()
    }

    /// Without its members.
    pub(super) fn class_head(self, class: &Class<'_>, name: &str) -> String {
        let parent = class.heritage.as_ref().map(|heritage| {
            let arguments = self.type_arguments(heritage.type_arguments.as_deref());
            [" extends ", &self.expression(&heritage.expression), &arguments].concat()
        });
        let interfaces = join(
            class.implements.iter().map(|interface| {
                let arguments = self.type_arguments(interface.type_arguments.as_deref());
                format!("{}{arguments}", type_name(&interface.expression))
            }),
            ", ",
        );
        let name = if name == DEFAULT { "" } else { name };
        [
            if class.r#abstract { "abstract class" } else { "class" },
            if name.is_empty() { "" } else { " " },
            name,
            &self.type_parameters(class.type_parameters.as_deref()),
            &parent.unwrap_or_default(),
            if interfaces.is_empty() { "" } else { " implements " },
            &interfaces,
        ]
        .concat()
    }

    /// Those of the class, and those of its members behind their names; of a long one its name and a digest.
    pub(super) fn decorators(self, class: &Class<'_>) -> Vec<String> {
        let each = |decorator: &Decorator<'_>| {
            let text = format!("@{}", self.expression(&decorator.expression));
            if text.len() <= LONGEST_DECORATOR {
                return text;
            }
            format!("{}(…) {}", text.split('(').next().unwrap_or_default(), digest(&text))
        };
        let mut all: Vec<String> = class.decorators.iter().map(each).collect();
        for element in &class.body.body {
            let (decorators, key, computed) = match element {
                ClassElement::MethodDefinition(one) => (&one.decorators, &one.key, one.computed),
                ClassElement::PropertyDefinition(one) => (&one.decorators, &one.key, one.computed),
                ClassElement::AccessorProperty(one) => (&one.decorators, &one.key, one.computed),
                ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => continue,
            };
            all.extend(decorators.iter().map(|one| format!("{} {}", self.key(key, computed), each(one))));
        }
        all
    }

    /// Beside overloads the implementation is not one of the ways to call a method.
    fn implements_overload(self, element: &ClassElement<'_>, all: &[ClassElement<'_>]) -> bool {
        let ClassElement::MethodDefinition(method) = element else { return false };
        let key = || self.key(&method.key, method.computed);
        method.value.body.is_some()
            && all.iter().any(|other| match other {
                ClassElement::MethodDefinition(other) => {
                    other.value.body.is_none()
                        && other.kind == method.kind
                        && other.r#static == method.r#static
                        && self.key(&other.key, other.computed) == key()
                }
                _ => false,
            })
    }

    fn class_element(self, element: &ClassElement<'_>) -> Vec<String> {
        match element {
            ClassElement::MethodDefinition(method) => {
                // Who may not call it has to know.
                let function = &method.value;
                let mut printed = self.parameter_properties(method.kind, function);
                if is_hidden(method.accessibility) && method.kind == MethodDefinitionKind::Constructor {
                    printed.push("private constructor()".to_owned());
                    return printed;
                }
                if is_hidden(method.accessibility) || method.key.is_private_identifier() {
                    return Vec::new();
                }
                let (parameters, returned, mark) =
                    self.takes_and_gives(Callable::Function(function), method.span.start, None);
                let (colon, returned) = match method.kind {
                    MethodDefinitionKind::Constructor | MethodDefinitionKind::Set => ("", ""),
                    _ => (": ", &*returned),
                };
                printed.push(
                    [
                        modifiers(method.accessibility, method.r#static),
                        if method.r#type == MethodDefinitionType::TSAbstractMethodDefinition {
                            "abstract "
                        } else {
                            ""
                        },
                        match method.kind {
                            MethodDefinitionKind::Get => "get ",
                            MethodDefinitionKind::Set => "set ",
                            _ => "",
                        },
                        if function.r#async { "async " } else { "" },
                        if function.generator { "*" } else { "" },
                        &self.key(&method.key, method.computed),
                        if method.optional { "?" } else { "" },
                        &self.type_parameters(function.type_parameters.as_deref()),
                        "(",
                        &parameters,
                        ")",
                        colon,
                        returned,
                        mark,
                    ]
                    .concat(),
                );
                printed
            }
            ClassElement::PropertyDefinition(property) => {
                if is_hidden(property.accessibility) || property.key.is_private_identifier() {
                    return Vec::new();
                }
                let text = match (&property.type_annotation, &property.value) {
                    (Some(ty), _) => self.annotation(ty),
                    (None, Some(value)) if property.readonly => self.value_kept(value),
                    (None, Some(value)) => self.value_type(value),
                    (None, None) => "any".to_owned(),
                };
                let is_abstract = property.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition;
                vec![
                    [
                        modifiers(property.accessibility, property.r#static),
                        if is_abstract { "abstract " } else { "" },
                        if property.readonly { "readonly " } else { "" },
                        &self.key(&property.key, property.computed),
                        if property.optional { "?: " } else { ": " },
                        &text,
                    ]
                    .concat(),
                ]
            }
            ClassElement::AccessorProperty(property) => {
                if is_hidden(property.accessibility) || property.key.is_private_identifier() {
                    return Vec::new();
                }
                let text = match (&property.type_annotation, &property.value) {
                    (Some(ty), _) => self.annotation(ty),
                    (None, value) => {
                        value.as_ref().map_or_else(|| "any".to_owned(), |value| self.value_type(value))
                    }
                };
                let key = self.key(&property.key, property.computed);
                vec![format!(
                    "{}accessor {key}: {text}",
                    modifiers(property.accessibility, property.r#static)
                )]
            }
            ClassElement::TSIndexSignature(index) => vec![format!(
                "[{}: {}]: {}",
                index.parameter.name,
                self.annotation(&index.parameter.type_annotation),
                self.annotation(&index.type_annotation)
            )],
            ClassElement::StaticBlock(_) => Vec::new(),
        }
    }

    /// `constructor(readonly id: string)` declares a property.
    fn parameter_properties(self, kind: MethodDefinitionKind, function: &Function<'_>) -> Vec<String> {
        if kind != MethodDefinitionKind::Constructor {
            return Vec::new();
        }
        let declared =
            function.params.items.iter().filter(|item| item.has_modifier() && !is_hidden(item.accessibility));
        declared
            .map(|item| {
                let readonly = if item.readonly { "readonly " } else { "" };
                format!("{}{readonly}{}", modifiers(item.accessibility, false), self.parameter(item))
            })
            .collect()
    }

    /// `const NAME: type`, or the literal itself where it is short.
    pub(super) fn variable(self, keyword: &str, declarator: &VariableDeclarator<'_>, name: &str) -> String {
        if let Some(ty) = &declarator.type_annotation {
            return [keyword, " ", name, ": ", &self.annotation(ty)].concat();
        }
        if let Some(said) = Said::of(self.source, declarator.span.start).and_then(|said| said.ty) {
            return format!("{keyword} {name}: {said}{}", jsdoc::MARK);
        }
        match &declarator.init {
            None => format!("{keyword} {name}: any"),
            Some(value) if declarator.id.is_binding_identifier() => {
                match self.literal_value(value).filter(|_| keyword == "const") {
                    Some(text) => format!("{keyword} {name} = {text}"),
                    None => [keyword, " ", name, ": ", &self.value_type(value)].concat(),
                }
            }
            Some(value) => {
                let part = self.part_of(&declarator.id, value, name);
                format!("{keyword} {name}: {}", part.as_deref().unwrap_or(INFERRED))
            }
        }
    }

    /// What can be reached through a namespace, by name where it is much. In an ambient one that is everything.
    pub(super) fn namespace(self, body: &[Statement<'_>], names: &[String], is_ambient: bool) -> String {
        let declared = body.iter().filter_map(|statement| match statement {
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            other if is_ambient => other.as_declaration(),
            _ => None,
        });
        let whole = join(declared.flat_map(|declaration| self.declared(declaration)), "; ");
        let text = if whole.len() <= LONGEST_NAMESPACE { whole } else { names.join("; ") };
        if text.is_empty() { "{}".to_owned() } else { format!("{{ {text} }}") }
    }

    fn declared(self, declaration: &Declaration<'_>) -> Vec<String> {
        let name = || declaration.id().map_or("", |id| id.name.as_str());
        match declaration {
            Declaration::FunctionDeclaration(function) => vec![self.function(function, name())],
            Declaration::ClassDeclaration(class) => vec![self.class(class, name())],
            Declaration::TSInterfaceDeclaration(interface) => vec![self.interface(interface)],
            Declaration::TSTypeAliasDeclaration(alias) => vec![self.alias(alias)],
            Declaration::TSEnumDeclaration(declared) => vec![self.enumeration(declared)],
            Declaration::VariableDeclaration(variables) => {
                let each = variables.declarations.iter();
                each.filter_map(|one| {
                    let name = one.id.get_identifier_name()?;
                    Some(self.variable(variables.kind.as_str(), one, &name))
                })
                .collect()
            }
            other => super::modules::declared_names(other),
        }
    }

    /// A value, where it is short enough to say something.
    pub(super) fn short(self, value: &Expression<'_>) -> String {
        let value = value.get_inner_expression();
        let text = self.bounded(value, LONGEST_LITERAL);
        text.unwrap_or_else(|| literal_type(value).unwrap_or("…").to_owned())
    }

    /// The type of a value that stays: that of a literal is the literal.
    pub(super) fn value_kept(self, value: &Expression<'_>) -> String {
        let is_type = match value {
            Expression::StringLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::BigIntLiteral(_) => true,
            Expression::TemplateLiteral(template) => template.expressions.is_empty(),
            Expression::UnaryExpression(unary) => {
                unary.operator == UnaryOperator::UnaryNegation && unary.argument.is_number_literal()
            }
            _ => false,
        };
        let text = self.literal_value(value).filter(|_| is_type);
        text.unwrap_or_else(|| self.value_type(value))
    }

    /// What is a literal, where it is short enough.
    pub(super) fn literal_value(self, value: &Expression<'_>) -> Option<String> {
        let value = value.get_inner_expression();
        literal_type(value).and_then(|_| self.bounded(value, LONGEST_LITERAL))
    }
}

fn is_hidden(accessibility: Option<TSAccessibility>) -> bool {
    accessibility == Some(TSAccessibility::Private)
}

fn modifiers(accessibility: Option<TSAccessibility>, is_static: bool) -> &'static str {
    match (accessibility == Some(TSAccessibility::Protected), is_static) {
        (true, true) => "protected static ",
        (true, false) => "protected ",
        (false, true) => "static ",
        (false, false) => "",
    }
}
