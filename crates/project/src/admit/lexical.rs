//! What a path says before the disk is asked: separators, drives, shares, device names, and where `..` leads. Pure, and
//! told which system's rules to follow, so that the rules of all systems are tested on each.

/// Whose rules for spelling a path hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Posix,
    Windows,
}

impl Style {
    pub const NATIVE: Self = if cfg!(windows) { Self::Windows } else { Self::Posix };
}

/// No system takes a longer one, and each component may cost a question to the disk.
const LONGEST: usize = 32 * 1024;

/// A path taken apart. Components are never empty or `.`; `..` is kept, because what it means depends on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    Relative(Vec<String>),
    /// `anchor` is `/` or a drive such as `C:\`.
    Absolute {
        anchor: String,
        components: Vec<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LexicalError {
    #[error("it is empty")]
    Empty,
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    #[error("it has a NUL character")]
    Nul,
    #[error("`..` leads out of the root")]
    Escape,
    #[error("it names a Windows drive")]
    Drive,
    #[error("it names a Windows share or device (`\\\\server\\share`)")]
    Share,
    #[error("it begins with a separator and has no drive")]
    NoDrive,
    #[error("Windows gives one of its names another meaning")]
    ReservedName,
}

/// Takes `text` apart. Under `Posix` a backslash is read as `RepoPath` reads it: as a separator only when there is no
/// `/`; what Windows would take as absolute, or as leading out, is refused all the same.
pub fn spell(text: &str, style: Style) -> Result<Spelling, LexicalError> {
    if text.is_empty() {
        return Err(LexicalError::Empty);
    }
    if text.len() > LONGEST {
        return Err(LexicalError::TooLong);
    }
    if text.contains('\0') {
        return Err(LexicalError::Nul);
    }
    match style {
        Style::Posix => spell_posix(text),
        Style::Windows => spell_windows(text),
    }
}

/// Whether Git, on some file system, would take this name for its own `.git`.
pub fn is_git_name(name: &str) -> bool {
    // Case-insensitive file systems, the ones that ignore some characters (HFS+), and Windows with its streams,
    // trailing dots and short names.
    let name: String =
        name.chars().filter(|character| !is_ignorable(*character)).flat_map(char::to_lowercase).collect();
    let name = name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    matches!(name, ".git" | "git~1")
}

fn spell_posix(text: &str) -> Result<Spelling, LexicalError> {
    if text.starts_with(r"\\") {
        return Err(LexicalError::Share);
    }
    if text.starts_with('\\') {
        return Err(LexicalError::NoDrive);
    }
    let separator = if text.contains('/') { '/' } else { '\\' };
    let components = split(text, &[separator]);
    if text.starts_with('/') {
        return Ok(Spelling::Absolute { anchor: "/".to_owned(), components });
    }
    if components.first().is_some_and(|first| has_drive(first)) {
        return Err(LexicalError::Drive);
    }
    stays_inside(&components)?;
    stays_inside(&split(text, &['/', '\\']))?;
    Ok(Spelling::Relative(components))
}

fn spell_windows(text: &str) -> Result<Spelling, LexicalError> {
    const SEPARATORS: [char; 2] = ['/', '\\'];
    // The verbatim form of a drive is what Windows itself answers with, so callers send it back.
    let text = text.strip_prefix(r"\\?\").filter(|rest| has_drive(rest)).unwrap_or(text);
    if text.starts_with(SEPARATORS) {
        let share = text[1..].starts_with(SEPARATORS);
        return Err(if share { LexicalError::Share } else { LexicalError::NoDrive });
    }
    if has_drive(text) {
        let (drive, rest) = text.split_at(2);
        // `C:x` is relative to a current directory that Windows keeps per drive.
        if !rest.starts_with(SEPARATORS) {
            return Err(LexicalError::Drive);
        }
        let components = split(rest, &SEPARATORS);
        names_are_plain(&components)?;
        return Ok(Spelling::Absolute { anchor: format!("{drive}\\"), components });
    }
    let components = split(text, &SEPARATORS);
    if components.first().is_some_and(|first| has_drive(first)) {
        return Err(LexicalError::Drive);
    }
    names_are_plain(&components)?;
    stays_inside(&components)?;
    Ok(Spelling::Relative(components))
}

fn split(text: &str, separators: &[char]) -> Vec<String> {
    text.split(separators).filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect()
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn stays_inside(components: &[String]) -> Result<(), LexicalError> {
    let mut depth = 0_usize;
    for component in components {
        depth = if component == ".." { depth.checked_sub(1).ok_or(LexicalError::Escape)? } else { depth + 1 };
    }
    Ok(())
}

fn names_are_plain(components: &[String]) -> Result<(), LexicalError> {
    let plain = |name: &String| name == ".." || !is_reserved_on_windows(name);
    if components.iter().all(plain) { Ok(()) } else { Err(LexicalError::ReservedName) }
}

/// Streams, wildcards, devices (with any ending), and names that lose their last character.
fn is_reserved_on_windows(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|number| {
            let mut characters = number.chars();
            matches!((characters.next(), characters.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        })
    };
    name.ends_with(['.', ' '])
        || name.contains(|character: char| character < ' ' || "<>:\"|?*".contains(character))
        || matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered("COM")
        || numbered("LPT")
}

fn is_ignorable(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use LexicalError::{Drive, Empty, Escape, NoDrive, Nul, ReservedName, Share, TooLong};

    #[allow(clippy::unnecessary_wraps, reason = "keeps the tables readable")]
    fn relative(components: &[&str]) -> Result<Spelling, LexicalError> {
        Ok(Spelling::Relative(components.iter().map(|name| (*name).to_owned()).collect()))
    }

    #[allow(clippy::unnecessary_wraps, reason = "keeps the tables readable")]
    fn absolute(anchor: &str, components: &[&str]) -> Result<Spelling, LexicalError> {
        let components = components.iter().map(|name| (*name).to_owned()).collect();
        Ok(Spelling::Absolute { anchor: anchor.to_owned(), components })
    }

    #[test]
    fn posix_spellings() {
        for (text, expected) in [
            ("src/main.rs", relative(&["src", "main.rs"])),
            ("./src//main.rs/", relative(&["src", "main.rs"])),
            (".", relative(&[])),
            ("a/../b", relative(&["a", "..", "b"])),
            ("-rf", relative(&["-rf"])),
            ("a b\n\u{e9}", relative(&["a b\n\u{e9}"])),
            (r"src\main.rs", relative(&["src", "main.rs"])),
            (r"./a\b", relative(&[r"a\b"])),
            ("...", relative(&["..."])),
            ("CON", relative(&["CON"])),
            ("/etc/passwd", absolute("/", &["etc", "passwd"])),
            ("//server/share", absolute("/", &["server", "share"])),
            ("/", absolute("/", &[])),
            ("", Err(Empty)),
            (&"a/".repeat(LONGEST), Err(TooLong)),
            ("a\0b", Err(Nul)),
            ("..", Err(Escape)),
            ("../x", Err(Escape)),
            ("a/../../x", Err(Escape)),
            (r"..\x", Err(Escape)),
            (r"a\..\..\x", Err(Escape)),
            (r"a/..\..\x", Err(Escape)),
            (r"C:\x", Err(Drive)),
            ("C:/x", Err(Drive)),
            ("c:x", Err(Drive)),
            ("./C:/x", Err(Drive)),
            (r"\\server\share", Err(Share)),
            (r"\\?\C:\x", Err(Share)),
            (r"\x", Err(NoDrive)),
        ] {
            assert_eq!(spell(text, Style::Posix), expected, "{text:?}");
        }
    }

    #[test]
    fn windows_spellings() {
        for (text, expected) in [
            (r"src\main.rs", relative(&["src", "main.rs"])),
            ("src/main.rs", relative(&["src", "main.rs"])),
            (r".\a/b\..\c", relative(&["a", "b", "..", "c"])),
            (r"C:\repo\src", absolute(r"C:\", &["repo", "src"])),
            ("d:/repo", absolute(r"d:\", &["repo"])),
            (r"\\?\C:\repo", absolute(r"C:\", &["repo"])),
            ("comet", relative(&["comet"])),
            ("com10", relative(&["com10"])),
            ("nullable.rs", relative(&["nullable.rs"])),
            ("", Err(Empty)),
            ("a\0b", Err(Nul)),
            (r"..\x", Err(Escape)),
            (r"a\..\..\x", Err(Escape)),
            ("C:x", Err(Drive)),
            ("C:", Err(Drive)),
            (r".\C:\x", Err(Drive)),
            (r"\\server\share\x", Err(Share)),
            ("//server/share", Err(Share)),
            (r"\/server", Err(Share)),
            (r"\\.\pipe\x", Err(Share)),
            (r"\\?\UNC\server\share", Err(Share)),
            (r"\windows", Err(NoDrive)),
            ("/etc/passwd", Err(NoDrive)),
            ("file.txt:stream", Err(ReservedName)),
            (".git::$INDEX_ALLOCATION", Err(ReservedName)),
            (r"C:\repo\nul", Err(ReservedName)),
            ("aux.h", Err(ReservedName)),
            ("COM1", Err(ReservedName)),
            ("lpt\u{b9}.txt", Err(ReservedName)),
            ("con .txt", Err(ReservedName)),
            ("name.", Err(ReservedName)),
            ("name ", Err(ReservedName)),
            ("a*b", Err(ReservedName)),
            ("a\nb", Err(ReservedName)),
        ] {
            assert_eq!(spell(text, Style::Windows), expected, "{text:?}");
        }
    }

    #[test]
    fn every_disguise_of_dot_git_is_known() {
        for name in [".git", ".GIT", ".Git.", ".git ", ".git. .", "git~1", "GIT~1", ".g\u{200c}it", ".git:x"]
        {
            assert!(is_git_name(name), "{name:?}");
        }
        for name in [".gitignore", ".github", "git", ".git2", "git~2", "x.git", "..git", ".gi"] {
            assert!(!is_git_name(name), "{name:?}");
        }
    }
}
