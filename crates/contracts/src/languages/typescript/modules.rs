//! Imports and exports: every form that a module has, `CommonJS` included.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    AssignmentTarget, BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression,
    ImportDeclarationSpecifier, ModuleExportName, ObjectPropertyKind, Program, Statement, TSModuleReference,
    TSNamespaceDeclarationBody,
};

use super::source::Source;
use crate::model::{Export, ExportOrigin, Import, ImportKind, ImportedName};

/// The name of a default export that has none of its own.
pub(super) const DEFAULT: &str = "default";

#[derive(Default)]
pub(super) struct Modules {
    pub(super) imports: Vec<Import>,
    pub(super) exports: Vec<Export>,
    /// Local name to what it was imported as.
    bindings: BTreeMap<String, (String, String)>,
}

impl Modules {
    pub(super) fn of(program: &Program<'_>, source: &Source<'_>) -> Self {
        let mut modules = Self::default();
        for statement in &program.body {
            modules.import(statement, source);
        }
        for statement in &program.body {
            modules.export(statement);
        }
        if program.source_type.is_typescript_definition() {
            modules.export_ambient(program);
        }
        if modules.exports.is_empty() && program.source_type.is_javascript() {
            for statement in &program.body {
                modules.common_js(statement);
            }
        }
        modules.exports.sort_by(|a, b| (a.name == "*", a).cmp(&(b.name == "*", b)));
        modules.exports.dedup();
        modules
    }

    /// Local names that can be reached from outside, under whatever name.
    pub(super) fn exported_locals(&self) -> BTreeSet<&str> {
        let locals = self.exports.iter().filter_map(|export| match &export.origin {
            ExportOrigin::Local(local) => Some(local.as_str()),
            ExportOrigin::Module { .. } => None,
        });
        locals.collect()
    }

    pub(super) fn imports_from(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        self.imports.iter().any(|import| is_wanted(&import.specifier))
    }

