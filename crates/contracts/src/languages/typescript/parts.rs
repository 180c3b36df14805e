//! Components that are members of others, or of an object: `Menu.Item = MenuItem`, `Object.assign(Root, { Item })`,
//! `{ Item: forwardRef(…) }`, `static Item = MenuItem`. How they are printed is told in `declarations`.

use oxc_ast::ast::{
    AssignmentTarget, Class, ClassElement, Declaration as Syntax, Expression, ObjectProperty,
    ObjectPropertyKind, Program, Statement,
};
use oxc_span::{GetSpan, Span};

use super::body::FileUse;
use super::component::is_component_name;
use super::declarations::{Collector, assigned_properties, is_assign};
use super::modules;
use crate::model::DeclarationDetail;

/// Larger objects are tables of other things.
const MOST_MEMBERS: usize = 100;

impl<'a> Collector<'_, '_, 'a> {
    pub(super) fn parts(&mut self, program: &Program<'a>) {
        for (of, value) in modules::values(program, |_| true) {
            let properties = match value.get_inner_expression() {
                Expression::ObjectExpression(object) if object.properties.len() <= MOST_MEMBERS => {
                    object.properties.iter().filter_map(ObjectPropertyKind::as_property).collect()
                }
                value if is_assign(value) => assigned_properties(value),
                _ => Vec::new(),
            };
            for property in properties {
                self.property(of, property);
            }
        }
        for class in modules::declared(program).filter_map(class) {
            self.statics(class);
        }
        for statement in &program.body {
            let Statement::ExpressionStatement(statement) = statement else { continue };
            let Expression::AssignmentExpression(assignment) = &statement.expression else { continue };
            let AssignmentTarget::StaticMemberExpression(member) = &assignment.left else { continue };
            let Expression::Identifier(of) = &member.object else { continue };
            self.part(&of.name, &member.property.name, &assignment.right, assignment.span);
        }
    }

    fn property(&mut self, of: &str, property: &ObjectProperty<'a>) {
        if let Some(name) = property.key.static_name() {
            self.part(of, &name, &property.value, property.span);
        }
    }

    fn statics(&mut self, class: &Class<'a>) {
        let Some(of) = &class.id else { return };
        for element in &class.body.body {
            let ClassElement::PropertyDefinition(property) = element else { continue };
            if let (true, Some(name), Some(value)) =
                (property.r#static, property.key.static_name(), &property.value)
            {
                self.part(&of.name, &name, value, property.span());
            }
        }
    }

    /// Read as a constant of that name would be; whatever it says of the file has been read before.
    fn part(&mut self, of: &str, name: &str, value: &Expression<'a>, span: Span) {
        if !is_component_name(name)
            || value.is_literal()
            || !self.declarations.iter().any(|one| one.name == of)
        {
            return;
        }
        let file = std::mem::replace(self.file, FileUse { is_vue: self.file.is_vue, ..FileUse::default() });
        let declarations = std::mem::take(&mut self.declarations);
        self.places.forget();
        self.value(value, format!("{of}.{name}"), None, None, "const", span);
        *self.file = file;
        let found = std::mem::replace(&mut self.declarations, declarations);
        self.places.forget();
        if let Some(to) = self.declarations.iter_mut().find(|one| one.name == of) {
            to.parts.extend(
                found.into_iter().filter(|one| matches!(one.detail, DeclarationDetail::Component(_))),
            );
        }
    }
}

fn class<'x, 'a>(declaration: &'x Syntax<'a>) -> Option<&'x Class<'a>> {
    match declaration {
        Syntax::ClassDeclaration(class) => Some(class),
        _ => None,
    }
}
