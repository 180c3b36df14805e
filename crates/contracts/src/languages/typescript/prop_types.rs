//! Props that JavaScript declares by validators: `X.propTypes = { … }`, `static propTypes`, and `defaultProps`, by which a
//! prop need not be given. A type that is written counts instead of them, one that is said in a doc comment before them.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;
use oxc_ast::ast::{
    Argument, ArrayExpressionElement, AssignmentTarget, CallExpression, Class, ClassElement,
    Declaration as Syntax, ExportDefaultDeclarationKind, Expression, ObjectExpression, ObjectPropertyKind,
    Program, Statement,
};

use super::body::callee_name;
use super::component::{Callable, as_said, is_component_name};
use super::modules::{DEFAULT, Modules, constants, declared};
use super::print::{INFERRED, Print, quoted};
use super::{declarations, maker, shape};
use crate::model::{
    ComponentForm, Declaration, DeclarationDetail, DeclarationKind, Member, MemberKind, TypeShape,
};

const PACKAGE: &str = "prop-types";
/// Validators in validators.
const DEEPEST: usize = 6;
/// More of them in one file are not read: constants may name each other again and again.
const MOST: usize = 2_000;
/// Words of a list that are read out.
const MOST_WORDS: usize = 100;
const FUNCTION: &str = "(...args: any[]) => any";

/// Gives the components of a file the props that they declare so, and the constants that hold validators their types.
pub(super) fn add<'a>(
    program: &Program<'a>,
    print: Print<'_, 'a>,
    modules: &Modules<'_>,
    declarations: &mut [Declaration],
) {
    let found = Found::of(program);
    let is_value = |one: &Declaration| matches!(one.detail, DeclarationDetail::Value(_));
    if found.components.is_empty() && !declarations.iter().any(is_value) {
        return;
    }
    let says = |word: &str| memmem::find(program.source_text.as_bytes(), word.as_bytes()).is_some();
    if !(says("ropTypes") || says("defaultProps") || modules.imports_from(|from| from == PACKAGE)) {
        return;
    }
    let reader = Reader { print, modules, constants: constants(program).collect(), fuel: Cell::new(MOST) };
    for declaration in declarations {
        if let Some(said) = found.components.get(declaration.name.as_str()) {
            reader.component(declaration, said);
        } else if let (DeclarationDetail::Value(members), Some(value)) =
            (&mut declaration.detail, reader.constants.get(declaration.name.as_str()))
        {
            if let Some(object) = reader.object(value).filter(|object| reader.holds_validators(object)) {
                *members = reader.shape(object, &BTreeSet::new(), 0).settled().all();
            }
        }
    }
}

/// What is said of one component.
#[derive(Default)]
struct Said<'x, 'a> {
    types: Option<&'x Expression<'a>>,
    defaults: Option<&'x Expression<'a>>,
}

#[derive(Default)]
struct Found<'x, 'a> {
    components: BTreeMap<&'x str, Said<'x, 'a>>,
}

impl<'x, 'a> Found<'x, 'a> {
    fn of(program: &'x Program<'a>) -> Self {
        let mut found = Self::default();
        for statement in &program.body {
            found.statement(statement, 0);
            if let Statement::ExportDefaultDeclaration(export) = statement {
                if let ExportDefaultDeclarationKind::ClassDeclaration(class) = &export.declaration {
                    found.class(class.id.as_ref().map_or(DEFAULT, |id| id.name.as_str()), class);
                }
            }
        }
        for declaration in declared(program) {
            if let Syntax::ClassDeclaration(class) = declaration {
                found.class(class.id.as_ref().map_or(DEFAULT, |id| id.name.as_str()), class);
            }
        }
        for (name, value) in constants(program) {
            if let Expression::ClassExpression(class) = value.get_inner_expression() {
                found.class(name, class);
            }
        }
        found
    }

