//! Imports and exports: every form that a module has. What `CommonJS` has of them is read in `common_js`.

use std::collections::BTreeSet;

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression, Ident, ImportDeclarationSpecifier,
    ModuleExportName, Program, Statement, TSImportEqualsDeclaration, TSModuleReference,
    TSNamespaceDeclarationBody, VariableDeclarationKind,
};

use super::blocks;
use super::common_js::{self, CommonJs, Exported, Member, Value};
use super::handed::Handed;
use super::jsdoc::Documented;
use super::source::Source;
use crate::model::{
    Declaration as Model, DeclarationKind, Export, ExportOrigin, Import, ImportKind, ImportedName, is_vue,
};

/// The name of a default export that has none of its own.
pub(super) const DEFAULT: &str = "default";

#[derive(Default)]
pub(super) struct Modules<'a> {
    pub(super) imports: Vec<Import>,
    pub(super) exports: Vec<Export>,
    /// Exports by `module.exports` and `exports`.
    pub(super) is_common_js: bool,
    /// A declaration file that is no module: everybody sees what it declares.
    pub(super) is_global: bool,
    /// What is exported by names for other modules, and for what these have.
    pub(super) handed: Vec<Handed>,
    /// By local name; of those that have one name the last counts.
    bindings: Vec<Binding<'a>>,
    /// Values of the file that have the name of something imported, which is a type then.
    own_values: Vec<String>,
    /// Values that are exported where they are declared, which exports no type of the same name.
    declared_values: BTreeSet<String>,
    /// What is exported by a list or as the default: all that has the name.
    listed: BTreeSet<String>,
}

/// What a local name was imported as.
struct Binding<'a> {
    local: &'a str,
    specifier: &'a str,
    imported: &'a str,
    is_type: bool,
}

impl<'a> Modules<'a> {
    pub(super) fn of(
        program: &Program<'a>,
        common_js: Option<&CommonJs<'_, 'a>>,
        source: &Source<'_>,
    ) -> Self {
        let mut modules = Self::default();
        for statement in &program.body {
            modules.import(statement, source);
        }
        modules.bindings.sort_by_key(|binding| binding.local);
        modules.own_values = modules.values_beside_types(program);
        for statement in &program.body {
            modules.export(statement);
        }
        modules.export_members(program);
        if program.source_type.is_typescript_definition() {
            modules.export_ambient(program);
        }
        if let Some(common_js) = common_js.filter(|_| modules.exports.is_empty()) {
            modules.common_js(common_js, program.body.iter().flat_map(|one| common_js.exports(one)));
            modules.is_common_js = !modules.exports.is_empty();
        }
        modules.exports.sort_by(|a, b| (a.name == "*", a).cmp(&(b.name == "*", b)));
        modules.exports.dedup();
        modules.import_inside(program, source);
        modules
    }

    /// `declare module '*.svg' { import Icon from './Icon'; … }`: a file may name others for what it declares of modules.
    fn import_inside(&mut self, program: &Program<'a>, source: &Source<'_>) {
        for statement in &program.body {
            let Statement::TSExternalModuleDeclaration(module) = statement else { continue };
            let mut inside = Self::default();
            for statement in module.body.iter().flat_map(|block| &block.body) {
                inside.import(statement, source);
            }
            let for_types = |import: Import| Import { kind: ImportKind::TypeOnly, ..import };
            self.imports.extend(inside.imports.into_iter().map(for_types));
        }
    }

    /// A module in JavaScript exports the types that its comments declare.
    pub(super) fn document(&mut self, program: &Program<'_>, documented: &Documented) {
        // `export {}` says no more than that it is one.
        let is_module = || program.body.iter().any(Statement::is_module_declaration);
        let is_none = || self.exports.is_empty() && self.imports.is_empty() && !is_module();
        if documented.types.is_empty() || is_none() {
            return;
        }
        for declared in &documented.types {
            if !self.exports.iter().any(|export| export.name == declared.name) {
                self.local(declared.name.clone(), declared.name.clone(), true);
            }
        }
        self.exports.sort_by(|a, b| (a.name == "*", a).cmp(&(b.name == "*", b)));
    }

