//! Events of Vue components that no option declares: what a body tells, and what is said of a function that is a component.

use oxc_ast::ast::{
    Argument, AssignmentTarget, BindingPattern, CallExpression, Declaration, Expression, Program, Statement,
    TSType, VariableDeclarator,
};

use super::body::{callee_name, held, text_of};
use super::component::Callable;
use super::origins::{Origin, Top};
use super::print::{Print, type_name};
use super::vue::{emits, object, property, typed_emits};
use crate::model::{Declaration as Model, DeclarationDetail};

/// What a body tells events by, beside `this.$emit`.
#[derive(Default)]
pub(super) struct Emitter {
    /// `emit` of `setup(props, { emit })`
    function: Option<String>,
    /// `context` of `setup(props, context)`
    context: Option<String>,
}

impl Emitter {
    /// Of `defineComponent(…)`, where nothing declares its events.
    pub(super) fn of(value: &Expression<'_>) -> Option<Box<Self>> {
        let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
        let arguments = || call.arguments.iter().filter_map(Argument::as_expression);
        let option = |name: &str| arguments().find_map(object).and_then(|options| property(options, name));
        if option("emits").is_some() {
            return None;
        }
        let setup = option("setup").and_then(Callable::of).or_else(|| arguments().find_map(Callable::of));
        let mut emitter = Self::default();
        if let Some(context) = setup.and_then(|setup| setup.parameters().items.get(1)) {
            emitter.take(&context.pattern);
        }
        Some(Box::new(emitter))
    }

    fn take(&mut self, context: &BindingPattern<'_>) {
        match context {
            BindingPattern::BindingIdentifier(name) => self.context = Some(name.name.into_string()),
            BindingPattern::ObjectPattern(parts) => {
                let emit = parts.properties.iter().find(|one| one.key.is_specific_static_name("emit"));
                let local = emit.and_then(|emit| emit.value.get_identifier_name());
                if let Some(local) = local {
                    self.function = Some(local.into_string());
                }
            }
            _ => {}
        }
    }

    fn is_context(&self, value: &Expression<'_>) -> bool {
        self.context.as_ref().is_some_and(|context| value.is_specific_id(context))
    }

    /// `const { emit } = context`
    pub(super) fn declare(&mut self, declarator: &VariableDeclarator<'_>, init: &Expression<'_>) {
        if self.is_context(init.get_inner_expression()) && declarator.id.is_object_pattern() {
            self.take(&declarator.id);
        }
    }

    /// The event that a call tells.
    pub(super) fn event(&self, call: &CallExpression<'_>, print: Print<'_, '_>) -> Option<String> {
        let is_told = match call.callee.get_inner_expression() {
            Expression::Identifier(name) => self.function.as_deref() == Some(name.name.as_str()),
            Expression::StaticMemberExpression(member) => match member.property.name.as_str() {
                "$emit" => matches!(member.object, Expression::ThisExpression(_)),
                "emit" => self.is_context(&member.object),
                _ => false,
            },
            _ => false,
        };
        call.arguments.first().filter(|_| is_told)?.as_expression().and_then(|name| name_by(print, name))
    }
}

/// The name of an event by what stands for it: a text, or a constant or a member of the file that is one. What another file
/// has is in `${}`, which `link` knows.
pub(super) fn name_by(print: Print<'_, '_>, value: &Expression<'_>) -> Option<String> {
    let origins = &print.source.origins;
    let of_module = |name: &str| matches!(origins.of(name), Some(Origin::Module { .. }));
    match value.get_inner_expression() {
        Expression::Identifier(name) => match origins.declared(&name.name) {
            Some(Top::Constant(constant)) => text_of(constant.init.as_ref()?),
            _ => of_module(&name.name).then(|| format!("${{{}}}", name.name)),
        },
        Expression::StaticMemberExpression(member) => {
            let Expression::Identifier(of) = &member.object else { return None };
            let name = member.property.name.as_str();
            if let Some(Top::Constant(constant)) = origins.declared(&of.name) {
                return object(held(constant.init.as_ref()?))
                    .and_then(|of| property(of, name))
                    .and_then(text_of);
            }
            match origins.enumeration(&of.name) {
                Some(declared) => {
                    let mut members = declared.body.members.iter();
                    let member = members.find(|one| one.id.static_name() == name)?;
                    text_of(member.initializer.as_ref()?)
                }
                None => of_module(&of.name).then(|| format!("${{{}.{name}}}", of.name)),
            }
        }
        other => text_of(other),
    }
}

/// Whether a constant has a name that says it holds events.
pub(super) fn is_said_to_hold(name: &str) -> bool {
    ["events", "Events", "EVENTS", "emits", "Emits", "EMITS"].iter().any(|end| name.ends_with(end))
}

/// Gives functions that are components the events that are said of them: `FunctionalComponent<Props, Events>`, and
/// `Card.emits = ['close']`.
pub(super) fn add(program: &Program<'_>, print: Print<'_, '_>, declarations: &mut [Model]) {
    let mut tell = |name: &str, events: Vec<(String, String)>| {
        let declaration = declarations.iter_mut().find(|one| one.name == name);
        if let Some(DeclarationDetail::Component(facts)) = declaration.map(|one| &mut one.detail) {
            facts.declared_emits.extend(events);
        }
    };
    for statement in &program.body {
        let declared = match statement {
            Statement::ExpressionStatement(statement) => {
                if let Expression::AssignmentExpression(assignment) = &statement.expression {
                    if let AssignmentTarget::StaticMemberExpression(member) = &assignment.left {
                        let name = callee_name(&member.object).filter(|_| member.property.name == "emits");
                        if let Some(name) = name {
                            tell(name, emits(print, &assignment.right));
                        }
                    }
                }
                continue;
            }
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            other => other.as_declaration(),
        };
        let Some(Declaration::VariableDeclaration(variables)) = declared else { continue };
        for declarator in &variables.declarations {
            let said = declarator.type_annotation.as_ref().map(|said| &said.type_annotation);
            let (Some(TSType::TSTypeReference(said)), Some(name)) =
                (said, declarator.id.get_identifier_name())
            else {
                continue;
            };
            let Some(events) = said.type_arguments.as_ref().and_then(|given| given.params.get(1)) else {
                continue;
            };
            if type_name(&said.type_name).rsplit('.').next() == Some("FunctionalComponent") {
                tell(&name, typed_emits(print, program, events));
            }
        }
    }
}
