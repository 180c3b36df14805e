//! Types printed from the syntax tree in one spelling, so that formatting, quotes, separators and comments leave no
//! trace in a signature.

use std::borrow::Cow;

use oxc_ast::ast::{
    BindingPattern, Expression, FormalParameter, FormalParameters, PropertyKey, TSImportType,
    TSImportTypeQualifier, TSLiteral, TSMappedType, TSMappedTypeModifierOperator, TSMethodSignatureKind,
    TSSignature, TSThisParameter, TSTupleElement, TSTupleType, TSType, TSTypeAnnotation, TSTypeName,
    TSTypeOperatorOperator, TSTypeParameter, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    TSTypePredicateName, TSTypeQueryExprName, TSUnionType,
};
use oxc_span::GetSpan;
use oxc_syntax::identifier::is_identifier_name;
use oxc_syntax::operator::BinaryOperator;

use super::expression::{big_number, number, one_line};
use super::jsdoc::Said;
use super::source::Source;
use super::within::Locals;

/// Said where a type stands in no annotation.
pub(crate) const INFERRED: &str = "inferred";

/// What the methods of a class are annotated to give, by their names.
pub(super) type Methods<'s> = &'s dyn Fn(&str) -> Option<String>;

/// Prints with the text of the file at hand, for the few things that are shown as written.
#[derive(Clone, Copy)]
pub(super) struct Print<'s, 'a> {
    pub(super) source: &'s Source<'a>,
    /// What only the functions around a place know by its name.
    pub(super) locals: Option<&'s Locals<'s>>,
    /// In a class: what a method of it is annotated to give that is called on `this`.
    pub(super) this: Option<Methods<'s>>,
}

impl<'s, 'a> Print<'s, 'a> {
    pub(super) fn new(source: &'s Source<'a>) -> Self {
        Self { source, locals: None, this: None }
    }
}

impl Print<'_, '_> {
    /// What is put into a text; in the room that was needed for the last one, so that none takes more than it has to.
    pub(super) fn printed(self, put: impl FnOnce(&mut String)) -> String {
        let mut room = self.source.room.take();
        room.clear();
        put(&mut room);
        let text = room.as_str().to_owned();
        self.source.room.replace(room);
        text
    }

    pub(super) fn annotation(self, annotation: &TSTypeAnnotation<'_>) -> String {
        self.ty(&annotation.type_annotation)
    }

    pub(super) fn annotation_or(self, annotation: Option<&TSTypeAnnotation<'_>>, otherwise: &str) -> String {
        annotation.map_or_else(|| otherwise.to_owned(), |annotation| self.annotation(annotation))
    }

    fn put_annotation_or(
        self,
        text: &mut String,
        annotation: Option<&TSTypeAnnotation<'_>>,
        otherwise: &str,
    ) {
        match annotation {
            Some(annotation) => self.put_annotation(text, annotation),
            None => text.push_str(otherwise),
        }
    }

    pub(super) fn put_annotation(self, text: &mut String, annotation: &TSTypeAnnotation<'_>) {
        self.put(text, &annotation.type_annotation);
    }

    /// In parentheses where it binds less than what is around it.
    fn put_part(self, text: &mut String, ty: &TSType<'_>, around: Binds) {
        if binds(bare(ty)) < around {
            text.push('(');
            self.put(text, ty);
            text.push(')');
        } else {
            self.put(text, ty);
        }
    }

    pub(super) fn ty(self, ty: &TSType<'_>) -> String {
        self.printed(|text| self.put(text, ty))
    }

