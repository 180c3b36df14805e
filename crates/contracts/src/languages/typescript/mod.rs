//! TypeScript and JavaScript, read with oxc: source text in, local facts out. Total: whatever the text is, there are
//! facts, and diagnostics for what could not be read.

mod arguments;
mod blocks;
mod bodies;
mod body;
mod closing;
mod common_js;
mod component;
mod declarations;
mod exported;
mod expression;
mod given;
mod given_by;
mod handed;
mod hook;
mod jsdoc;
mod kind;
mod loading;
mod made;
mod maker;
mod methods;
mod modules;
mod namespaces;
mod nesting;
mod next;
mod origins;
mod parse;
mod parts;
mod passed_on;
mod places;
mod print;
mod prop_types;
mod props;
mod references;
mod returned;
mod routes;
mod script;
mod shape;
mod signature;
mod source;
mod spread;
mod state;
mod style;
mod taken_apart;
mod unread;
mod value;
mod vue;
mod vue_events;
mod within;
mod wrapped;

pub(crate) use blocks::brief;
pub(crate) use nesting::{comment_end, string_end};
pub(crate) use print::{INFERRED, listed, quoted};
pub(crate) use routes::is_rare;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use memchr::memmem;
use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement, TSType};
use oxc_span::GetSpan;
use rustc_hash::FxHashSet;

use crate::model::{Diagnostic, Import, LocalFacts, Order, Severity, TypeShape};
use crate::secrets;
use body::FileUse;
pub(crate) use body::is_hook;
use common_js::CommonJs;
use declarations::Collector;
use modules::Modules;
use places::Places;
use print::Print;
use source::{Source, small};

pub(crate) fn read<'a>(allocator: &'a Allocator, file_name: &str, text: &'a str) -> LocalFacts {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text: &str = match secrets::redact(text) {
        Cow::Borrowed(text) => text,
        // The tree borrows its text, so both live in the arena.
        Cow::Owned(redacted) => allocator.alloc_str(&redacted),
    };
    let facts = parse::with_stack(text, || {
        let parsed = parse::parse(allocator, file_name, text);
        let is_whole = parsed.diagnostics.is_empty();
        let facts = parsed.program.as_ref().map(|program| {
            let is_script = is_whole && script::is_script(file_name, program);
            of_program(program, is_whole, is_script)
        });
        let mut facts = facts.unwrap_or_else(LocalFacts::empty);
        if !parsed.unread.is_empty() {
            facts.imports = merged(facts.imports, parsed.unread);
        }
        LocalFacts { diagnostics: parsed.diagnostics, ..facts }
    });
    let facts = facts.unwrap_or_else(|| {
        let message = "nested too deeply to be read".to_owned();
        let diagnostics = vec![Diagnostic { severity: Severity::Error, message, line: 1, column: 1 }];
        let imports = parse::modules_in(text, text, 0..text.len());
        LocalFacts { imports, diagnostics, ..LocalFacts::empty() }
    });
    LocalFacts { line_count: small(line_count(text)), ..facts }
}

/// The shape of a type by its text, as a signature or a comment has it; `None` for what is none.
pub(crate) fn type_shape(text: &str) -> Option<TypeShape> {
    of_type_text(text, shape::of_type)
}

/// A type in its one spelling; `None` for what is none.
fn type_text(text: &str) -> Option<String> {
    fn printed(print: Print<'_, '_>, ty: &TSType<'_>) -> String {
        print.ty(ty)
    }
    of_type_text(text, printed)
}

