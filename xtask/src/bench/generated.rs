//! Projects to measure on: one that is made up, the same for the same number of files, and a copy of a real one.

#![allow(clippy::disallowed_methods, reason = "it makes the projects that it measures")]

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Files in a folder.
const FOLDER: usize = 20;

#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    /// Files that are edited in turn, relative to the project.
    sources: Vec<String>,
    pub(crate) count: usize,
}

impl Project {
    /// Puts aside what becket remembers and wrote, and empties it. Were it deleted, some file systems would look long for the
    /// place of each new file in the minutes after; were it kept, run after run would wait for memory that was never used
    /// before. No first run on a project meets either.
    pub(crate) fn forget(&self) -> io::Result<()> {
        let aside = self.aside();
        fs::create_dir_all(&aside)?;
        let known = fs::read_dir(&aside)?.count();
        let mut old: Vec<_> = [".git/becket", ".logicstamp"].map(|folder| self.path.join(folder)).into();
        old.retain(|folder| folder.exists());
        outputs(&self.path, &mut old)?;
        for (at, old) in old.iter().enumerate() {
            let aside = aside.join((known + at).to_string());
            fs::rename(old, &aside)?;
            if aside.is_file() {
                fs::OpenOptions::new().write(true).open(&aside)?.set_len(0)?;
            }
        }
        Ok(())
    }

    /// Deletes it with all that was put aside.
    pub(crate) fn remove(self) -> io::Result<()> {
        fs::remove_dir_all(self.aside())?;
        fs::remove_dir_all(self.path)
    }

    fn aside(&self) -> PathBuf {
        self.path.with_extension("aside")
    }

    /// Edits one file: a body in one round, something that others can see in the next.
    pub(crate) fn edit(&self, round: usize) -> io::Result<()> {
        let Some(source) = self.sources.get(round * 37 % self.sources.len().max(1)) else { return Ok(()) };
        let path = self.path.join(source);
        let mut text = fs::read_to_string(&path)?;
        let added = if round.is_multiple_of(2) {
            format!("\nfunction edited{round}() {{ return {round}; }}\n")
        } else {
            format!("\nexport function added{round}(value: number): number {{ return value + {round}; }}\n")
        };
        text.push_str(&added);
        fs::write(path, text)
    }
}

/// A made-up project: components, hooks, modules and barrels that import each other, near ones more often than far ones.
pub(crate) fn project(path: &Path, files: usize) -> io::Result<Project> {
    fs::create_dir_all(path)?;
    fs::write(
        path.join("package.json"),
        "{\"name\":\"generated\",\"dependencies\":{\"react\":\"19.0.0\"}}\n",
    )?;
    fs::write(
        path.join("tsconfig.json"),
        "{\"compilerOptions\":{\"jsx\":\"react-jsx\",\"baseUrl\":\".\",\"paths\":{\"@/*\":[\"src/*\"]}}}\n",
    )?;
    let mut sources = Vec::with_capacity(files);
    for number in 0..files {
        let relative = place(number);
        let absolute = path.join(&relative);
        if let Some(folder) = absolute.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(absolute, text(number))?;
        sources.push(relative);
    }
    own_repository(path)?;
    Ok(Project { path: path.to_owned(), name: "generated".to_owned(), sources, count: files })
}

/// So that it is read, and remembered, by itself and not as a part of the folder that it lies in.
fn own_repository(path: &Path) -> io::Result<()> {
    let mut git = Command::new("git");
    git.args(["init", "--quiet"]).current_dir(path).env("GIT_CONFIG_GLOBAL", path.join("none"));
    let done = git.stdin(Stdio::null()).status()?;
    if done.success() { Ok(()) } else { Err(io::Error::other("git init failed")) }
}

/// A copy of what Git, or a walk, would show of a project.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<Project> {
    let mut sources = Vec::new();
    for entry in ignore::WalkBuilder::new(from).hidden(false).require_git(false).build().flatten() {
        let path = entry.path();
        let Ok(relative) = path.strip_prefix(from) else { continue };
        let hidden = |part: &std::ffi::OsStr| part == ".git" || part == "node_modules" || part == ".becket";
        if !path.is_file() || relative.iter().any(hidden) {
            continue;
        }
        let target = to.join(relative);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(path, &target)?;
        let name = relative.to_string_lossy().replace('\\', "/");
        let ending = name.rsplit('.').next().unwrap_or_default();
        let is_test = [".test.", ".spec.", "__tests__", ".d.ts"].iter().any(|mark| name.contains(mark));
        if matches!(ending, "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs") && !is_test {
            sources.push(name);
        }
    }
    sources.sort();
    let mut old = Vec::new();
    outputs(to, &mut old)?;
    old.iter().try_for_each(fs::remove_file)?;
    own_repository(to)?;
    let count = sources.len();
    let name =
        from.file_name().map_or_else(|| "given".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(Project { path: to.to_owned(), name, sources, count })
}

/// The files that becket writes, below a folder.
fn outputs(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            outputs(&entry.path(), found)?;
        } else if name == "context.json"
            || name == "context_main.json"
            || name == "context_compare_modes.json"
        {
            found.push(entry.path());
        }
    }
    Ok(())
}

fn place(number: usize) -> String {
    let folder = number / FOLDER;
    let (area, part) = (folder / 10, folder % 10);
    let ending = if kind(number) == Kind::Component { "tsx" } else { "ts" };
    format!("src/area{area}/part{part}/{}.{ending}", stem(number))
}