    fn import(&mut self, statement: &Statement<'_>, source: &Source<'_>) {
        match statement {
            Statement::ImportDeclaration(import) => {
                let whole_is_type = import.import_kind.is_type();
                let names: Vec<ImportedName> = import
                    .specifiers
                    .iter()
                    .flatten()
                    .map(|specifier| imported(specifier, whole_is_type))
                    .collect();
                let type_only =
                    whole_is_type || (!names.is_empty() && names.iter().all(|name| name.type_only));
                let kind = if type_only { ImportKind::TypeOnly } else { ImportKind::Static };
                self.add(&import.source.value, kind, names, source.line(import.span.start));
            }
            Statement::ExportFromDeclaration(export) => {
                let names = export.specifiers.iter().map(|specifier| ImportedName {
                    imported: name_of(&specifier.local),
                    local: String::new(),
                    type_only: export.export_kind.is_type() || specifier.export_kind.is_type(),
                });
                let line = source.line(export.span.start);
                self.add(&export.source.value, ImportKind::ReExport, names.collect(), line);
            }
            Statement::ExportAllDeclaration(export) => {
                let type_only = export.export_kind.is_type();
                let all = ImportedName { imported: "*".to_owned(), local: String::new(), type_only };
                let line = source.line(export.span.start);
                self.add(&export.source.value, ImportKind::ReExport, vec![all], line);
            }
            Statement::TSImportEqualsDeclaration(import) => {
                if let TSModuleReference::ExternalModuleReference(module) = &import.module_reference {
                    let type_only = import.import_kind.is_type();
                    let local = import.id.name.to_string();
                    let all = ImportedName { imported: "*".to_owned(), local, type_only };
                    let kind = if type_only { ImportKind::TypeOnly } else { ImportKind::Require };
                    self.add(&module.expression.value, kind, vec![all], source.line(import.span.start));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, specifier: &str, kind: ImportKind, names: Vec<ImportedName>, line: u32) {
        for name in names.iter().filter(|name| !name.local.is_empty()) {
            self.bindings.insert(name.local.clone(), (specifier.to_owned(), name.imported.clone()));
        }
        self.imports.push(Import { specifier: specifier.to_owned(), kind, names, line });
    }

    fn export(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExportDeclaration(export) => {
                let type_only = export.declaration.is_type();
                for name in declared_names(&export.declaration) {
                    self.local(name.clone(), name, type_only);
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let type_only = export.export_kind.is_type() || specifier.export_kind.is_type();
                    self.local(name_of(&specifier.exported), name_of(&specifier.local), type_only);
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    let origin = ExportOrigin::Module {
                        specifier: export.source.value.to_string(),
                        imported: name_of(&specifier.local),
                    };
                    let type_only = export.export_kind.is_type() || specifier.export_kind.is_type();
                    self.exports.push(Export { name: name_of(&specifier.exported), origin, type_only });
                }
            }
            Statement::ExportAllDeclaration(export) => {
                let name = export.exported.as_ref().map_or_else(|| "*".to_owned(), name_of);
                let origin = ExportOrigin::Module {
                    specifier: export.source.value.to_string(),
                    imported: "*".to_owned(),
                };
                self.exports.push(Export { name, origin, type_only: export.export_kind.is_type() });
            }
            Statement::ExportDefaultDeclaration(export) => {
                let (local, type_only) = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        (function.name().map(|name| name.to_string()), false)
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        (class.id.as_ref().map(|id| id.name.to_string()), false)
                    }
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                        (Some(interface.id.name.to_string()), true)
                    }
                    other => (other.as_expression().and_then(identifier), false),
                };
                self.local(DEFAULT.to_owned(), local.unwrap_or_else(|| DEFAULT.to_owned()), type_only);
            }
            Statement::TSExportAssignment(export) => {
                let local = identifier(&export.expression).unwrap_or_else(|| DEFAULT.to_owned());
                self.local(DEFAULT.to_owned(), local, false);
            }
            _ => {}
        }
    }

    /// What is imported and exported again by name is of the module that it came from.
    fn local(&mut self, name: String, local: String, type_only: bool) {
        let origin = match self.bindings.get(&local) {
            Some((specifier, imported)) => {
                ExportOrigin::Module { specifier: specifier.clone(), imported: imported.clone() }
            }
            None => ExportOrigin::Local(local),
        };
        self.exports.push(Export { name, origin, type_only });
    }

    /// In a declaration file that is a module, everything is exported unless an export list says what is.
    fn export_ambient(&mut self, program: &Program<'_>) {
        let lists = program.body.iter().any(|statement| {
            matches!(
                statement,
                Statement::ExportNamedDeclaration(_)
                    | Statement::ExportDefaultDeclaration(_)
                    | Statement::TSExportAssignment(_)
            )
        });
        let is_module = !self.exports.is_empty() || !self.imports.is_empty();
        if lists || !is_module {
            return;
        }
        for declaration in program.body.iter().filter_map(Statement::as_declaration) {
            if matches!(declaration, Declaration::TSImportEqualsDeclaration(_)) {
                continue;
            }
            for name in declared_names(declaration) {
                self.local(name.clone(), name, declaration.is_type());
            }
        }
    }

    fn common_js(&mut self, statement: &Statement<'_>) {
        let Statement::ExpressionStatement(statement) = statement else { return };
        let Expression::AssignmentExpression(assignment) = &statement.expression else { return };
        let AssignmentTarget::StaticMemberExpression(target) = &assignment.left else { return };
        let value = assignment.right.get_inner_expression();
        let local = |fallback: &str| identifier(value).unwrap_or_else(|| fallback.to_owned());
        let property = target.property.name.as_str();
        if target.object.is_specific_id("module") && property == "exports" {
            match value {
                Expression::ObjectExpression(object) => {
                    for property in object.properties.iter().filter_map(ObjectPropertyKind::as_property) {
                        if let Some(name) = property.key.static_name() {
                            let local = identifier(&property.value).unwrap_or_else(|| name.to_string());
                            self.local(name.to_string(), local, false);
                        }
                    }
                }
                _ => self.local(DEFAULT.to_owned(), local(DEFAULT), false),
            }
        } else if target.object.is_specific_id("exports")
            || target.object.is_specific_member_access("module", "exports")
        {
            if property != "__esModule" {
                self.local(property.to_owned(), local(property), false);
            }
        }
    }
}

/// The names that a declaration binds at the top level.
pub(super) fn declared_names(declaration: &Declaration<'_>) -> Vec<String> {
    match declaration {
        Declaration::VariableDeclaration(variables) => {
            let mut names = Vec::new();
            for declarator in &variables.declarations {
                bound_names(&declarator.id, &mut names);
            }
            names
        }
        Declaration::TSNamespaceDeclaration(namespace) => {
            let mut name = namespace.id.name.to_string();
            let mut body = &namespace.body;
            while let TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) = body {
                body = &inner.body;
                name.truncate(name.find('.').unwrap_or(name.len()));
            }
            vec![name]
        }
        other => other.id().map(|id| id.name.to_string()).into_iter().collect(),
    }
}

pub(super) fn bound_names(pattern: &BindingPattern<'_>, names: &mut Vec<String>) {
    names.extend(pattern.get_binding_identifiers().into_iter().map(|name| name.name.to_string()));
}

fn imported(specifier: &ImportDeclarationSpecifier<'_>, whole_is_type: bool) -> ImportedName {
    let (imported, local, is_type) = match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) => {
            (name_of(&named.imported), &named.local, named.import_kind.is_type())
        }
        ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
            (DEFAULT.to_owned(), &default.local, false)
        }
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => ("*".to_owned(), &all.local, false),
    };
    ImportedName { imported, local: local.name.to_string(), type_only: whole_is_type || is_type }
}

fn name_of(name: &ModuleExportName<'_>) -> String {
    name.name().to_string()
}

fn identifier(expression: &Expression<'_>) -> Option<String> {
    match expression.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.to_string()),
        _ => None,
    }
}