fn of_type_text<T>(text: &str, of: impl FnOnce(Print<'_, '_>, &TSType<'_>) -> T) -> Option<T> {
    let allocator = Allocator::default();
    let text = format!("type _ = {text}");
    parse::with_stack(&text, || {
        let parsed = parse::strictly(&allocator, &text)?;
        let source = Source::new(parsed.source_text, &parsed.comments);
        match parsed.body.as_slice() {
            [Statement::TSTypeAliasDeclaration(alias)] => {
                Some(of(Print::new(&source), &alias.type_annotation))
            }
            _ => None,
        }
    })?
}

/// What a statement imports by its text without the first word; `None` for what is none.
fn import_statement(text: &str) -> Option<Import> {
    let allocator = Allocator::default();
    let text = format!("import {text}");
    let program = parse::strictly(&allocator, &text)?;
    Modules::of(&program, None, &Source::new(&text, &program.comments)).imports.pop()
}

/// As `str::lines` would count them, much faster.
fn line_count(text: &str) -> usize {
    source::line_ends(text.as_bytes()) as usize + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// `is_whole` says that nothing was left out of the program for its faults, `is_script` that it is no module.
fn of_program(program: &Program<'_>, is_whole: bool, is_script: bool) -> LocalFacts {
    let source = Source::new(program.source_text, &program.comments)
        .of_javascript(program.source_type.is_javascript())
        .of_elements(program.source_type.is_jsx())
        .with_names(&program.body);
    let print = Print::new(&source);
    let documented = jsdoc::of(program, &source);
    let common_js = CommonJs::of(program);
    let mut modules = Modules::of(program, common_js.as_ref(), &source);
    modules.document(program, &documented);
    modules.is_global |= is_script;
    let mut file =
        FileUse { is_vue: modules.is_vue() || vue::has_macros(program, &modules), ..FileUse::default() };
    let mut collector = Collector {
        print,
        file: &mut file,
        exported: modules.exported_locals(),
        default: modules.default_local(),
        asked: OnceCell::new(),
        wrapped: component::handed_on(print, program),
        common_js: common_js.as_ref().filter(|_| modules.is_common_js),
        renamed: if modules.is_common_js { modules.renamed_locals() } else { BTreeSet::new() },
        by_export: FxHashSet::default(),
        is_ambient: program.source_type.is_typescript_definition(),
        is_global: modules.is_global,
        declarations: Vec::new(),
        places: Places::default(),
    };
    for statement in &program.body {
        collector.statement(statement);
    }
    collector.assigned(program);
    collector.parts(program);
    collector.script_setup(program, &modules);
    collector.documented(documented.types);
    let mut declarations = collector.declarations;
    modules.hide_values(&mut declarations);
    modules.hide_types(&mut declarations);
    prop_types::add(program, print, &modules, &mut declarations);
    vue::add(program, print, file.is_vue, &mut declarations);
    if file.is_vue {
        vue_events::add(program, print, &mut declarations);
    }
    file.imports.extend(documented.imports);
    file.imports.extend(references::of(program, &source));
    file.imports.extend(references::of_elements(program, &source));
    let next = next::exports(program, &modules, print, std::mem::take(&mut file.actions));
    let Modules { imports, exports, is_global, is_common_js, handed, .. } = modules;
    let mut imports = merged(imports, std::mem::take(&mut file.imports));
    if let Some(common_js) = common_js.as_ref().filter(|_| !handed.is_empty()) {
        common_js.hand_on(&handed, &mut imports, &mut declarations);
    }
    if is_whole {
        namespaces::name_members(program, &mut imports, &exports);
        passed_on::hand_on(program, &mut imports, &exports);
    }
    given_by::add(program, &imports, &mut declarations);
    let routes = routes::of(program, (&imports, &exports), file.registers, print);
    LocalFacts {
        kind: kind::of(program.source_text, (&exports, &imports), &declarations, &file, &routes),
        doc: source.file_doc(program.body.first().map(|statement| statement.span().start)),
        declarations,
        exports,
        hooks: file.hooks.into_iter().collect(),
        components: file.components.into_iter().collect(),
        decorators: routes.decorators.into_iter().collect(),
        routes: routes.table,
        texts: routes.texts,
        directive: next::directive(program),
        next,
        style: file.style.finish(&imports),
        imports,
        diagnostics: Vec::new(),
        is_global,
        // What was compiled from a module says that it is one.
        is_common_js: is_common_js
            && memmem::find(program.source_text.as_bytes(), common_js::MARK.as_bytes()).is_none(),
        line_count: 0,
        order: Order::default(),
    }
}

/// Statements and calls in source order; a `require` that was seen with its names and without is one.
fn merged(statements: Vec<Import>, calls: Vec<Import>) -> Vec<Import> {
    let mut all = statements;
    for call in calls {
        let twice = |known: &Import| {
            known.kind == call.kind
                && known.line == call.line
                && known.specifier == call.specifier
                && (call.names.is_empty() || known.names == call.names)
        };
        if !all.iter().any(twice) {
            all.push(call);
        }
    }
    all.sort_by_key(|import| import.line);
    all
}
