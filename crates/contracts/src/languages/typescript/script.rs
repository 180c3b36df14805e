//! Files that are no modules: what stands at the top of one is there for everybody.

use memchr::memmem;
use oxc_ast::ast::{Program, Statement};

/// Words of what is a module to whoever runs it, whatever the compiler says.
const OF_MODULES: [&str; 4] = ["import", "require", "exports", "await"];

/// Whether a file declares for everybody what stands at its top. JavaScript is left out: what has no import there is mostly
/// run by itself. So is what says anywhere that it may be a module, what adds to modules, and what is started by its first line.
pub(super) fn is_script(file_name: &str, program: &Program<'_>) -> bool {
    let has_ending = [".ts", ".tsx"].iter().any(|ending| file_name.ends_with(ending));
    let declares = |one: &Statement<'_>| one.as_declaration().is_some();
    let adds = |one: &Statement<'_>| {
        matches!(one, Statement::TSExternalModuleDeclaration(_) | Statement::TSGlobalDeclaration(_))
    };
    has_ending
        && !program.source_type.is_typescript_definition()
        && program.hashbang.is_none()
        && program.body.iter().any(declares)
        && !program.body.iter().any(|one| one.is_module_declaration() || adds(one))
        && !OF_MODULES
            .iter()
            .any(|word| memmem::find(program.source_text.as_bytes(), word.as_bytes()).is_some())
}
