//! Types printed from the syntax tree in one spelling, so that formatting, quotes, separators and comments leave no
//! trace in a signature.

use std::borrow::Cow;

use oxc_ast::ast::{
    BindingPattern, Expression, FormalParameter, FormalParameters, PropertyKey, TSImportType,
    TSImportTypeQualifier, TSLiteral, TSMappedTypeModifierOperator, TSMethodSignatureKind, TSSignature,
    TSThisParameter, TSTupleElement, TSTupleType, TSType, TSTypeAnnotation, TSTypeName,
    TSTypeOperatorOperator, TSTypeParameter, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    TSTypePredicateName, TSTypeQueryExprName, TSUnionType,
};
use oxc_span::GetSpan;
use oxc_syntax::identifier::is_identifier_name;

use super::expression::{big_number, number, one_line};
use super::jsdoc::Said;
use super::source::Source;

/// Said where a type stands in no annotation.
pub(super) const INFERRED: &str = "inferred";

/// Prints with the text of the file at hand, for the few things that are shown as written.
#[derive(Clone, Copy)]
pub(super) struct Print<'s, 'a> {
    pub(super) source: &'s Source<'a>,
}

impl Print<'_, '_> {
    pub(super) fn annotation(self, annotation: &TSTypeAnnotation<'_>) -> String {
        self.ty(&annotation.type_annotation)
    }

    pub(super) fn annotation_or(self, annotation: Option<&TSTypeAnnotation<'_>>, otherwise: &str) -> String {
        annotation.map_or_else(|| otherwise.to_owned(), |annotation| self.annotation(annotation))
    }

    /// In parentheses where it binds less than what is around it.
    fn part(self, ty: &TSType<'_>, around: Binds) -> String {
        let text = self.ty(ty);
        if binds(bare(ty)) < around { ["(", &text, ")"].concat() } else { text }
    }

    pub(super) fn ty(self, ty: &TSType<'_>) -> String {
        match bare(ty) {
            TSType::TSArrayType(array) => self.part(&array.element_type, Binds::Most) + "[]",
            TSType::TSConditionalType(conditional) => format!(
                "{} extends {} ? {} : {}",
                self.part(&conditional.check_type, Binds::Union),
                self.part(&conditional.extends_type, Binds::Union),
                self.ty(&conditional.true_type),
                self.ty(&conditional.false_type)
            ),
            TSType::TSConstructorType(constructor) => format!(
                "{}new {}({}) => {}",
                if constructor.r#abstract { "abstract " } else { "" },
                self.type_parameters(constructor.type_parameters.as_deref()),
                self.parameters(&constructor.params, None),
                self.annotation(&constructor.return_type)
            ),
            TSType::TSFunctionType(function) => [
                &*self.type_parameters(function.type_parameters.as_deref()),
                "(",
                &self.parameters(&function.params, function.this_param.as_deref()),
                ") => ",
                &self.annotation(&function.return_type),
            ]
            .concat(),
            TSType::TSImportType(import) => self.import(import),
            TSType::TSIndexedAccessType(access) => {
                format!("{}[{}]", self.part(&access.object_type, Binds::Most), self.ty(&access.index_type))
            }
            TSType::TSInferType(infer) => format!("infer {}", self.type_parameter(&infer.type_parameter)),
            TSType::TSIntersectionType(intersection) => {
                join(intersection.types.iter().map(|part| self.part(part, Binds::Intersection)), " & ")
            }
            TSType::TSUnionType(union) => {
                join(variants(union).into_iter().map(|part| self.part(part, Binds::Operator)), " | ")
            }
            TSType::TSLiteralType(literal) => self.literal(&literal.literal),
            TSType::TSMappedType(mapped) => {
                let name = mapped.name_type.as_ref().map(|name| format!(" as {}", self.ty(name)));
                let value = mapped.type_annotation.as_ref().map(|ty| format!(": {}", self.ty(ty)));
                format!(
                    "{{ {}[{} in {}{}]{}{} }}",
                    modifier(mapped.readonly, "readonly "),
                    mapped.key.name,
                    self.ty(&mapped.constraint),
                    name.unwrap_or_default(),
                    modifier(mapped.optional, "?"),
                    value.unwrap_or_default()
                )
            }
            TSType::TSNamedTupleMember(member) => {
                let mark = if member.optional { "?" } else { "" };
                format!("{}{mark}: {}", member.label.name, self.tuple_element(&member.element_type))
            }
            TSType::TSTemplateLiteralType(template) => {
                if let (Some(text), []) = (template.quasis.first(), template.types.as_slice()) {
                    return quoted(text.value.cooked.as_ref().unwrap_or(&text.value.raw));
                }
                let mut text = String::from("`");
                for (index, quasi) in template.quasis.iter().enumerate() {
                    text.push_str(&one_line(&quasi.value.raw));
                    if let Some(ty) = template.types.get(index) {
                        text.push_str("${");
                        text.push_str(&self.ty(ty));
                        text.push('}');
                    }
                }
                text + "`"
            }
            TSType::TSTupleType(tuple) => format!("[{}]", self.tuple(tuple)),
            TSType::TSTypeLiteral(literal) => self.members(&literal.members),
            TSType::TSTypeOperatorType(operator) => {
                let word = match operator.operator {
                    TSTypeOperatorOperator::Keyof => "keyof ",
                    TSTypeOperatorOperator::Unique => "unique ",
                    TSTypeOperatorOperator::Readonly => "readonly ",
                };
                [word, &self.part(&operator.type_annotation, Binds::Operator)].concat()
            }
            TSType::TSTypePredicate(predicate) => {
                let name = match &predicate.parameter_name {
                    TSTypePredicateName::Identifier(name) => name.name.as_str(),
                    TSTypePredicateName::This(_) => "this",
                };
                let asserts = if predicate.asserts { "asserts " } else { "" };
                let is = predicate.type_annotation.as_ref().map(|ty| format!(" is {}", self.annotation(ty)));
                format!("{asserts}{name}{}", is.unwrap_or_default())
            }
            TSType::TSTypeQuery(query) => {
                let name = match &query.expr_name {
                    TSTypeQueryExprName::TSImportType(import) => self.import(import),
                    TSTypeQueryExprName::IdentifierReference(name) => name.name.into_string(),
                    TSTypeQueryExprName::QualifiedName(name) => {
                        format!("{}.{}", type_name(&name.left), name.right.name)
                    }
                    TSTypeQueryExprName::ThisExpression(_) => "this".to_owned(),
                };
                format!("typeof {name}{}", self.type_arguments(query.type_arguments.as_deref()))
            }
            TSType::TSTypeReference(reference) => {
                let arguments = self.type_arguments(reference.type_arguments.as_deref());
                type_name(&reference.type_name) + &arguments
            }
            // Keywords and the types of JSDoc are one word, or nearly.
            other => self.source.compact(other.span()),
        }
    }

