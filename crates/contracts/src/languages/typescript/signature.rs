//! The printed signature of each kind of declaration: as declared, without its body.

use becket_base::divided;
use oxc_ast::ast::{
    AccessorPropertyType, AssignmentTarget, Class, ClassElement, Decorator, Expression, Function,
    IdentifierReference, MethodDefinition, MethodDefinitionKind, MethodDefinitionType,
    PropertyDefinitionType, PropertyKey, Statement, TSAccessibility, TSEnumDeclaration, TSEnumMemberName,
    TSInterfaceDeclaration, TSTypeAliasDeclaration, TSTypeParameterDeclaration, UnaryOperator,
    VariableDeclarator,
};
use oxc_ast_visit::Visit;
use oxc_syntax::scope::ScopeFlags;

use super::component::Callable;
use super::jsdoc::{self, Said};
use super::modules::DEFAULT;
use super::print::{INFERRED, Print, join, listed, literal_type, put_each, put_type_name};
use super::value::{LONGEST_LITERAL, digest};
use super::within::Within;
use crate::model::is_for_react;

/// Stands for whatever a class has that is private.
const PRIVATE: &str = "#private";

/// Longer decorators hold data.
const LONGEST_DECORATOR: usize = 120;

impl Print<'_, '_> {
    pub(super) fn function(self, function: &Function<'_>, name: &str) -> String {
        self.printed(|text| {
            text.push_str(if function.r#async { "async function" } else { "function" });
            text.push_str(if function.generator { "*" } else { "" });
            put_name(text, name);
            let callable = Callable::Function(function);
            self.put_takes_and_gives(text, callable, function.span.start, Some(": "), None);
        })
    }

    /// The ways to call a function that comments say.
    pub(super) fn overloads(self, function: &Function<'_>, name: &str) -> Vec<String> {
        let each = Said::overloads(self.source, function.span.start).into_iter();
        each.map(|said| {
            self.printed(|text| {
                text.push_str("function");
                put_name(text, name);
                said.put(text, true);
            })
        })
        .collect()
    }

    /// Appends parameters, those of types too, and what is given back behind the sign for it, if there is one; with a mark
    /// where a comment says of which types they are.
    fn put_takes_and_gives(
        self,
        text: &mut String,
        callable: Callable<'_, '_>,
        start: u32,
        sign: Option<&str>,
        outer: Option<&Within<'_, '_, '_>>,
    ) {
        let this = match callable {
            Callable::Function(function) => function.this_param.as_deref(),
            Callable::Arrow(_) => None,
        };
        let said = Said::of(self.source, start);
        let has_generics = self.put_generics(text, callable.type_parameters(), said.as_ref());
        text.push('(');
        let from = text.len();
        self.put_parameters(text, callable.parameters(), this, said.as_ref());
        let is_told = said.is_some() && text[from..] != *self.parameters(callable.parameters(), this);
        if self.source.has_arguments && takes_any_number(callable) {
            text.push_str(if text.len() > from { ", " } else { "" });
            text.push_str("...args: any[]");
        }
        text.push(')');
        let returns = said.and_then(|said| said.returns).filter(|_| callable.returned().is_none());
        let mark = if returns.is_some() || is_told || has_generics { jsdoc::MARK } else { "" };
        if let Some(sign) = sign {
            text.push_str(sign);
            match (returns, callable.returned()) {
                (Some(said), _) => text.push_str(&said),
                (None, Some(declared)) => self.put_annotation(text, declared),
                (None, None) => text.push_str(&self.given(callable, outer)),
            }
        }
        text.push_str(mark);
    }

    /// Appends the parameters of a type, and says whether a comment says which they are.
    fn put_generics(
        self,
        text: &mut String,
        declared: Option<&TSTypeParameterDeclaration<'_>>,
        said: Option<&Said>,
    ) -> bool {
        self.put_type_parameters(text, declared);
        said.filter(|_| declared.is_none()).is_some_and(|said| said.put_generics(text))
    }

    /// The type of a function that is a value.
    pub(super) fn callable(self, callable: Callable<'_, '_>, outer: Option<&Within<'_, '_, '_>>) -> String {
        let start = match callable {
            Callable::Function(function) => function.span.start,
            Callable::Arrow(arrow) => arrow.span.start,
        };
        // What no arrow is has a `this` of its own.
        let this = self.this.filter(|_| matches!(callable, Callable::Arrow(_)));
        self.printed(|text| {
            text.push_str(if callable.is_async() { "async " } else { "" });
            text.push_str(if callable.is_generator() { "*" } else { "" });
            Print { this, ..self }.put_takes_and_gives(text, callable, start, Some(" => "), outer);
        })
    }

    pub(super) fn interface(self, interface: &TSInterfaceDeclaration<'_>) -> String {
        self.printed(|text| {
            text.push_str("interface ");
            text.push_str(&interface.id.name);
            self.put_type_parameters(text, interface.type_parameters.as_deref());
            text.push_str(if interface.extends.is_empty() { "" } else { " extends " });
            put_each(text, interface.extends.iter(), ", ", |text, parent| {
                put_type_name(text, &parent.type_name);
                self.put_type_arguments(text, parent.type_arguments.as_deref());
            });
            text.push(' ');
            self.put_members(text, &interface.body.body);
        })
    }

    pub(super) fn alias(self, alias: &TSTypeAliasDeclaration<'_>) -> String {
        self.printed(|text| {
            text.push_str("type ");
            text.push_str(&alias.id.name);
            self.put_type_parameters(text, alias.type_parameters.as_deref());
            text.push_str(" = ");
            self.put(text, &alias.type_annotation);
        })
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

    /// Public and protected members; what is private, by keyword or by `#`, is nobody's to use. Of a class that only holds
    /// data it is told that there is something, as declarations of TypeScript tell it: an object that is written in place
    /// could stand for one of it otherwise.
    pub(super) fn class(self, class: &Class<'_>, name: &str) -> String {
        self.printed(|text| {
            self.put_class_head(text, class, name);
            let before = text.len();
            let is_closed = self.put_class_members(text, class, |_| true);
            if holds_data(class) && class.body.body.iter().any(has_private) {
                text.truncate(text.len() - if is_closed { " }".len() } else { 0 });
                begin(text, before);
                text.push_str(PRIVATE);
                text.push_str(" }");
            } else if !is_closed {
                text.push_str(" {}");
            }
        })
    }

    /// One that is a component: without what only React uses, and nobody extends it.
    pub(super) fn class_component(self, class: &Class<'_>, name: &str) -> String {
        let is_public = |element: &ClassElement<'_>| {
            element.accessibility() != Some(TSAccessibility::Protected)
                && !element.static_name().is_some_and(|name| is_for_react(&name))
        };
        self.printed(|text| {
            self.put_class_head(text, class, name);
            self.put_class_members(text, class, is_public);
        })
    }

    /// Appends members in their braces; nothing where there are none, which is told.
    fn put_class_members(
        self,
        text: &mut String,
        class: &Class<'_>,
        is_shown: impl Fn(&ClassElement<'_>) -> bool,
    ) -> bool {
        let elements = &class.body.body;
        let before = text.len();
        for element in elements {
            if is_shown(element) && !self.implements_overload(element, elements) {
                let this = |name: &str| self.method_gives(class, name, element.r#static());
                Print { this: Some(&this), ..self }.put_class_element(text, before, element);
            }
        }
        for field in self.made_fields(class) {
            begin(text, before);
            text.push_str(&field);
        }
        let has_members = text.len() > before;
        text.push_str(if has_members { " }" } else { "" });
        has_members
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
                    (_, value) => self.or_made(self.value_type(value), value),
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

    /// What a field is, and what makes it, where nothing else says what it is.
    fn or_made(self, text: String, value: &Expression<'_>) -> String {
        if text == INFERRED { self.made_field(value).unwrap_or(text) } else { text }
    }

    /// Without its members.
    pub(super) fn class_head(self, class: &Class<'_>, name: &str) -> String {
        self.printed(|text| self.put_class_head(text, class, name))
    }

    fn put_class_head(self, text: &mut String, class: &Class<'_>, name: &str) {
        text.push_str(if class.r#abstract { "abstract class" } else { "class" });
        put_name(text, name);
        let said = Said::of(self.source, class.span.start);
        self.put_generics(text, class.type_parameters.as_deref(), said.as_ref());
        if let Some(heritage) = &class.heritage {
            text.push_str(" extends ");
            text.push_str(&self.expression(&heritage.expression));
            self.put_type_arguments(text, heritage.type_arguments.as_deref());
        }
        text.push_str(if class.implements.is_empty() { "" } else { " implements " });
        put_each(text, class.implements.iter(), ", ", |text, interface| {
            put_type_name(text, &interface.expression);
            self.put_type_arguments(text, interface.type_arguments.as_deref());
        });
    }

    /// Those of the class, and those of its members behind their names; of a long one its name and a digest.
    pub(super) fn decorators(self, class: &Class<'_>) -> Vec<String> {
        let each = |decorator: &Decorator<'_>| {
            let text = format!("@{}", self.expression(&decorator.expression));
            if text.len() <= LONGEST_DECORATOR {
                return text;
            }
            format!("{}(…) {}", divided::before_first(&text, b'('), digest(&text))
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

    /// Appends what of an element others may use, each behind what stands from `before` on.
    fn put_class_element(self, text: &mut String, before: usize, element: &ClassElement<'_>) {
        match element {
            ClassElement::MethodDefinition(method) => self.put_method(text, before, method),
            ClassElement::PropertyDefinition(property) => {
                if is_hidden(property.accessibility) || property.key.is_private_identifier() {
                    return;
                }
                begin(text, before);
                text.push_str(modifiers(property.accessibility, property.r#static));
                let is_abstract = property.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition;
                text.push_str(if is_abstract { "abstract " } else { "" });
                text.push_str(if property.readonly { "readonly " } else { "" });
                self.put_key(text, &property.key, property.computed);
                text.push_str(if property.optional { "?: " } else { ": " });
                match (&property.type_annotation, &property.value) {
                    (Some(ty), _) => self.put_annotation(text, ty),
                    (None, Some(value)) if property.readonly => {
                        text.push_str(&self.or_made(self.value_kept(value), value));
                    }
                    (None, Some(value)) => text.push_str(&self.or_made(self.value_type(value), value)),
                    (None, None) => text.push_str("any"),
                }
            }
            ClassElement::AccessorProperty(property) => {
                if is_hidden(property.accessibility) || property.key.is_private_identifier() {
                    return;
                }
                begin(text, before);
                text.push_str(modifiers(property.accessibility, property.r#static));
                let is_abstract = property.r#type == AccessorPropertyType::TSAbstractAccessorProperty;
                text.push_str(if is_abstract { "abstract accessor " } else { "accessor " });
                self.put_key(text, &property.key, property.computed);
                text.push_str(": ");
                match (&property.type_annotation, &property.value) {
                    (Some(ty), _) => self.put_annotation(text, ty),
                    (None, Some(value)) => text.push_str(&self.or_made(self.value_type(value), value)),
                    (None, None) => text.push_str("any"),
                }
            }
            ClassElement::TSIndexSignature(index) => {
                begin(text, before);
                text.push('[');
                text.push_str(&index.parameter.name);
                text.push_str(": ");
                self.put_annotation(text, &index.parameter.type_annotation);
                text.push_str("]: ");
                self.put_annotation(text, &index.type_annotation);
            }
            ClassElement::StaticBlock(_) => {}
        }
    }

    fn put_method(self, text: &mut String, before: usize, method: &MethodDefinition<'_>) {
        let function = &method.value;
        let makes = method.kind == MethodDefinitionKind::Constructor;
        if makes {
            self.put_parameter_properties(text, before, function);
        }
        if is_hidden(method.accessibility) || method.key.is_private_identifier() {
            // Who may not call it has to know.
            if makes {
                begin(text, before);
                text.push_str("private constructor()");
            }
            return;
        }
        let gives = !makes && method.kind != MethodDefinitionKind::Set;
        let overloads = Said::overloads(self.source, method.span.start);
        for said in &overloads {
            begin(text, before);
            text.push_str(modifiers(method.accessibility, method.r#static));
            self.put_key(text, &method.key, method.computed);
            said.put(text, gives);
        }
        if !overloads.is_empty() {
            return;
        }
        begin(text, before);
        text.push_str(modifiers(method.accessibility, method.r#static));
        let is_abstract = method.r#type == MethodDefinitionType::TSAbstractMethodDefinition;
        text.push_str(if is_abstract { "abstract " } else { "" });
        text.push_str(match method.kind {
            MethodDefinitionKind::Get => "get ",
            MethodDefinitionKind::Set => "set ",
            _ => "",
        });
        text.push_str(if function.r#async { "async " } else { "" });
        text.push_str(if function.generator { "*" } else { "" });
        self.put_key(text, &method.key, method.computed);
        text.push_str(if method.optional { "?" } else { "" });
        let callable = Callable::Function(function);
        self.put_takes_and_gives(text, callable, method.span.start, gives.then_some(": "), None);
    }

    /// `constructor(readonly id: string)` declares a property.
    fn put_parameter_properties(self, text: &mut String, before: usize, function: &Function<'_>) {
        for item in &function.params.items {
            if item.has_modifier() && !is_hidden(item.accessibility) {
                begin(text, before);
                text.push_str(modifiers(item.accessibility, false));
                text.push_str(if item.readonly { "readonly " } else { "" });
                // With a default the parameter is optional, and the property is always there.
                text.push_str(&self.pattern(&item.pattern));
                text.push_str(if item.optional { "?" } else { "" });
                let default = item.initializer.as_deref().and_then(literal_type);
                let ty = item.type_annotation.as_ref().map(|ty| self.annotation(ty));
                if let Some(ty) = ty.or_else(|| default.map(str::to_owned)) {
                    text.push_str(": ");
                    text.push_str(&ty);
                }
            }
        }
    }

    /// `const NAME: type`, or the literal itself where it is short.
    pub(super) fn variable(self, keyword: &str, declarator: &VariableDeclarator<'_>, name: &str) -> String {
        let is_whole = declarator.id.is_binding_identifier();
        if let Some(ty) = declarator.type_annotation.as_ref().filter(|_| is_whole) {
            return [keyword, " ", name, ": ", &self.annotation(ty)].concat();
        }
        if let Some(said) = Said::of(self.source, declarator.span.start).and_then(|said| said.ty) {
            return format!("{keyword} {name}: {said}{}", jsdoc::MARK);
        }
        if !is_whole {
            let part = self.taken_apart(declarator, name);
            return [keyword, " ", name, ": ", part.as_deref().unwrap_or(INFERRED)].concat();
        }
        match &declarator.init {
            None => format!("{keyword} {name}: any"),
            Some(value) => match self.literal_value(value).filter(|_| keyword == "const") {
                Some(text) => format!("{keyword} {name} = {text}"),
                None => [keyword, " ", name, ": ", &self.value_type(value)].concat(),
            },
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

/// A name behind a word; a default export may have none.
fn put_name(text: &mut String, name: &str) {
    if !name.is_empty() && name != DEFAULT {
        text.push(' ');
        text.push_str(name);
    }
}

/// Begins a member behind what stands in a text: the first one the braces too.
fn begin(text: &mut String, before: usize) {
    text.push_str(if text.len() == before { " { " } else { "; " });
}

/// Whether there is nothing to a class but fields, and nothing that has to be given to make one.
fn holds_data(class: &Class<'_>) -> bool {
    let elements = &class.body.body;
    let is_field = |element: &ClassElement<'_>| match element {
        ClassElement::MethodDefinition(method) => match method.kind {
            MethodDefinitionKind::Constructor => method.value.params.items.is_empty(),
            MethodDefinitionKind::Method => method.r#static || is_private(element),
            MethodDefinitionKind::Get | MethodDefinitionKind::Set => true,
        },
        _ => element.accessibility() != Some(TSAccessibility::Protected),
    };
    let is_seen = |element: &ClassElement<'_>| element.is_property() && !is_private(element);
    class.heritage.is_none() && elements.iter().all(is_field) && elements.iter().any(is_seen)
}

/// Whether an element gives instances something that is private.
fn has_private(element: &ClassElement<'_>) -> bool {
    is_private(element) && !element.r#static()
}

fn is_private(element: &ClassElement<'_>) -> bool {
    let is_constructor =
        matches!(element, ClassElement::MethodDefinition(method) if method.kind.is_constructor());
    !is_constructor
        && (is_hidden(element.accessibility())
            || element.property_key().is_some_and(PropertyKey::is_private_identifier))
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

/// Whether a function of JavaScript takes more than it names, as TypeScript sees it: by `arguments` in its body.
fn takes_any_number(callable: Callable<'_, '_>) -> bool {
    #[derive(Default)]
    struct Uses(bool);

    impl<'a> Visit<'a> for Uses {
        fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
            self.0 |= name.name == "arguments";
        }

        // It has its own; an arrow has that of what is around it.
        fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}
    }

    let Callable::Function(function) = callable else { return false };
    let body = function.body.as_ref().filter(|_| function.params.rest.is_none());
    body.is_some_and(|body| {
        let mut uses = Uses::default();
        uses.visit_function_body(body);
        uses.0
    })
}