    /// Local names that are exported by another one.
    pub(super) fn renamed_locals(&self) -> BTreeSet<&str> {
        let renamed = self.exports.iter().filter_map(|export| match &export.origin {
            ExportOrigin::Local(local) if *local != export.name => Some(local.as_str()),
            _ => None,
        });
        renamed.collect()
    }

    /// Local names that can be reached from outside, under whatever name.
    pub(super) fn exported_locals(&self) -> BTreeSet<&str> {
        let locals = self.exports.iter().filter_map(|export| match &export.origin {
            ExportOrigin::Local(local) => Some(local.as_str()),
            ExportOrigin::Module { .. } => None,
        });
        locals.collect()
    }

    /// The name that the default export has in the file.
    pub(super) fn default_local(&self) -> Option<&str> {
        self.exports.iter().find(|export| export.name == DEFAULT).and_then(|export| match &export.origin {
            ExportOrigin::Local(local) => Some(local.as_str()),
            ExportOrigin::Module { .. } => None,
        })
    }

    /// A value that is not exported may have the name of a type that is.
    pub(super) fn hide_values(&self, declarations: &mut [Model]) {
        use DeclarationKind::{Component, Constant, Function, Hook, Interface, Type, Variable};
        let types = declarations.iter().filter(|one| one.exported && matches!(one.kind, Interface | Type));
        let types: BTreeSet<String> = types.map(|one| one.name.clone()).collect();
        let is_value = |one: &Model| matches!(one.kind, Component | Constant | Function | Hook | Variable);
        for one in declarations.iter_mut().filter(|one| is_value(one) && types.contains(&one.name)) {
            let own =
                |export: &Export| matches!(&export.origin, ExportOrigin::Local(local) if *local == one.name);
            one.exported &= self.exports.iter().any(|export| own(export) && !export.type_only);
        }
    }

    /// Nor is a type that has the name of a value that is exported.
    pub(super) fn hide_types(&self, declarations: &mut [Model]) {
        use DeclarationKind::{Interface, Type};
        let is_own = |export: &Export, name: &str| {
            export.type_only && matches!(&export.origin, ExportOrigin::Local(local) if local == name)
        };
        for one in declarations.iter_mut().filter(|one| matches!(one.kind, Interface | Type)) {
            let is_of_value = self.declared_values.contains(&one.name) && !self.listed.contains(&one.name);
            one.exported &= !is_of_value || self.exports.iter().any(|export| is_own(export, &one.name));
        }
    }

    pub(super) fn imports_from(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        self.imports.iter().any(|import| is_wanted(&import.specifier))
    }

    /// What a local name is called in the package that it was imported from.
    pub(super) fn imported_as(&self, local: &str, package: &str) -> Option<&str> {
        let binding = self.binding(local)?;
        (binding.specifier == package).then_some(binding.imported)
    }

