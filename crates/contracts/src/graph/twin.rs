//! Declaration files beside what they declare. Imports lead to `lib.d.ts`, as the compiler has it, and what runs is
//! `lib.js`.

/// The ending of a declaration file, those of what it may stand for, and those of what is found before either.
type Beside = (&'static str, &'static [&'static str], &'static [&'static str]);

const BESIDE: [Beside; 3] = [
    (".d.ts", &[".js", ".jsx"], &[".ts", ".tsx"]),
    (".d.mts", &[".mjs"], &[".mts"]),
    (".d.cts", &[".cjs"], &[".cts"]),
];

/// The file that the declaration file at a path stands for; `find` knows the files of the tree.
pub fn twin_of<T>(path: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let (stem, (_, twins, before)) = declaring(path)?;
    let beside = |ending: &&str| find(&[stem, ending].concat());
    if before.iter().any(|ending| beside(ending).is_some()) {
        return None;
    }
    twins.iter().find_map(beside)
}

/// Whether a file is what the declaration file at `path` stands for, where that stands for any.
pub fn is_twin(path: &str, of: &str) -> bool {
    declaring(path).is_some_and(|(stem, (_, twins, _))| {
        of.strip_prefix(stem).is_some_and(|ending| twins.contains(&ending))
    })
}

/// Whether nothing of a file is there when the program runs.
pub fn is_declaration(path: &str) -> bool {
    declaring(path).is_some()
}

fn declaring(path: &str) -> Option<(&str, &'static Beside)> {
    BESIDE.iter().find_map(|beside| Some((path.strip_suffix(beside.0)?, beside)))
}