    /// Appends a type.
    pub(super) fn put(self, text: &mut String, ty: &TSType<'_>) {
        match bare(ty) {
            TSType::TSArrayType(array) => {
                self.put_part(text, &array.element_type, Binds::Most);
                text.push_str("[]");
            }
            TSType::TSConditionalType(conditional) => {
                self.put_part(text, &conditional.check_type, Binds::Union);
                text.push_str(" extends ");
                self.put_part(text, &conditional.extends_type, Binds::Union);
                text.push_str(" ? ");
                self.put(text, &conditional.true_type);
                text.push_str(" : ");
                self.put(text, &conditional.false_type);
            }
            TSType::TSConstructorType(constructor) => {
                text.push_str(if constructor.r#abstract { "abstract new " } else { "new " });
                self.put_type_parameters(text, constructor.type_parameters.as_deref());
                text.push('(');
                self.put_parameters(text, &constructor.params, None, None);
                text.push_str(") => ");
                self.put_annotation(text, &constructor.return_type);
            }
            TSType::TSFunctionType(function) => {
                self.put_type_parameters(text, function.type_parameters.as_deref());
                text.push('(');
                self.put_parameters(text, &function.params, function.this_param.as_deref(), None);
                text.push_str(") => ");
                self.put_annotation(text, &function.return_type);
            }
            TSType::TSImportType(import) => self.put_import(text, import),
            TSType::TSIndexedAccessType(access) => {
                self.put_part(text, &access.object_type, Binds::Most);
                text.push('[');
                self.put(text, &access.index_type);
                text.push(']');
            }
            TSType::TSInferType(infer) => {
                text.push_str("infer ");
                self.put_type_parameter(text, &infer.type_parameter);
            }
            TSType::TSIntersectionType(intersection) => {
                put_each(text, intersection.types.iter(), " & ", |text, part| {
                    self.put_part(text, part, Binds::Intersection);
                });
            }
            TSType::TSUnionType(union) => {
                put_each(text, variants(union).into_iter(), " | ", |text, part| {
                    self.put_part(text, part, Binds::Operator);
                });
            }
            TSType::TSLiteralType(literal) => text.push_str(&self.literal(&literal.literal)),
            TSType::TSMappedType(mapped) => self.put_mapped(text, mapped),
            TSType::TSNamedTupleMember(member) => {
                text.push_str(&member.label.name);
                text.push_str(if member.optional { "?: " } else { ": " });
                self.put_tuple_element(text, &member.element_type);
            }
            TSType::TSTemplateLiteralType(template) => {
                if let (Some(only), []) = (template.quasis.first(), template.types.as_slice()) {
                    text.push_str(&quoted(only.value.cooked.as_ref().unwrap_or(&only.value.raw)));
                    return;
                }
                text.push('`');
                for (index, quasi) in template.quasis.iter().enumerate() {
                    text.push_str(&one_line(&quasi.value.raw));
                    if let Some(ty) = template.types.get(index) {
                        text.push_str("${");
                        self.put(text, ty);
                        text.push('}');
                    }
                }
                text.push('`');
            }
            TSType::TSTupleType(tuple) => {
                text.push('[');
                self.put_tuple(text, tuple);
                text.push(']');
            }
            TSType::TSTypeLiteral(literal) => self.put_members(text, &literal.members),
            TSType::TSTypeOperatorType(operator) => {
                text.push_str(match operator.operator {
                    TSTypeOperatorOperator::Keyof => "keyof ",
                    TSTypeOperatorOperator::Unique => "unique ",
                    TSTypeOperatorOperator::Readonly => "readonly ",
                });
                self.put_part(text, &operator.type_annotation, Binds::Operator);
            }
            TSType::TSTypePredicate(predicate) => {
                text.push_str(if predicate.asserts { "asserts " } else { "" });
                text.push_str(match &predicate.parameter_name {
                    TSTypePredicateName::Identifier(name) => name.name.as_str(),
                    TSTypePredicateName::This(_) => "this",
                });
                if let Some(ty) = &predicate.type_annotation {
                    text.push_str(" is ");
                    self.put_annotation(text, ty);
                }
            }
            TSType::TSTypeQuery(query) if self.is_local_query(&query.expr_name) => text.push_str(INFERRED),
            TSType::TSTypeQuery(query) => {
                text.push_str("typeof ");
                match &query.expr_name {
                    TSTypeQueryExprName::TSImportType(import) => self.put_import(text, import),
                    TSTypeQueryExprName::IdentifierReference(name) => text.push_str(&name.name),
                    TSTypeQueryExprName::QualifiedName(name) => {
                        put_type_name(text, &name.left);
                        text.push('.');
                        text.push_str(&name.right.name);
                    }
                    TSTypeQueryExprName::ThisExpression(_) => text.push_str("this"),
                }
                self.put_type_arguments(text, query.type_arguments.as_deref());
            }
            TSType::TSTypeReference(reference) if self.is_local_type(&reference.type_name) => {
                text.push_str(INFERRED);
            }
            TSType::TSTypeReference(reference) => {
                put_type_name(text, &reference.type_name);
                self.put_type_arguments(text, reference.type_arguments.as_deref());
            }
            // Keywords and the types of JSDoc are one word, or nearly.
            other => text.push_str(&self.source.compact(other.span())),
        }
    }

    fn put_mapped(self, text: &mut String, mapped: &TSMappedType<'_>) {
        text.push_str("{ ");
        put_modifier(text, mapped.readonly, "readonly ");
        text.push('[');
        text.push_str(&mapped.key.name);
        text.push_str(" in ");
        self.put(text, &mapped.constraint);
        if let Some(name) = &mapped.name_type {
            text.push_str(" as ");
            self.put(text, name);
        }
        text.push(']');
        put_modifier(text, mapped.optional, "?");
        if let Some(ty) = &mapped.type_annotation {
            text.push_str(": ");
            self.put(text, ty);
        }
        text.push_str(" }");
    }

    fn put_import(self, text: &mut String, import: &TSImportType<'_>) {
        text.push_str("import('");
        text.push_str(&import.source.value);
        text.push_str("')");
        if let Some(name) = &import.qualifier {
            text.push('.');
            text.push_str(&qualifier(name));
        }
        self.put_type_arguments(text, import.type_arguments.as_deref());
    }

    /// Without its brackets.
    pub(super) fn tuple(self, tuple: &TSTupleType<'_>) -> String {
        self.printed(|text| self.put_tuple(text, tuple))
    }

    fn put_tuple(self, text: &mut String, tuple: &TSTupleType<'_>) {
        put_each(text, tuple.element_types.iter(), ", ", |text, part| self.put_tuple_element(text, part));
    }

    fn put_tuple_element(self, text: &mut String, element: &TSTupleElement<'_>) {
        match element {
            TSTupleElement::TSOptionalType(optional) => {
                self.put_part(text, &optional.type_annotation, Binds::Most);
                text.push('?');
            }
            TSTupleElement::TSRestType(rest) => {
                text.push_str("...");
                self.put(text, &rest.type_annotation);
            }
            other => {
                if let Some(ty) = other.as_ts_type() {
                    self.put(text, ty);
                }
            }
        }
    }

    fn literal(self, literal: &TSLiteral<'_>) -> String {
        match literal {
            TSLiteral::StringLiteral(text) => quoted(&text.value),
            TSLiteral::NumericLiteral(literal) => number(literal),
            TSLiteral::BigIntLiteral(literal) => big_number(literal),
            TSLiteral::BooleanLiteral(literal) => literal.value.to_string(),
            TSLiteral::TemplateLiteral(template) => self.template(template),
            TSLiteral::UnaryExpression(unary) => self.signed(unary),
        }
    }

    pub(super) fn put_members(self, text: &mut String, members: &[TSSignature<'_>]) {
        if members.is_empty() {
            text.push_str("{}");
            return;
        }
        text.push_str("{ ");
        put_each(text, members.iter(), "; ", |text, member| self.put_member(text, member));
        text.push_str(" }");
    }

    pub(super) fn member(self, member: &TSSignature<'_>) -> String {
        self.printed(|text| self.put_member(text, member))
    }

    fn put_member(self, text: &mut String, member: &TSSignature<'_>) {
        match member {
            TSSignature::TSIndexSignature(index) => {
                text.push_str(if index.readonly { "readonly [" } else { "[" });
                text.push_str(&index.parameter.name);
                text.push_str(": ");
                self.put_annotation(text, &index.parameter.type_annotation);
                text.push_str("]: ");
                self.put_annotation(text, &index.type_annotation);
            }
            TSSignature::TSPropertySignature(property) => {
                text.push_str(if property.readonly { "readonly " } else { "" });
                self.put_key(text, &property.key, property.computed);
                text.push_str(if property.optional { "?: " } else { ": " });
                self.put_annotation_or(text, property.type_annotation.as_deref(), "any");
            }
            TSSignature::TSCallSignatureDeclaration(call) => {
                self.put_type_parameters(text, call.type_parameters.as_deref());
                text.push('(');
                self.put_parameters(text, &call.params, call.this_param.as_deref(), None);
                text.push_str("): ");
                self.put_annotation_or(text, call.return_type.as_deref(), "any");
            }
            TSSignature::TSConstructSignatureDeclaration(construct) => {
                text.push_str("new ");
                self.put_type_parameters(text, construct.type_parameters.as_deref());
                text.push('(');
                self.put_parameters(text, &construct.params, None, None);
                text.push_str("): ");
                self.put_annotation_or(text, construct.return_type.as_deref(), "any");
            }
            TSSignature::TSMethodSignature(method) => {
                text.push_str(match method.kind {
                    TSMethodSignatureKind::Method => "",
                    TSMethodSignatureKind::Get => "get ",
                    TSMethodSignatureKind::Set => "set ",
                });
                self.put_key(text, &method.key, method.computed);
                text.push_str(if method.optional { "?" } else { "" });
                self.put_type_parameters(text, method.type_parameters.as_deref());
                text.push('(');
                self.put_parameters(text, &method.params, method.this_param.as_deref(), None);
                text.push(')');
                if method.return_type.is_some() || method.kind != TSMethodSignatureKind::Set {
                    text.push_str(": ");
                    self.put_annotation_or(text, method.return_type.as_deref(), "any");
                }
            }
        }
    }

    pub(super) fn type_parameters(self, parameters: Option<&TSTypeParameterDeclaration<'_>>) -> String {
        self.printed(|text| self.put_type_parameters(text, parameters))
    }

    pub(super) fn put_type_parameters(
        self,
        text: &mut String,
        parameters: Option<&TSTypeParameterDeclaration<'_>>,
    ) {
        let Some(parameters) = parameters else { return };
        text.push('<');
        put_each(text, parameters.params.iter(), ", ", |text, one| self.put_type_parameter(text, one));
        text.push('>');
    }

    fn put_type_parameter(self, text: &mut String, parameter: &TSTypeParameter<'_>) {
        text.push_str(if parameter.r#const { "const " } else { "" });
        text.push_str(if parameter.r#in { "in " } else { "" });
        text.push_str(if parameter.out { "out " } else { "" });
        text.push_str(&parameter.name.name);
        if let Some(constraint) = &parameter.constraint {
            text.push_str(" extends ");
            self.put(text, constraint);
        }
        if let Some(default) = &parameter.default {
            text.push_str(" = ");
            self.put(text, default);
        }
    }

    pub(super) fn type_arguments(self, arguments: Option<&TSTypeParameterInstantiation<'_>>) -> String {
        self.printed(|text| self.put_type_arguments(text, arguments))
    }

    pub(super) fn put_type_arguments(
        self,
        text: &mut String,
        arguments: Option<&TSTypeParameterInstantiation<'_>>,
    ) {
        let Some(arguments) = arguments else { return };
        text.push('<');
        put_each(text, arguments.params.iter(), ", ", |text, ty| self.put(text, ty));
        text.push('>');
    }

    pub(super) fn parameters(
        self,
        parameters: &FormalParameters<'_>,
        this: Option<&TSThisParameter<'_>>,
    ) -> String {
        self.printed(|text| self.put_parameters(text, parameters, this, None))
    }

    /// What is not annotated is as a comment says.
    pub(super) fn put_parameters(
        self,
        text: &mut String,
        parameters: &FormalParameters<'_>,
        this: Option<&TSThisParameter<'_>>,
        said: Option<&Said>,
    ) {
        let mut between = "";
        if let Some(this) = this {
            text.push_str("this: ");
            self.put_annotation_or(text, this.type_annotation.as_deref(), "any");
            between = ", ";
        }
        for (at, item) in parameters.items.iter().enumerate() {
            text.push_str(between);
            between = ", ";
            let name = item.pattern.get_identifier_name();
            let said = said.filter(|_| item.type_annotation.is_none());
            match said.and_then(|said| said.of_parameter(name.as_deref(), at)) {
                Some(said) => {
                    text.push_str(name.as_deref().unwrap_or("{...}"));
                    text.push_str(if said.optional || item.initializer.is_some() { "?: " } else { ": " });
                    text.push_str(&said.text);
                }
                None => self.put_parameter(text, item),
            }
        }
        if let Some(rest) = &parameters.rest {
            text.push_str(between);
            let name = self.pattern(&rest.rest.argument);
            text.push_str("...");
            text.push_str(&name);
            if let Some(ty) = rest.type_annotation.as_deref() {
                text.push_str(": ");
                self.put_annotation(text, ty);
            } else if let Some(said) =
                said.and_then(|said| said.of_parameter(Some(&name), parameters.items.len()))
            {
                text.push_str(": ");
                match said.text.strip_prefix("...") {
                    Some(each) => {
                        text.push_str(each);
                        text.push_str("[]");
                    }
                    None => text.push_str(&said.text),
                }
            }
        }
    }

    pub(super) fn parameter(self, parameter: &FormalParameter<'_>) -> String {
        self.printed(|text| self.put_parameter(text, parameter))
    }

    /// A parameter that has a default is optional to its caller, whatever the default is.
    pub(super) fn put_parameter(self, text: &mut String, parameter: &FormalParameter<'_>) {
        // What an annotated parameter is taken apart into is the function's own business.
        let hides = parameter.pattern.is_destructuring_pattern() && parameter.type_annotation.is_some();
        match &parameter.pattern {
            BindingPattern::ObjectPattern(_) if hides => text.push_str("{...}"),
            BindingPattern::ArrayPattern(_) if hides => text.push_str("[...]"),
            BindingPattern::BindingIdentifier(name) => text.push_str(&name.name),
            pattern => text.push_str(&self.pattern(pattern)),
        }
        text.push_str(if parameter.optional || parameter.initializer.is_some() { "?" } else { "" });
        match (&parameter.type_annotation, &parameter.initializer) {
            (Some(ty), _) => {
                text.push_str(": ");
                self.put_annotation(text, ty);
            }
            (None, Some(default)) => {
                if let Some(ty) = literal_type(default) {
                    text.push_str(": ");
                    text.push_str(ty);
                }
            }
            (None, None) => {}
        }
    }

    /// Names only: what a pattern is taken apart into is visible to the caller through its type.
    pub(super) fn pattern(self, pattern: &BindingPattern<'_>) -> String {
        match pattern {
            BindingPattern::BindingIdentifier(name) => name.name.into_string(),
            BindingPattern::AssignmentPattern(assignment) => self.pattern(&assignment.left),
            BindingPattern::ObjectPattern(object) => {
                let names =
                    object.properties.iter().map(|property| self.key(&property.key, property.computed));
                let rest = object.rest.as_ref().map(|rest| format!("...{}", self.pattern(&rest.argument)));
                let all = join(names.chain(rest), ", ");
                if all.is_empty() { "{}".to_owned() } else { format!("{{ {all} }}") }
            }
            BindingPattern::ArrayPattern(array) => {
                let names = array
                    .elements
                    .iter()
                    .map(|element| element.as_ref().map(|element| self.pattern(element)).unwrap_or_default());
                let rest = array.rest.as_ref().map(|rest| format!("...{}", self.pattern(&rest.argument)));
                format!("[{}]", join(names.chain(rest), ", "))
            }
        }
    }

    /// Appends the name of a member, as [`Print::key`] has it.
    pub(super) fn put_key(self, text: &mut String, key: &PropertyKey<'_>, computed: bool) {
        match key {
            PropertyKey::StaticIdentifier(name) if !computed => text.push_str(&name.name),
            other => text.push_str(&self.key(other, computed)),
        }
    }

    /// A member's name as a reader writes it: bare where it can be.
    pub(super) fn key(self, key: &PropertyKey<'_>, computed: bool) -> String {
        match key {
            PropertyKey::StaticIdentifier(name) if !computed => name.name.into_string(),
            PropertyKey::PrivateIdentifier(name) => format!("#{}", name.name),
            PropertyKey::StringLiteral(text) => named(&text.value),
            PropertyKey::NumericLiteral(literal) => number(literal),
            other => match other.as_expression() {
                Some(Expression::StringLiteral(text)) => named(&text.value),
                Some(Expression::NumericLiteral(literal)) => number(literal),
                Some(Expression::TemplateLiteral(template)) if template.is_no_substitution_template() => {
                    template.single_quasi().map_or_else(String::new, |text| named(&text))
                }
                Some(key) if computed => format!("[{}]", self.without_locals(self.expression(key))),
                _ => self.source.compact(other.span()).into_owned(),
            },
        }
    }
}

/// How strongly a type holds its parts together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Least,
    Union,
    Intersection,
    Operator,
    Most,
}

fn binds(ty: &TSType<'_>) -> Binds {
    match ty {
        TSType::TSFunctionType(_) | TSType::TSConstructorType(_) | TSType::TSConditionalType(_) => {
            Binds::Least
        }
        TSType::TSUnionType(_) => Binds::Union,
        TSType::TSIntersectionType(_) => Binds::Intersection,
        // `(typeof a)[number]` would be read as another type without them, though it is none.
        TSType::TSTypeOperatorType(_) | TSType::TSInferType(_) | TSType::TSTypeQuery(_) => Binds::Operator,
        _ => Binds::Most,
    }
}

/// Without the sign before it, where a union or an intersection has one part only. The tree has no parentheses.
pub(super) fn bare<'x, 'a>(ty: &'x TSType<'a>) -> &'x TSType<'a> {
    match ty {
        TSType::TSUnionType(union) if union.types.len() == 1 => bare(&union.types[0]),
        TSType::TSIntersectionType(all) if all.types.len() == 1 => bare(&all.types[0]),
        other => other,
    }
}

/// The parts of a union, those of a union inside of it among them.
pub(super) fn variants<'x, 'a>(union: &'x TSUnionType<'a>) -> Vec<&'x TSType<'a>> {
    let mut all = Vec::with_capacity(union.types.len());
    for part in union.types.iter().map(bare) {
        match part {
            TSType::TSUnionType(inner) => all.extend(variants(inner)),
            other => all.push(other),
        }
    }
    all
}

/// The name of a member: bare where it can be.
fn named(text: &str) -> String {
    let is_number = text.starts_with(|first: char| first.is_ascii_digit())
        && text.parse::<f64>().is_ok_and(|value| value < 1e21 && value.to_string() == text);
    if is_number || is_identifier_name(text) { text.to_owned() } else { quoted(text) }
}

pub(super) fn type_name(name: &TSTypeName<'_>) -> String {
    match name {
        TSTypeName::IdentifierReference(name) => name.name.into_string(),
        other => {
            let mut text = String::new();
            put_type_name(&mut text, other);
            text
        }
    }
}

pub(super) fn put_type_name(text: &mut String, name: &TSTypeName<'_>) {
    match name {
        TSTypeName::IdentifierReference(name) => text.push_str(&name.name),
        TSTypeName::QualifiedName(qualified) => {
            put_type_name(text, &qualified.left);
            text.push('.');
            text.push_str(&qualified.right.name);
        }
        TSTypeName::ThisExpression(_) => text.push_str("this"),
    }
}

pub(super) fn qualifier(name: &TSImportTypeQualifier<'_>) -> String {
    match name {
        TSImportTypeQualifier::Identifier(name) => name.name.into_string(),
        TSImportTypeQualifier::QualifiedName(name) => {
            format!("{}.{}", qualifier(&name.left), name.right.name)
        }
    }
}

/// The type that a literal has beyond doubt; `None` for everything else.
pub(super) fn literal_type(expression: &Expression<'_>) -> Option<&'static str> {
    match expression.get_inner_expression() {
        Expression::NumericLiteral(_) => Some("number"),
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => Some("string"),
        Expression::BooleanLiteral(_) => Some("boolean"),
        Expression::BigIntLiteral(_) => Some("bigint"),
        Expression::RegExpLiteral(_) => Some("RegExp"),
        Expression::UnaryExpression(unary) => match unary.operator.as_str() {
            "!" => Some("boolean"),
            "-" | "+" | "~" if matches!(unary.argument, Expression::NumericLiteral(_)) => Some("number"),
            "typeof" => Some("string"),
            _ => None,
        },
        _ => None,
    }
}

/// The same, also of what is put together or asked: `'a' + b`, `a > b && !c`.
pub(super) fn primitive_type(expression: &Expression<'_>) -> Option<&'static str> {
    let both = |left, right| [primitive_type(left), primitive_type(right)];
    match expression.get_inner_expression() {
        Expression::BinaryExpression(binary) => match binary.operator {
            BinaryOperator::Addition => {
                both(&binary.left, &binary.right).into_iter().flatten().find(|ty| *ty == "string")
            }
            operator => {
                let asks = operator.is_compare() || operator.is_equality() || operator.is_relational();
                asks.then_some("boolean")
            }
        },
        Expression::LogicalExpression(logical) => match both(&logical.left, &logical.right) {
            [Some("boolean"), right @ Some("boolean")] => right,
            _ => None,
        },
        other => literal_type(other),
    }
}

/// The name of an export as a list has it: a text where it is no identifier.
pub(crate) fn listed(name: &str) -> Cow<'_, str> {
    if is_identifier_name(name) { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

pub(crate) fn quoted(text: &str) -> String {
    let plain = !text.bytes().any(|byte| matches!(byte, b'\\' | b'\'' | b'\n'));
    if plain {
        return ["'", text, "'"].concat();
    }
    let mut quoted = String::with_capacity(text.len() + 16);
    quoted.push('\'');
    for letter in text.chars() {
        match letter {
            '\\' => quoted.push_str("\\\\"),
            '\'' => quoted.push_str("\\'"),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}

pub(super) fn join(parts: impl Iterator<Item = String>, separator: &str) -> String {
    let mut text = String::new();
    for (index, part) in parts.enumerate() {
        if index > 0 {
            text.push_str(separator);
        }
        text.push_str(&part);
    }
    text
}

/// Appends what each of several puts, with something between them.
pub(super) fn put_each<T>(
    text: &mut String,
    all: impl Iterator<Item = T>,
    between: &str,
    put: impl Fn(&mut String, T),
) {
    for (index, one) in all.enumerate() {
        text.push_str(if index > 0 { between } else { "" });
        put(text, one);
    }
}

fn put_modifier(text: &mut String, operator: Option<TSMappedTypeModifierOperator>, word: &str) {
    let Some(operator) = operator else { return };
    text.push_str(match operator {
        TSMappedTypeModifierOperator::True => "",
        TSMappedTypeModifierOperator::Plus => "+",
        TSMappedTypeModifierOperator::Minus => "-",
    });
    text.push_str(word);
}
