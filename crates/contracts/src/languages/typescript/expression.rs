//! Expressions printed from the syntax tree in one spelling, as types are: how a file is laid out, quoted and bracketed
//! says nothing of what it promises. What a function does stays inside of it.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, ArrowFunctionBody, ArrowFunctionExpression, BigIntLiteral,
    CallExpression, ChainElement, Class, Expression, Function, FunctionBody, JSXAttributeItem,
    JSXAttributeName, JSXAttributeValue, JSXChild, JSXElement, JSXExpression, MemberExpression,
    NewExpression, NumericLiteral, ObjectProperty, ObjectPropertyKind, PropertyKind, TSType, TemplateLiteral,
    UnaryExpression,
};
use oxc_span::{GetSpan, Span};
use oxc_syntax::number::NumberBase;
use oxc_syntax::precedence::{GetPrecedence, Precedence};

use super::body::tag_name;
use super::modules::DEFAULT;
use super::print::{Print, quoted};

/// Stands for what a function does.
const BODY: &str = "{ … }";

impl Print<'_, '_> {
    pub(super) fn expression(self, value: &Expression<'_>) -> String {
        self.bounded(value, usize::MAX).unwrap_or_default()
    }

    /// `None` where it takes more than so many bytes.
    pub(super) fn bounded(self, value: &Expression<'_>, most: usize) -> Option<String> {
        let mut out = Writer::new(self, most);
        out.write(value, Precedence::Lowest);
        (out.text.len() <= most).then_some(out.text)
    }

    /// As [`Print::bounded`], without what any function in it does.
    pub(super) fn outside(self, value: &Expression<'_>, most: usize) -> Option<String> {
        let mut out = Writer { is_outside: true, ..Writer::new(self, most) };
        out.write(value, Precedence::Lowest);
        (out.text.len() <= most).then_some(out.text)
    }

    /// Also without that.
    pub(super) fn argument(self, argument: &Argument<'_>) -> String {
        let mut out = Writer { is_outside: true, ..Writer::new(self, usize::MAX) };
        out.argument(argument);
        out.text
    }

    pub(super) fn template(self, template: &TemplateLiteral<'_>) -> String {
        let mut out = Writer::new(self, usize::MAX);
        out.template(template, false);
        out.text
    }

    /// `-1`, and nothing more where a sign says nothing.
    pub(super) fn signed(self, unary: &UnaryExpression<'_>) -> String {
        let mut out = Writer::new(self, usize::MAX);
        out.unary(unary);
        out.text
    }
}

/// Stops where it has written more than `most`.
struct Writer<'s, 'a> {
    print: Print<'s, 'a>,
    text: String,
    most: usize,
    /// Whether what an arrow gives is left out as the body of a function is.
    is_outside: bool,
}

impl<'s, 'a> Writer<'s, 'a> {
    fn new(print: Print<'s, 'a>, most: usize) -> Self {
        Self { print, text: String::new(), most, is_outside: false }
    }
}