fn stem(number: usize) -> String {
    match kind(number) {
        Kind::Barrel => "index".to_owned(),
        Kind::Component => format!("Panel{number}"),
        Kind::Hook => format!("useThing{number}"),
        Kind::Module => format!("module{number}"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Barrel,
    Component,
    Hook,
    Module,
}

fn kind(number: usize) -> Kind {
    match number % FOLDER {
        0 => Kind::Barrel,
        at if at % 5 == 4 => Kind::Hook,
        at if at % 2 == 1 => Kind::Component,
        _ => Kind::Module,
    }
}

/// Files that a file imports: earlier ones, mostly of its own folder.
fn imported(number: usize) -> Vec<usize> {
    let spread = |step: usize| (number.wrapping_mul(2_654_435_761) >> step) % number.max(1);
    let near = (1..4).filter_map(|step| number.checked_sub(step * 2));
    let mut all: Vec<usize> =
        near.chain([spread(7)]).filter(|at| kind(*at) != Kind::Barrel && *at < number).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn text(number: usize) -> String {
    let mut text = String::new();
    if kind(number) == Kind::Barrel {
        for at in number + 1..number + FOLDER {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "export * from './{}';", stem(at));
        }
        return text;
    }
    let imports = imported(number);
    for at in &imports {
        let place = place(*at);
        let target = place.trim_start_matches("src/").rsplit_once('.').map_or("", |(stem, _)| stem);
        let _ = writeln!(text, "import {{ {} }} from '@/{target}';", exported(*at));
    }
    let _ = match kind(number) {
        Kind::Component => component(&mut text, number, &imports),
        Kind::Hook => hook(&mut text, number),
        Kind::Module | Kind::Barrel => Ok(()),
    };
    for part in 0..3 + number % 5 {
        let _ = body(&mut text, number, part);
    }
    text
}

fn exported(number: usize) -> String {
    match kind(number) {
        Kind::Component => format!("Panel{number}"),
        Kind::Hook => format!("useThing{number}"),
        Kind::Module | Kind::Barrel => format!("compute{number}x0"),
    }
}

fn component(text: &mut String, number: usize, imports: &[usize]) -> std::fmt::Result {
    writeln!(text, "import {{ useMemo, useState }} from 'react';\n")?;
    writeln!(text, "/** What the panel {number} is given. */")?;
    writeln!(text, "export interface Panel{number}Props {{")?;
    writeln!(text, "  title: string;\n  variant?: 'plain' | 'bold' | 'quiet';\n  count: number;")?;
    writeln!(text, "  onSelect?: (id: string, position: number) => void;\n}}\n")?;
    writeln!(text, "/** Shows the thing {number}, and lets people pick one. */")?;
    writeln!(
        text,
        "export function Panel{number}({{ title, variant = 'plain', count, onSelect }}: Panel{number}Props) {{"
    )?;
    writeln!(text, "  const [open, setOpen] = useState(false);")?;
    writeln!(
        text,
        "  const rows = useMemo(() => Array.from({{ length: count }}, (_, at) => `${{title}}-${{at}}`), [title, count]);"
    )?;
    writeln!(text, "  return (\n    <section className={{`panel ${{variant}}`}}>")?;
    writeln!(text, "      <button onClick={{() => setOpen(!open)}}>{{open ? 'close' : title}}</button>")?;
    for at in imports.iter().filter(|at| kind(**at) == Kind::Component) {
        writeln!(text, "      <Panel{at} title={{title}} count={{count + 1}} onSelect={{onSelect}} />")?;
    }
    writeln!(
        text,
        "      {{rows.map((row, at) => <i key={{row}} onClick={{() => onSelect?.(row, at)}}>{{row}}</i>)}}"
    )?;
    writeln!(text, "    </section>\n  );\n}}\n")
}

fn hook(text: &mut String, number: usize) -> std::fmt::Result {
    writeln!(text, "import {{ useEffect, useState }} from 'react';\n")?;
    writeln!(
        text,
        "export function useThing{number}(initial: number, limit?: number): [number, () => void] {{"
    )?;
    writeln!(text, "  const [value, setValue] = useState(initial);")?;
    writeln!(
        text,
        "  useEffect(() => {{ if (limit !== undefined && value > limit) setValue(limit); }}, [value, limit]);"
    )?;
    writeln!(text, "  return [value, () => setValue(value + {number})];\n}}\n")
}

fn body(text: &mut String, number: usize, part: usize) -> std::fmt::Result {
    let name = format!("compute{number}x{part}");
    let export = if part < 2 { "export " } else { "" };
    writeln!(text, "/** Adds up what part {part} of {number} stands for. */")?;
    writeln!(text, "{export}function {name}(values: readonly number[], weight: number = {part}): number {{")?;
    writeln!(text, "  let total = 0;\n  const seen = new Map<string, number>();")?;
    writeln!(text, "  for (const value of values) {{")?;
    writeln!(text, "    const key = value > {number} ? `large-${{value % 7}}` : `small-${{value}}`;")?;
    writeln!(
        text,
        "    if (seen.has(key)) {{\n      total += (seen.get(key) ?? 0) * weight;\n      continue;\n    }}"
    )?;
    writeln!(
        text,
        "    seen.set(key, value);\n    total = total + value * {part} - weight / ({number} + 1);\n  }}"
    )?;
    writeln!(text, "  return Number.isFinite(total) ? total : {number};\n}}\n")
}