    fn binding(&self, local: &str) -> Option<&Binding<'a>> {
        let after = self.bindings.partition_point(|binding| binding.local <= local);
        self.bindings[..after].last().filter(|binding| binding.local == local)
    }

    pub(super) fn is_vue(&self) -> bool {
        self.imports_from(is_vue)
    }

    /// Whether a name that Vue's compiler knows stands for something else here.
    pub(super) fn rebinds(&self, name: &str) -> bool {
        self.binding(name).is_some_and(|binding| binding.specifier != "vue")
    }

    fn import(&mut self, statement: &Statement<'a>, source: &Source<'_>) {
        match statement {
            Statement::ImportDeclaration(import) => {
                let whole_is_type = import.import_kind.is_type();
                let specifier = import.source.value.as_str();
                let named = import.specifiers.iter().flatten().map(|one| {
                    let (imported, is_type) = imported(one);
                    let local = one.local().name.as_str();
                    self.bindings.push(Binding {
                        local,
                        specifier,
                        imported,
                        is_type: whole_is_type || is_type,
                    });
                    let (imported, local) = (imported.to_owned(), local.to_owned());
                    ImportedName { imported, local, type_only: whole_is_type || is_type }
                });
                let names: Vec<ImportedName> = named.collect();
                let type_only =
                    whole_is_type || (!names.is_empty() && names.iter().all(|name| name.type_only));
                let kind = if type_only { ImportKind::TypeOnly } else { ImportKind::Static };
                self.add(specifier, kind, names, source.line(import.span.start));
            }
            Statement::ExportFromDeclaration(export) => {
                let names = export.specifiers.iter().map(|specifier| ImportedName {
                    imported: name_of(&specifier.local).to_owned(),
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
            Statement::TSImportEqualsDeclaration(import) => self.import_equals(import, source),
            // `export import Y = require('./y')`
            Statement::ExportDeclaration(export) => {
                if let Declaration::TSImportEqualsDeclaration(import) = &export.declaration {
                    self.import_equals(import, source);
                }
            }
            _ => {}
        }
    }

    fn import_equals(&mut self, import: &TSImportEqualsDeclaration<'a>, source: &Source<'_>) {
        let TSModuleReference::ExternalModuleReference(module) = &import.module_reference else { return };
        let type_only = import.import_kind.is_type();
        let (local, specifier) = (import.id.name.as_str(), module.expression.value.as_str());
        self.bindings.push(Binding { local, specifier, imported: "*", is_type: type_only });
        let all = ImportedName { imported: "*".to_owned(), local: local.to_owned(), type_only };
        let kind = if type_only { ImportKind::TypeOnly } else { ImportKind::Require };
        self.add(specifier, kind, vec![all], source.line(import.span.start));
    }

    fn add(&mut self, specifier: &str, kind: ImportKind, names: Vec<ImportedName>, line: u32) {
        self.imports.push(Import { specifier: specifier.to_owned(), kind, names, line });
    }

    fn export(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExportDeclaration(export) => {
                let type_only = export.declaration.is_type();
                if let Declaration::TSImportEqualsDeclaration(import) = &export.declaration {
                    let (name, type_only) = (import.id.name.as_str(), import.import_kind.is_type());
                    return self.local(name.to_owned(), name.to_owned(), type_only);
                }
                // Whatever else has the name, such as a type that is imported: this is what is exported.
                for name in declared_names(&export.declaration) {
                    if matches!(
                        export.declaration,
                        Declaration::VariableDeclaration(_) | Declaration::FunctionDeclaration(_)
                    ) {
                        self.declared_values.insert(name.clone());
                    }
                    let origin = ExportOrigin::Local(name.clone());
                    self.exports.push(Export { name, origin, type_only });
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let type_only = export.export_kind.is_type() || specifier.export_kind.is_type();
                    let (name, local) = (name_of(&specifier.exported), name_of(&specifier.local));
                    self.local(name.to_owned(), local.to_owned(), type_only);
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    let origin = ExportOrigin::Module {
                        specifier: export.source.value.into_string(),
                        imported: name_of(&specifier.local).to_owned(),
                    };
                    let type_only = export.export_kind.is_type() || specifier.export_kind.is_type();
                    let name = name_of(&specifier.exported).to_owned();
                    self.exports.push(Export { name, origin, type_only });
                }
            }
            Statement::ExportAllDeclaration(export) => {
                let name = export.exported.as_ref().map_or("*", name_of).to_owned();
                let origin = ExportOrigin::Module {
                    specifier: export.source.value.into_string(),
                    imported: "*".to_owned(),
                };
                self.exports.push(Export { name, origin, type_only: export.export_kind.is_type() });
            }
            Statement::ExportDefaultDeclaration(export) => {
                let (local, type_only) = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        (function.name().map(Ident::into_string), false)
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        (class.id.as_ref().map(|id| id.name.into_string()), false)
                    }
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                        (Some(interface.id.name.into_string()), true)
                    }
                    other => (other.as_expression().and_then(named), false),
                };
                self.local(DEFAULT.to_owned(), local.unwrap_or_else(|| DEFAULT.to_owned()), type_only);
            }
            Statement::TSExportAssignment(export) => {
                let local = named(&export.expression).unwrap_or_else(|| DEFAULT.to_owned());
                self.local(DEFAULT.to_owned(), local, false);
            }
            _ => {}
        }
    }

    /// `export = Widget` exports what a namespace of that name holds, too.
    fn export_members(&mut self, program: &Program<'_>) {
        let assigned = program.body.iter().find_map(|statement| match statement {
            Statement::TSExportAssignment(export) => common_js::identifier(&export.expression),
            _ => None,
        });
        let Some(assigned) = assigned else { return };
        for declaration in program.body.iter().filter_map(Statement::as_declaration) {
            let Declaration::TSNamespaceDeclaration(namespace) = declaration else { continue };
            let is_ambient = namespace.declare || program.source_type.is_typescript_definition();
            if namespace.id.name == assigned {
                for name in blocks::names_of(namespace, is_ambient) {
                    self.exports.push(Export {
                        name,
                        origin: ExportOrigin::Local(assigned.to_owned()),
                        type_only: false,
                    });
                }
            }
        }
    }

    fn values_beside_types(&self, program: &Program<'_>) -> Vec<String> {
        if self.bindings.is_empty() {
            return Vec::new();
        }
        let default = program.body.iter().filter_map(|statement| match statement {
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(one) => one.name(),
                ExportDefaultDeclarationKind::ClassDeclaration(one) => one.id.as_ref().map(|id| id.name),
                _ => None,
            },
            _ => None,
        });
        let values = declared(program).filter(|one| !one.is_type());
        let values = values
            .filter(|one| !matches!(one, Declaration::TSImportEqualsDeclaration(_)))
            .flat_map(declared_names);
        let all = values.chain(default.map(Ident::into_string));
        all.filter(|name| self.binding(name).is_some()).collect()
    }

    /// What is imported and exported again by name is of the module that it came from.
    fn local(&mut self, name: String, local: String, type_only: bool) {
        self.listed.insert(local.clone());
        let is_own = !type_only && self.own_values.contains(&local);
        let binding = self.binding(&local).filter(|_| !is_own);
        let type_only = type_only || binding.is_some_and(|binding| binding.is_type);
        let origin = match binding {
            Some(binding) => ExportOrigin::Module {
                specifier: binding.specifier.to_owned(),
                imported: binding.imported.to_owned(),
            },
            None => ExportOrigin::Local(local),
        };
        self.exports.push(Export { name, origin, type_only });
    }

    /// In a declaration file that is a module, everything is exported unless an export that declares nothing is there to
    /// say what is. Where it is no module, everything is global.
    fn export_ambient(&mut self, program: &Program<'_>) {
        let lists = blocks::lists(&program.body);
        let is_module = !self.exports.is_empty() || !self.imports.is_empty();
        self.is_global = !lists && !is_module;
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

    fn common_js<'x>(&mut self, common_js: &CommonJs<'x, 'a>, exports: impl Iterator<Item = Exported<'x, 'a>>)
    where
        'a: 'x,
    {
        let mut room: Vec<String> = Vec::new();
        for export in exports {
            match export {
                Exported::Named(member) if member.value.is_room() => room.push(member.name),
                Exported::Named(member) => self.member(common_js, member),
                Exported::Members(object) => {
                    common_js::members(object).for_each(|one| self.member(common_js, one));
                }
                Exported::Whole(value, local) => {
                    let handed = common_js.handed(Value::Is(value));
                    self.handed_or_local(DEFAULT.to_owned(), handed, local);
                }
                Exported::All(specifier, _) => self.all(specifier, "*"),
                Exported::Same(specifier, _) => {
                    self.all(specifier.clone(), "*");
                    self.all(specifier, DEFAULT);
                }
            }
        }
        if !room.is_empty() {
            let known: BTreeSet<&str> = self.exports.iter().map(|export| export.name.as_str()).collect();
            room.retain(|name| !known.contains(name.as_str()));
            for name in room {
                self.local(name.clone(), name, false);
            }
        }
    }

    fn all(&mut self, specifier: String, name: &str) {
        let origin = ExportOrigin::Module { specifier, imported: name.to_owned() };
        self.exports.push(Export { name: name.to_owned(), origin, type_only: false });
    }

    fn member(&mut self, common_js: &CommonJs<'_, 'a>, member: Member<'_, 'a>) {
        let named = match member.value {
            Value::Is(value) => common_js::identifier(value),
            Value::Given(_) | Value::Unknown => None,
        };
        let handed = common_js.handed(member.value);
        let local = named.or(member.local).unwrap_or(&member.name).to_owned();
        self.handed_or_local(member.name, handed, &local);
    }

    fn handed_or_local(&mut self, name: String, handed: Option<Handed>, local: &str) {
        let Some(handed) = handed else { return self.local(name, local.to_owned(), false) };
        let (specifier, imported) = (handed.specifier.clone(), handed.imported.clone());
        let origin = ExportOrigin::Module { specifier, imported };
        self.exports.push(Export { name, origin, type_only: false });
        self.handed.push(handed);
    }
}