    /// `X.propTypes = …`, also where it is only done while developing.
    fn statement(&mut self, statement: &'x Statement<'a>, depth: usize) {
        match statement {
            Statement::ExpressionStatement(statement) => {
                let Expression::AssignmentExpression(assignment) = &statement.expression else { return };
                let AssignmentTarget::StaticMemberExpression(member) = &assignment.left else { return };
                if let Expression::Identifier(of) = &member.object {
                    self.note(&of.name, &member.property.name, &assignment.right);
                }
            }
            Statement::IfStatement(conditional) if depth < DEEPEST => {
                self.statement(&conditional.consequent, depth + 1);
            }
            Statement::BlockStatement(block) if depth < DEEPEST => {
                for inner in &block.body {
                    self.statement(inner, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn class(&mut self, name: &'x str, class: &'x Class<'a>) {
        for element in &class.body.body {
            let (key, value) = match element {
                ClassElement::PropertyDefinition(one) if one.r#static => (&one.key, one.value.as_ref()),
                ClassElement::MethodDefinition(one) if one.r#static && one.kind.is_get() => {
                    (&one.key, maker::last(Callable::Function(&one.value)))
                }
                _ => continue,
            };
            for word in ["propTypes", "defaultProps"] {
                if let Some(value) = value.filter(|_| key.is_specific_static_name(word)) {
                    self.note(name, word, value);
                }
            }
        }
    }

    fn note(&mut self, of: &'x str, what: &str, value: &'x Expression<'a>) {
        match what {
            "propTypes" => self.components.entry(of).or_default().types = Some(value),
            "defaultProps" => self.components.entry(of).or_default().defaults = Some(value),
            _ => {}
        }
    }
}

struct Reader<'s, 'x, 'a> {
    print: Print<'s, 'a>,
    modules: &'x Modules<'a>,
    constants: BTreeMap<&'x str, &'x Expression<'a>>,
    fuel: Cell<usize>,
}

/// What an object of validators declares.
#[derive(Default)]
struct Shape {
    /// What is spread in.
    others: Vec<TypeShape>,
    own: Vec<Member>,
}

impl Shape {
    /// What is declared twice is what it is declared as last.
    fn settled(mut self) -> Self {
        let mut seen = BTreeSet::new();
        self.own.reverse();
        self.own.retain(|one| seen.insert(one.name.clone()));
        self.own.reverse();
        self
    }

    fn all(self) -> TypeShape {
        let own = TypeShape::Object(self.own);
        if self.others.is_empty() {
            return own;
        }
        TypeShape::Intersection(self.others.into_iter().chain([own]).collect())
    }
}

impl<'x, 'a> Reader<'_, 'x, 'a> {
    fn component(&self, declaration: &mut Declaration, said: &Said<'x, 'a>) {
        let defaults: BTreeMap<String, String> = said
            .defaults
            .and_then(|value| self.object(value))
            .map(|object| self.defaults(object))
            .unwrap_or_default();
        // Nothing but a component is asked what it is given.
        let is_sure = declaration.kind == DeclarationKind::Component;
        if !is_sure && said.types.is_some() && is_component_name(&declaration.name) {
            let form = match declaration.kind {
                DeclarationKind::Function => ComponentForm::Function,
                DeclarationKind::Constant | DeclarationKind::Variable => ComponentForm::Wrapped,
                _ => return,
            };
            declaration.kind = DeclarationKind::Component;
            if !matches!(declaration.detail, DeclarationDetail::Component(_)) {
                declaration.detail = DeclarationDetail::Component(Box::new(declarations::opaque(form, None)));
            }
        }
        let DeclarationDetail::Component(facts) = &mut declaration.detail else { return };
        facts.given = defaults.keys().cloned().collect();
        // What a type or a call says, if it can be looked at, is surer.
        let surer = match &facts.props {
            None => None,
            Some(TypeShape::Reference { name, arguments }) if !is_sure && name == TypeShape::CAST => {
                arguments.first().cloned()
            }
            // Of a type that is only said in a comment there may be more.
            Some(TypeShape::Query(_)) => return,
            Some(_) if self.print.source.is_javascript() => None,
            Some(_) => return,
        };
        let commented = if surer.is_none() { facts.props.clone() } else { None };
        let given: BTreeSet<String> = defaults.keys().cloned().collect();
        let mut taken: BTreeMap<String, Option<String>> =
            std::mem::take(&mut facts.destructured).into_iter().collect();
        for (name, default) in defaults {
            taken.entry(name).or_default().get_or_insert(default);
        }
        facts.destructured = taken.into_iter().collect();
        let Some(types) = said.types else { return };
        let mut shape = Shape::default();
        self.spread(types, &given, 0, &mut shape);
        let mut shape = shape.settled();
        // What is taken apart and not declared is there all the same; what is spread in may declare it.
        let declared: BTreeSet<&str> = shape.own.iter().map(|one| one.name.as_str()).collect();
        let rest = facts.destructured.iter().filter(|(name, _)| !declared.contains(name.as_str()));
        let rest: Vec<Member> = rest
            .map(|(name, default)| member(name.clone(), Member::UNANNOTATED.to_owned(), default.is_some()))
            .collect();
        if !rest.is_empty() && commented.is_none() {
            shape.others.insert(0, TypeShape::Object(rest));
        }
        let props = shape.all();
        facts.props = Some(match (surer, commented) {
            (Some(surer), _) => as_said(surer, Some(props)),
            (None, Some(commented)) => TypeShape::Intersection(vec![props, commented]),
            (None, None) => props,
        });
    }

    fn defaults(&self, object: &ObjectExpression<'a>) -> BTreeMap<String, String> {
        let properties = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
        let named = properties.filter(|property| !property.computed);
        named
            .map(|one| (shape::prop_name(self.print, &one.key, false), self.print.short(&one.value)))
            .collect()
    }

    /// The object that a value is: in place, by a constant of the file, or handed through a call, as to `Object.freeze`,
    /// where it can be nothing else.
    fn object(&self, value: &'x Expression<'a>) -> Option<&'x ObjectExpression<'a>> {
        let (mut value, mut is_called) = (value, false);
        for _ in 0..DEEPEST {
            value = match value.get_inner_expression() {
                Expression::ObjectExpression(object) => {
                    return (!is_called || self.holds_validators(object)).then_some(object);
                }
                Expression::Identifier(name) => self.constants.get(name.name.as_str())?,
                Expression::CallExpression(call) if call.arguments.len() == 1 => {
                    is_called = true;
                    call.arguments.first()?.as_expression()?
                }
                _ => return None,
            };
        }
        None
    }

    fn holds_validators(&self, object: &'x ObjectExpression<'a>) -> bool {
        let mut values = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
        values.any(|property| {
            let (validator, _) = required(&property.value);
            match validator {
                Expression::CallExpression(call) => self.validator(&call.callee).is_some(),
                other => self.validator(other).is_some(),
            }
        })
    }

    fn shape(&self, object: &'x ObjectExpression<'a>, given: &BTreeSet<String>, depth: usize) -> Shape {
        let mut shape = Shape::default();
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    self.spread(&spread.argument, given, depth, &mut shape);
                }
                ObjectPropertyKind::ObjectProperty(property) => {
                    let name = shape::prop_name(self.print, &property.key, property.computed);
                    let (validator, is_required) = required(&property.value);
                    let optional = !is_required || given.contains(&name);
                    let one = member(name, self.text(validator, depth + 1), optional);
                    shape.own.push(self.print.source.documented(property.span.start, one));
                }
            }
        }
        shape
    }

    /// `...shared` and what is given whole: read where it stands here, else named for `link`. `...Other.propTypes` are the
    /// props of that.
    fn spread(&self, value: &'x Expression<'a>, given: &BTreeSet<String>, depth: usize, into: &mut Shape) {
        let other = match value.get_inner_expression() {
            Expression::StaticMemberExpression(member) if member.property.name == "propTypes" => {
                &member.object
            }
            other => {
                if let Some(object) = self.object(other).filter(|_| depth < DEEPEST && self.goes_on()) {
                    let Shape { others, own } = self.shape(object, given, depth + 1);
                    into.others.extend(others);
                    into.own.extend(own);
                    return;
                }
                other
            }
        };
        into.others.push(match other {
            Expression::Identifier(name) => TypeShape::Query(name.name.into_string()),
            other => TypeShape::Text(self.print.short(other)),
        });
    }

    /// What passes a validator, as TypeScript writes it.
    fn text(&self, validator: &'x Expression<'a>, depth: usize) -> String {
        if depth > DEEPEST || !self.goes_on() {
            return INFERRED.to_owned();
        }
        if let Some(name) = self.validator(validator) {
            return plain(name).unwrap_or(INFERRED).to_owned();
        }
        match validator {
            Expression::CallExpression(call) => self.call(call, depth),
            Expression::Identifier(name) => match self.constants.get(name.name.as_str()) {
                Some(value) => self.text(required(value).0, depth + 1),
                None => format!("InferType<typeof {}>", name.name),
            },
            Expression::StaticMemberExpression(_) => {
                format!("InferType<typeof {}>", self.print.expression(validator))
            }
            // A function of one's own may let anything pass.
            other if Callable::of(other).is_some() => "any".to_owned(),
            _ => INFERRED.to_owned(),
        }
    }

    fn call(&self, call: &'x CallExpression<'a>, depth: usize) -> String {
        let first = call.arguments.first().and_then(Argument::as_expression);
        let (Some(name), Some(first)) = (self.validator(&call.callee), first) else {
            return INFERRED.to_owned();
        };
        let inner = || self.text(required(first).0, depth + 1);
        let text = match name {
            "arrayOf" => Some(format!("{}[]", in_parentheses(inner()))),
            "objectOf" => Some(format!("Record<string, {}>", inner())),
            "instanceOf" => Some(self.print.short(first)),
            "oneOf" => self.words(first),
            "oneOfType" => self.list(first).and_then(|list| {
                let each =
                    list.iter().map(|one| Some(self.text(required(one.as_expression()?).0, depth + 1)));
                let mut each = each.collect::<Option<Vec<_>>>()?;
                for function in each.iter_mut().filter(|text| *text == FUNCTION) {
                    *function = format!("({function})");
                }
                each.dedup();
                Some(each.join(" | "))
            }),
            "shape" | "exact" => self.object(first).map(|object| {
                let Shape { others, own } = self.shape(object, &BTreeSet::new(), depth + 1).settled();
                let others = others.iter().map(|other| format!("InferProps<{}>", other.text()));
                let own = (!own.is_empty()).then(|| TypeShape::Object(own).text());
                others.chain(own).collect::<Vec<_>>().join(" & ")
            }),
            _ => None,
        };
        text.filter(|text| !text.is_empty()).unwrap_or_else(|| INFERRED.to_owned())
    }

    /// `oneOf(['small', 'large'])`
    fn words(&self, value: &'x Expression<'a>) -> Option<String> {
        let named = match value.get_inner_expression() {
            Expression::Identifier(name) => Some(name.name.as_str()),
            _ => None,
        };
        let Some(list) = self.list(value).filter(|list| list.len() <= MOST_WORDS) else {
            return named.map(|name| format!("(typeof {name})[number]"));
        };
        let words = list.iter().map(|one| match one.as_expression()?.get_inner_expression() {
            Expression::StringLiteral(text) => Some(quoted(&text.value)),
            Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::UnaryExpression(_) => Some(self.print.short(one.as_expression()?)),
            _ => None,
        });
        words.collect::<Option<Vec<_>>>().map(|words| words.join(" | "))
    }

    fn list(&self, value: &'x Expression<'a>) -> Option<&'x [ArrayExpressionElement<'a>]> {
        match value.get_inner_expression() {
            Expression::ArrayExpression(list) => Some(&list.elements),
            Expression::Identifier(name) => {
                match self.constants.get(name.name.as_str())?.get_inner_expression() {
                    Expression::ArrayExpression(list) => Some(&list.elements),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The name that the package has for it: `string` of `PropTypes.string`, `React.PropTypes.string` and `string`.
    fn validator(&self, expression: &'x Expression<'a>) -> Option<&'x str> {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => {
                self.modules.imported_as(&name.name, PACKAGE).filter(|one| is_own(one))
            }
            Expression::StaticMemberExpression(member) => {
                let of = match &member.object {
                    Expression::Identifier(of) => {
                        of.name == "PropTypes"
                            || self.modules.imported_as(&of.name, PACKAGE).is_some_and(|one| !is_own(one))
                    }
                    inner => callee_name(inner) == Some("PropTypes"),
                };
                of.then_some(member.property.name.as_str())
            }
            _ => None,
        }
    }

    fn goes_on(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }
}