    fn import(self, import: &TSImportType<'_>) -> String {
        let qualifier = import.qualifier.as_ref().map(|name| format!(".{}", qualifier(name)));
        let arguments = self.type_arguments(import.type_arguments.as_deref());
        format!("import('{}'){}{arguments}", import.source.value, qualifier.unwrap_or_default())
    }

    /// Without its brackets.
    pub(super) fn tuple(self, tuple: &TSTupleType<'_>) -> String {
        join(tuple.element_types.iter().map(|part| self.tuple_element(part)), ", ")
    }

    fn tuple_element(self, element: &TSTupleElement<'_>) -> String {
        match element {
            TSTupleElement::TSOptionalType(optional) => {
                self.part(&optional.type_annotation, Binds::Most) + "?"
            }
            TSTupleElement::TSRestType(rest) => format!("...{}", self.ty(&rest.type_annotation)),
            other => other.as_ts_type().map(|ty| self.ty(ty)).unwrap_or_default(),
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

    pub(super) fn members(self, members: &[TSSignature<'_>]) -> String {
        if members.is_empty() {
            return "{}".to_owned();
        }
        ["{ ", &join(members.iter().map(|member| self.member(member)), "; "), " }"].concat()
    }

    pub(super) fn member(self, member: &TSSignature<'_>) -> String {
        match member {
            TSSignature::TSIndexSignature(index) => format!(
                "{}[{}: {}]: {}",
                if index.readonly { "readonly " } else { "" },
                index.parameter.name,
                self.annotation(&index.parameter.type_annotation),
                self.annotation(&index.type_annotation)
            ),
            TSSignature::TSPropertySignature(property) => [
                if property.readonly { "readonly " } else { "" },
                &self.key(&property.key, property.computed),
                if property.optional { "?: " } else { ": " },
                &self.annotation_or(property.type_annotation.as_deref(), "any"),
            ]
            .concat(),
            TSSignature::TSCallSignatureDeclaration(call) => format!(
                "{}({}): {}",
                self.type_parameters(call.type_parameters.as_deref()),
                self.parameters(&call.params, call.this_param.as_deref()),
                self.annotation_or(call.return_type.as_deref(), "any")
            ),
            TSSignature::TSConstructSignatureDeclaration(construct) => format!(
                "new {}({}): {}",
                self.type_parameters(construct.type_parameters.as_deref()),
                self.parameters(&construct.params, None),
                self.annotation_or(construct.return_type.as_deref(), "any")
            ),
            TSSignature::TSMethodSignature(method) => [
                match method.kind {
                    TSMethodSignatureKind::Method => "",
                    TSMethodSignatureKind::Get => "get ",
                    TSMethodSignatureKind::Set => "set ",
                },
                &self.key(&method.key, method.computed),
                if method.optional { "?" } else { "" },
                &self.type_parameters(method.type_parameters.as_deref()),
                "(",
                &self.parameters(&method.params, method.this_param.as_deref()),
                &match (&method.return_type, method.kind) {
                    (None, TSMethodSignatureKind::Set) => ")".to_owned(),
                    (returned, _) => "): ".to_owned() + &self.annotation_or(returned.as_deref(), "any"),
                },
            ]
            .concat(),
        }
    }

    pub(super) fn type_parameters(self, parameters: Option<&TSTypeParameterDeclaration<'_>>) -> String {
        let Some(parameters) = parameters else { return String::new() };
        let each = join(parameters.params.iter().map(|parameter| self.type_parameter(parameter)), ", ");
        ["<", &each, ">"].concat()
    }

    fn type_parameter(self, parameter: &TSTypeParameter<'_>) -> String {
        let printed =
            |word, ty: Option<&TSType<'_>>| ty.map_or(("", String::new()), |ty| (word, self.ty(ty)));
        let (extends, constraint) = printed(" extends ", parameter.constraint.as_ref());
        let (is, default) = printed(" = ", parameter.default.as_ref());
        [
            if parameter.r#const { "const " } else { "" },
            if parameter.r#in { "in " } else { "" },
            if parameter.out { "out " } else { "" },
            &parameter.name.name,
            extends,
            &constraint,
            is,
            &default,
        ]
        .concat()
    }

    pub(super) fn type_arguments(self, arguments: Option<&TSTypeParameterInstantiation<'_>>) -> String {
        let Some(arguments) = arguments else { return String::new() };
        ["<", &join(arguments.params.iter().map(|ty| self.ty(ty)), ", "), ">"].concat()
    }

    pub(super) fn parameters(
        self,
        parameters: &FormalParameters<'_>,
        this: Option<&TSThisParameter<'_>>,
    ) -> String {
        self.parameters_said(parameters, this, None)
    }

    /// What is not annotated is as a comment says.
    pub(super) fn parameters_said(
        self,
        parameters: &FormalParameters<'_>,
        this: Option<&TSThisParameter<'_>>,
        said: Option<&Said>,
    ) -> String {
        let this =
            this.map(|this| format!("this: {}", self.annotation_or(this.type_annotation.as_deref(), "any")));
        let rest = parameters.rest.as_ref().map(|rest| {
            let name = self.pattern(&rest.rest.argument);
            let annotation = rest.type_annotation.as_deref().map(|ty| self.annotation(ty));
            let annotation = annotation.or_else(|| {
                let said = said?.of_parameter(Some(&name), parameters.items.len())?.text;
                Some(said.strip_prefix("...").map_or(said.clone(), |each| format!("{each}[]")))
            });
            format!("...{name}{}", annotation.map(|ty| format!(": {ty}")).unwrap_or_default())
        });
        let each = parameters.items.iter().enumerate().map(|(at, item)| {
            let name = item.pattern.get_identifier_name();
            let said = said.filter(|_| item.type_annotation.is_none());
            match said.and_then(|said| said.of_parameter(name.as_deref(), at)) {
                Some(said) => {
                    let optional = if said.optional || item.initializer.is_some() { "?" } else { "" };
                    let name = name.as_deref().unwrap_or("{...}");
                    format!("{name}{optional}: {}", said.text)
                }
                None => self.parameter(item),
            }
        });
        join(this.into_iter().chain(each).chain(rest), ", ")
    }

    /// A parameter that has a default is optional to its caller, whatever the default is.
    pub(super) fn parameter(self, parameter: &FormalParameter<'_>) -> String {
        // What an annotated parameter is taken apart into is the function's own business.
        let hides = parameter.pattern.is_destructuring_pattern() && parameter.type_annotation.is_some();
        let name = match &parameter.pattern {
            BindingPattern::ObjectPattern(_) if hides => "{...}".into(),
            BindingPattern::ArrayPattern(_) if hides => "[...]".into(),
            BindingPattern::BindingIdentifier(name) => Cow::Borrowed(name.name.as_str()),
            pattern => self.pattern(pattern).into(),
        };
        let optional = if parameter.optional || parameter.initializer.is_some() { "?" } else { "" };
        let annotation = match (&parameter.type_annotation, &parameter.initializer) {
            (Some(ty), _) => Cow::Owned(self.annotation(ty)),
            (None, Some(default)) => literal_type(default).unwrap_or_default().into(),
            (None, None) => Cow::Borrowed(""),
        };
        [&*name, optional, if annotation.is_empty() { "" } else { ": " }, &*annotation].concat()
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
                Some(key) if computed => format!("[{}]", self.expression(key)),
                _ => self.source.compact(other.span()),
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
        TSTypeName::QualifiedName(qualified) => {
            format!("{}.{}", type_name(&qualified.left), qualified.right.name)
        }
        TSTypeName::ThisExpression(_) => "this".to_owned(),
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

/// The name of an export as a list has it: a text where it is no identifier.
pub(crate) fn listed(name: &str) -> Cow<'_, str> {
    if is_identifier_name(name) { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

pub(crate) fn quoted(text: &str) -> String {
    let plain = !text.bytes().any(|byte| matches!(byte, b'\\' | b'\'' | b'\n'));
    if plain {
        return ["'", text, "'"].concat();
    }
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
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

fn modifier(operator: Option<TSMappedTypeModifierOperator>, word: &str) -> String {
    match operator {
        None => String::new(),
        Some(TSMappedTypeModifierOperator::True) => word.to_owned(),
        Some(TSMappedTypeModifierOperator::Plus) => format!("+{word}"),
        Some(TSMappedTypeModifierOperator::Minus) => format!("-{word}"),
    }
}