/// What is declared at the top of a file, exported in place or not.
pub(super) fn declared<'x, 'a>(program: &'x Program<'a>) -> impl Iterator<Item = &'x Declaration<'a>> {
    program.body.iter().filter_map(|statement| match statement {
        Statement::ExportDeclaration(export) => Some(&export.declaration),
        other => other.as_declaration(),
    })
}

/// Constants at the top of a file that have a name and a value.
pub(super) fn constants<'x, 'a>(
    program: &'x Program<'a>,
) -> impl Iterator<Item = (&'x str, &'x Expression<'a>)> {
    values(program, |kind| kind.is_const())
}

/// As [`constants`], of variables of the kinds that are wanted.
pub(super) fn values<'x, 'a>(
    program: &'x Program<'a>,
    is_wanted: impl Fn(&VariableDeclarationKind) -> bool,
) -> impl Iterator<Item = (&'x str, &'x Expression<'a>)> {
    let variables = declared(program).filter_map(move |declaration| match declaration {
        Declaration::VariableDeclaration(variables) if is_wanted(&variables.kind) => Some(variables),
        _ => None,
    });
    let declarators = variables.flat_map(|variables| &variables.declarations);
    declarators.filter_map(|one| match (&one.id, &one.init) {
        (BindingPattern::BindingIdentifier(name), Some(init)) => Some((name.name.as_str(), init)),
        _ => None,
    })
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
            let mut name = namespace.id.name.into_string();
            let mut body = &namespace.body;
            while let TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) = body {
                body = &inner.body;
                name.truncate(name.find('.').unwrap_or(name.len()));
            }
            vec![name]
        }
        other => other.id().map(|id| id.name.into_string()).into_iter().collect(),
    }
}

pub(super) fn bound_names(pattern: &BindingPattern<'_>, names: &mut Vec<String>) {
    names.extend(pattern.get_binding_identifiers().into_iter().map(|name| name.name.into_string()));
}

/// The name in the other module, and whether it is said to be that of a type.
fn imported<'a>(specifier: &ImportDeclarationSpecifier<'a>) -> (&'a str, bool) {
    match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) => {
            (name_of(&named.imported), named.import_kind.is_type())
        }
        ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => (DEFAULT, false),
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => ("*", false),
    }
}

pub(super) fn name_of<'a>(name: &ModuleExportName<'a>) -> &'a str {
    name.name().as_str()
}

/// The name that is exported by it. What is said to be of another type is something of its own.
pub(super) fn named(expression: &Expression<'_>) -> Option<String> {
    let other = matches!(super::component::cast(expression), Some(ty) if !ty.is_keyword() && !ty.is_const_type_reference());
    common_js::identifier(expression).filter(|_| !other).map(str::to_owned)
}