/// Whether an imported name is a validator, and not all of them.
fn is_own(imported: &str) -> bool {
    !matches!(imported, "*" | DEFAULT)
}

/// `validator.isRequired`
fn required<'x, 'a>(value: &'x Expression<'a>) -> (&'x Expression<'a>, bool) {
    match value.get_inner_expression() {
        Expression::StaticMemberExpression(member) if member.property.name == "isRequired" => {
            (member.object.get_inner_expression(), true)
        }
        other => (other, false),
    }
}

fn plain(validator: &str) -> Option<&'static str> {
    Some(match validator {
        "any" => "any",
        "array" => "any[]",
        "bigint" => "bigint",
        "bool" => "boolean",
        "element" => "ReactElement",
        "elementType" => "ElementType",
        "func" => FUNCTION,
        "node" => "ReactNode",
        "number" => "number",
        "object" => "object",
        "string" => "string",
        "symbol" => "symbol",
        _ => return None,
    })
}

/// A type as a part of another one.
fn in_parentheses(text: String) -> String {
    if text.contains(" | ") || text.contains(" & ") || text.contains("=>") {
        format!("({text})")
    } else {
        text
    }
}

fn member(name: String, text: String, optional: bool) -> Member {
    Member { name, kind: MemberKind::Property, text, optional, doc: None, elsewhere: false }
}