impl Writer<'_, '_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn put_quoted(&mut self, text: &str) {
        // Too long as it is, it needs no quotes to be.
        if self.text.len() + text.len() > self.most { self.put(text) } else { self.put(&quoted(text)) }
    }

    /// In parentheses where it binds less than what is around it.
    fn write(&mut self, value: &Expression<'_>, around: Precedence) {
        if self.text.len() > self.most {
            return;
        }
        if binds(value) < around {
            self.put("(");
            self.plain(value);
            self.put(")");
        } else {
            self.plain(value);
        }
    }

    fn plain(&mut self, value: &Expression<'_>) {
        match value {
            Expression::BooleanLiteral(literal) => self.put(if literal.value { "true" } else { "false" }),
            Expression::NullLiteral(_) => self.put("null"),
            Expression::NumericLiteral(literal) => self.put(&number(literal)),
            Expression::BigIntLiteral(literal) => self.put(&big_number(literal)),
            Expression::RegExpLiteral(literal) => {
                let regex = &literal.regex;
                self.put(&format!("/{}/{}", regex.pattern.text, regex.flags));
            }
            Expression::StringLiteral(literal) => self.put_quoted(&literal.value),
            Expression::TemplateLiteral(template) => self.template(template, false),
            Expression::Identifier(name) => self.put(&name.name),
            Expression::Super(_) => self.put("super"),
            Expression::ThisExpression(_) => self.put("this"),
            Expression::ImportMeta(_) => self.put("import.meta"),
            Expression::NewTarget(_) => self.put("new.target"),
            Expression::ArrayExpression(list) => {
                self.put("[");
                self.each(&list.elements, Self::element);
                self.put("]");
            }
            Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow),
            Expression::AssignmentExpression(assignment) => {
                self.as_written(assignment.left.span());
                self.put(&format!(" {} ", assignment.operator.as_str()));
                self.write(&assignment.right, Precedence::Assign);
            }
            Expression::AwaitExpression(awaited) => {
                self.put("await ");
                self.write(&awaited.argument, Precedence::Prefix);
            }
            Expression::BinaryExpression(binary) => {
                self.infix([&binary.left, &binary.right], binary.operator.as_str(), binds(value));
            }
            Expression::LogicalExpression(logical) => {
                self.infix([&logical.left, &logical.right], logical.operator.as_str(), binds(value));
            }
            Expression::CallExpression(call) => self.call(call),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.call(call),
                ChainElement::TSNonNullExpression(sure) => self.around(&sure.expression, "!"),
                other => {
                    if let Some(member) = other.as_member_expression() {
                        self.member(member);
                    }
                }
            },
            Expression::ClassExpression(class) => self.class(class),
            Expression::ConditionalExpression(choice) => {
                self.write(&choice.test, Precedence::NullishCoalescing);
                self.put(" ? ");
                self.write(&choice.consequent, Precedence::Assign);
                self.put(" : ");
                self.write(&choice.alternate, Precedence::Assign);
            }
            Expression::FunctionExpression(function) => self.function(function),
            Expression::ImportExpression(import) => {
                self.put("import(");
                self.write(&import.source, Precedence::Assign);
                if let Some(options) = &import.options {
                    self.put(", ");
                    self.write(options, Precedence::Assign);
                }
                self.put(")");
            }
            Expression::NewExpression(new) => self.new_value(new),
            Expression::ObjectExpression(object) if object.properties.is_empty() => self.put("{}"),
            Expression::ObjectExpression(object) => {
                self.put("{ ");
                self.each(&object.properties, Self::property);
                self.put(" }");
            }
            Expression::ParenthesizedExpression(inner) => self.plain(&inner.expression),
            Expression::SequenceExpression(sequence) => {
                self.each(&sequence.expressions, |out, one| out.write(one, Precedence::Assign));
            }
            Expression::TaggedTemplateExpression(tagged) => {
                self.write(&tagged.tag, Precedence::Call);
                self.put(&self.print.type_arguments(tagged.type_arguments.as_deref()));
                self.template(&tagged.quasi, true);
            }
            Expression::UnaryExpression(unary) => self.unary(unary),
            Expression::YieldExpression(given) => {
                self.put(if given.delegate { "yield*" } else { "yield" });
                if let Some(argument) = &given.argument {
                    self.put(" ");
                    self.write(argument, Precedence::Yield);
                }
            }
            Expression::PrivateInExpression(test) => {
                self.put(&format!("#{} in ", test.left.name));
                self.write(&test.right, Precedence::Shift);
            }
            Expression::JSXElement(element) => self.element_of_jsx(element),
            Expression::JSXFragment(fragment) => {
                self.put("<>");
                self.children(&fragment.children);
                self.put("</>");
            }
            Expression::TSAsExpression(cast) => self.cast(&cast.expression, " as ", &cast.type_annotation),
            Expression::TSTypeAssertion(cast) => self.cast(&cast.expression, " as ", &cast.type_annotation),
            Expression::TSSatisfiesExpression(cast) => {
                self.cast(&cast.expression, " satisfies ", &cast.type_annotation);
            }
            Expression::TSNonNullExpression(sure) => self.around(&sure.expression, "!"),
            Expression::TSInstantiationExpression(given) => {
                let arguments = self.print.type_arguments(Some(&given.type_arguments));
                self.around(&given.expression, &arguments);
            }
            Expression::ComputedMemberExpression(_)
            | Expression::StaticMemberExpression(_)
            | Expression::PrivateFieldExpression(_) => {
                if let Some(member) = value.as_member_expression() {
                    self.member(member);
                }
            }
            Expression::UpdateExpression(_) | Expression::V8IntrinsicExpression(_) => {
                self.as_written(value.span());
            }
        }
    }

    fn as_written(&mut self, span: Span) {
        let text = self.print.source.compact(span);
        self.put(&text);
    }

    fn each<T>(&mut self, all: &[T], mut one: impl FnMut(&mut Self, &T)) {
        for (index, part) in all.iter().enumerate() {
            if self.text.len() > self.most {
                return;
            }
            if index > 0 {
                self.put(", ");
            }
            one(self, part);
        }
    }

    fn element(&mut self, element: &ArrayExpressionElement<'_>) {
        match element {
            ArrayExpressionElement::SpreadElement(spread) => self.spread(&spread.argument),
            ArrayExpressionElement::Elision(_) => {}
            other => other.as_expression().into_iter().for_each(|one| self.write(one, Precedence::Assign)),
        }
    }

    fn argument(&mut self, argument: &Argument<'_>) {
        match argument {
            Argument::SpreadElement(spread) => self.spread(&spread.argument),
            other => other.as_expression().into_iter().for_each(|one| self.write(one, Precedence::Assign)),
        }
    }

    fn spread(&mut self, value: &Expression<'_>) {
        self.put("...");
        self.write(value, Precedence::Assign);
    }

    fn property(&mut self, property: &ObjectPropertyKind<'_>) {
        match property {
            ObjectPropertyKind::SpreadProperty(spread) => self.spread(&spread.argument),
            ObjectPropertyKind::ObjectProperty(property) => self.own_property(property),
        }
    }

    fn own_property(&mut self, property: &ObjectProperty<'_>) {
        let key = self.print.key(&property.key, property.computed);
        match &property.value {
            Expression::FunctionExpression(method)
                if property.method || property.kind != PropertyKind::Init =>
            {
                self.put(match property.kind {
                    PropertyKind::Get => "get ",
                    PropertyKind::Set => "set ",
                    PropertyKind::Init if method.r#async => "async ",
                    PropertyKind::Init => "",
                });
                self.put(if method.generator { "*" } else { "" });
                self.put(&key);
                self.takes(method);
            }
            _ if property.shorthand => self.put(&key),
            value => {
                self.put(&key);
                self.put(": ");
                self.write(value, Precedence::Assign);
            }
        }
    }

    fn call(&mut self, call: &CallExpression<'_>) {
        self.write(&call.callee, Precedence::Call);
        self.put(if call.optional { "?." } else { "" });
        self.put(&self.print.type_arguments(call.type_arguments.as_deref()));
        self.arguments(&call.arguments);
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) {
        self.put("(");
        self.each(arguments, Self::argument);
        self.put(")");
    }

    fn new_value(&mut self, new: &NewExpression<'_>) {
        self.put("new ");
        let start = self.text.len();
        self.write(&new.callee, Precedence::Call);
        // Its own arguments are the first ones that follow.
        if self.text[start..].contains('(') {
            self.text.insert(start, '(');
            self.put(")");
        }
        self.put(&self.print.type_arguments(new.type_arguments.as_deref()));
        self.arguments(&new.arguments);
    }

    fn member(&mut self, member: &MemberExpression<'_>) {
        self.write(member.object(), Precedence::Call);
        let optional = member.optional();
        match member {
            MemberExpression::ComputedMemberExpression(member) => {
                self.put(if optional { "?.[" } else { "[" });
                self.write(&member.expression, Precedence::Lowest);
                self.put("]");
            }
            MemberExpression::StaticMemberExpression(member) => {
                self.put(if optional { "?." } else { "." });
                self.put(&member.property.name);
            }
            MemberExpression::PrivateFieldExpression(member) => {
                self.put(if optional { "?.#" } else { ".#" });
                self.put(&member.field.name);
            }
        }
    }

    fn infix(&mut self, [left, right]: [&Expression<'_>; 2], operator: &str, own: Precedence) {
        let from_the_right = own.is_right_associative();
        self.side(left, own, !from_the_right);
        self.put(" ");
        self.put(operator);
        self.put(" ");
        self.side(right, own, from_the_right);
    }

    /// `a - (b - c)`, `(a ** b) ** c`: of two that bind alike one is in parentheses.
    fn side(&mut self, value: &Expression<'_>, own: Precedence, is_free: bool) {
        let is_alike = binds(value) == own;
        self.write(value, if is_alike && !is_free { Precedence::Member } else { own });
    }

    fn unary(&mut self, unary: &UnaryExpression<'_>) {
        let operator = unary.operator.as_str();
        let argument = &unary.argument;
        // `+1` is `1`.
        if operator != "+" || !matches!(argument, Expression::NumericLiteral(_)) {
            self.put(operator);
            let is_word = operator.starts_with(|first: char| first.is_ascii_alphabetic());
            self.put(if is_word || matches!(argument, Expression::UnaryExpression(_)) { " " } else { "" });
        }
        self.write(argument, Precedence::Prefix);
    }

    /// With what follows it.
    fn around(&mut self, value: &Expression<'_>, after: &str) {
        self.write(value, Precedence::Call);
        self.put(after);
    }

    fn cast(&mut self, value: &Expression<'_>, word: &str, ty: &TSType<'_>) {
        self.write(value, Precedence::Compare);
        self.put(word);
        self.put(&self.print.ty(ty));
    }

    /// Without anything put in it is a text like any other, unless what it is handed to can tell.
    fn template(&mut self, template: &TemplateLiteral<'_>, tagged: bool) {
        if let Some(text) = template.single_quasi().filter(|_| !tagged) {
            return self.put_quoted(&text);
        }
        self.put("`");
        for (index, quasi) in template.quasis.iter().enumerate() {
            self.put(&one_line(&quasi.value.raw));
            if let Some(value) = template.expressions.get(index) {
                self.put("${");
                self.write(value, Precedence::Lowest);
                self.put("}");
            }
        }
        self.put("`");
    }

    fn arrow(&mut self, arrow: &ArrowFunctionExpression<'_>) {
        let print = self.print;
        self.put(if arrow.r#async { "async " } else { "" });
        self.put(&print.type_parameters(arrow.type_parameters.as_deref()));
        self.put(&format!("({})", print.parameters(&arrow.params, None)));
        if let Some(returned) = &arrow.return_type {
            self.put(&format!(": {}", print.annotation(returned)));
        }
        self.put(" => ");
        match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => self.body(Some(body)),
            _ if self.is_outside => self.put(BODY),
            other => match other.as_expression() {
                Some(object @ Expression::ObjectExpression(_)) => {
                    self.put("(");
                    self.plain(object);
                    self.put(")");
                }
                Some(value) => self.write(value, Precedence::Assign),
                None => {}
            },
        }
    }

    fn function(&mut self, function: &Function<'_>) {
        self.put(if function.r#async { "async function" } else { "function" });
        self.put(if function.generator { "*" } else { "" });
        if let Some(name) = &function.id {
            self.put(" ");
            self.put(&name.name);
        }
        self.takes(function);
    }

    fn takes(&mut self, function: &Function<'_>) {
        let print = self.print;
        self.put(&print.type_parameters(function.type_parameters.as_deref()));
        self.put(&format!("({})", print.parameters(&function.params, function.this_param.as_deref())));
        if let Some(returned) = &function.return_type {
            self.put(&format!(": {}", print.annotation(returned)));
        }
        self.put(" ");
        self.body(function.body.as_deref());
    }

    fn body(&mut self, body: Option<&FunctionBody<'_>>) {
        let is_empty = body.is_none_or(|body| body.statements.is_empty() && body.directives.is_empty());
        self.put(if is_empty { "{}" } else { BODY });
    }

    fn class(&mut self, class: &Class<'_>) {
        let name = class.id.as_ref().map_or(DEFAULT, |id| id.name.as_str());
        self.put(&self.print.class_head(class, name));
        self.put(" ");
        self.put(if class.body.body.is_empty() { "{}" } else { BODY });
    }

    fn element_of_jsx(&mut self, element: &JSXElement<'_>) {
        let opening = &element.opening_element;
        let name = tag_name(&opening.name);
        self.put("<");
        self.put(&name);
        self.put(&self.print.type_arguments(opening.type_arguments.as_deref()));
        for attribute in &opening.attributes {
            self.put(" ");
            self.attribute(attribute);
        }
        let start = self.text.len();
        self.put(">");
        self.children(&element.children);
        if self.text.len() == start + 1 {
            self.text.truncate(start);
            self.put(" />");
        } else {
            self.put(&format!("</{name}>"));
        }
    }

    fn attribute(&mut self, attribute: &JSXAttributeItem<'_>) {
        let attribute = match attribute {
            JSXAttributeItem::SpreadAttribute(spread) => {
                self.put("{");
                self.spread(&spread.argument);
                return self.put("}");
            }
            JSXAttributeItem::Attribute(attribute) => attribute,
        };
        match &attribute.name {
            JSXAttributeName::Identifier(name) => self.put(&name.name),
            JSXAttributeName::NamespacedName(name) => {
                self.put(&format!("{}:{}", name.namespace.name, name.name.name));
            }
        }
        let Some(value) = &attribute.value else { return };
        self.put("=");
        match value {
            JSXAttributeValue::StringLiteral(text) => self.put_quoted(&text.value),
            JSXAttributeValue::Element(element) => self.element_of_jsx(element),
            JSXAttributeValue::Fragment(fragment) => self.children(&fragment.children),
            JSXAttributeValue::ExpressionContainer(inner) => match text_in(&inner.expression) {
                Some(text) => self.put_quoted(text),
                None => self.in_braces(&inner.expression),
            },
        }
    }

    fn children(&mut self, children: &[JSXChild<'_>]) {
        for child in children {
            match child {
                JSXChild::Text(text) => self.put(&shown_text(&text.value)),
                JSXChild::Element(element) => self.element_of_jsx(element),
                JSXChild::Fragment(fragment) => self.children(&fragment.children),
                JSXChild::Spread(spread) => self.spread(&spread.expression),
                JSXChild::ExpressionContainer(inner) => match text_in(&inner.expression) {
                    Some(text) => self.put(text),
                    None => self.in_braces(&inner.expression),
                },
            }
        }
    }

    fn in_braces(&mut self, inner: &JSXExpression<'_>) {
        if let Some(value) = inner.as_expression() {
            self.put("{");
            self.write(value, Precedence::Lowest);
            self.put("}");
        }
    }
}

/// `{'text'}`, which is the text.
fn text_in<'x>(inner: &'x JSXExpression<'_>) -> Option<&'x str> {
    match inner.as_expression()? {
        Expression::StringLiteral(text) => Some(&text.value),
        _ => None,
    }
}

/// Lines of JSX are joined by one blank, and blank ones are none.
fn shown_text(text: &str) -> String {
    let count = text.lines().count();
    let lines = text.lines().enumerate().map(|(at, line)| {
        let line = if at == 0 { line } else { line.trim_start() };
        if at + 1 == count && !text.ends_with('\n') { line } else { line.trim_end() }
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A template may go over several lines.
pub(super) fn one_line(raw: &str) -> std::borrow::Cow<'_, str> {
    if raw.contains('\n') { raw.replace("\r\n", "\n").replace('\n', "\\n").into() } else { raw.into() }
}

/// One spelling of each number: without `_`, in small letters, decimal ones by their value.
pub(super) fn number(literal: &NumericLiteral<'_>) -> String {
    let value = literal.value;
    match (literal.base, &literal.raw) {
        (NumberBase::Hex | NumberBase::Binary | NumberBase::Octal, Some(raw)) => plain_digits(raw),
        _ if !value.is_finite() => "Infinity".to_owned(),
        _ if value != 0.0 && !(1e-6..1e21).contains(&value) => format!("{value:e}"),
        _ => value.to_string(),
    }
}

pub(super) fn big_number(literal: &BigIntLiteral<'_>) -> String {
    literal.raw.as_ref().map_or_else(|| format!("{}n", literal.value), |raw| plain_digits(raw))
}

fn plain_digits(raw: &str) -> String {
    raw.chars().filter(|digit| *digit != '_').map(|digit| digit.to_ascii_lowercase()).collect()
}

/// How strongly an expression holds its parts together.
fn binds(value: &Expression<'_>) -> Precedence {
    match value {
        Expression::SequenceExpression(_) => Precedence::Comma,
        Expression::YieldExpression(_) => Precedence::Yield,
        Expression::ArrowFunctionExpression(_) | Expression::AssignmentExpression(_) => Precedence::Assign,
        Expression::ConditionalExpression(_) => Precedence::Conditional,
        Expression::LogicalExpression(logical) => logical.operator.precedence(),
        Expression::BinaryExpression(binary) => binary.operator.precedence(),
        Expression::PrivateInExpression(_)
        | Expression::TSAsExpression(_)
        | Expression::TSSatisfiesExpression(_)
        | Expression::TSTypeAssertion(_) => Precedence::Compare,
        Expression::UnaryExpression(_) | Expression::AwaitExpression(_) => Precedence::Prefix,
        // What comes after a chain in brackets is no part of it.
        Expression::UpdateExpression(_) | Expression::ChainExpression(_) => Precedence::Postfix,
        _ => Precedence::Member,
    }
}
