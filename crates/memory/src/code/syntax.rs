//! How languages write comments, strings and blocks, by file name. One row a family.

/// What one family of languages has in common.
#[derive(Debug)]
pub(crate) struct Syntax {
    extensions: &'static [&'static str],
    names: &'static [&'static str],
    pub(crate) line_comments: &'static [&'static str],
    pub(crate) block_comments: &'static [(&'static str, &'static str)],
    pub(crate) quotes: Quotes,
    pub(crate) blocks: Blocks,
}

/// What hides a comment marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// Prose: an apostrophe opens nothing.
    None,
    /// `"text"`, and `'c'` for one character only.
    Double,
    /// `"text"` and `'text'`.
    Both,
    /// Those and `` `text` `` over several lines.
    Backtick,
    /// Those of `Both`; three of them open a text over several lines, which counts as a comment.
    Triple,
}

/// What holds a declaration together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocks {
    Braces,
    Indentation,
    Headings,
    Keys,
    /// `[section]` lines.
    Sections,
    /// Up to a semicolon.
    Statements,
    Unknown,
}

pub(crate) fn of(path: &str) -> &'static Syntax {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or(name);
    FAMILIES
        .iter()
        .find(|family| {
            family.extensions.contains(&extension.as_str())
                || family.names.iter().any(|known| *known == name || *known == stem)
        })
        .unwrap_or(&UNKNOWN)
}

const SLASH_STAR: (&str, &str) = ("/*", "*/");
const MARKUP: (&str, &str) = ("<!--", "-->");

const FAMILIES: &[Syntax] = &[
    Syntax {
        extensions: &[
            "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "dart", "groovy", "gradle", "json5",
            "jsonc", "json",
        ],
        names: &["Jenkinsfile"],
        line_comments: &["//"],
        block_comments: &[SLASH_STAR],
        quotes: Quotes::Backtick,
        blocks: Blocks::Braces,
    },
    Syntax {
        extensions: &[
            "rs", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "m", "mm", "cs", "java", "kt", "kts",
            "scala", "sc", "swift", "zig", "sol", "proto", "v", "sv", "d", "glsl", "hlsl", "wgsl", "metal",
            "cu", "thrift", "fbs", "prisma", "css", "scss", "less", "sass", "styl",
        ],
        names: &[],
        line_comments: &["//"],
        block_comments: &[SLASH_STAR],
        quotes: Quotes::Double,
        blocks: Blocks::Braces,
    },
    Syntax {
        extensions: &["php", "tf", "hcl", "nix", "nomad"],
        names: &[],
        line_comments: &["//", "#"],
        block_comments: &[SLASH_STAR],
        quotes: Quotes::Both,
        blocks: Blocks::Braces,
    },
    Syntax {
        extensions: &["py", "pyi", "pyw", "pyx", "bzl", "star", "jl"],
        names: &["BUILD", "WORKSPACE", "SConstruct", "Tiltfile"],
        line_comments: &["#"],
        block_comments: &[],
        quotes: Quotes::Triple,
        blocks: Blocks::Indentation,
    },
    Syntax {
        extensions: &["rb", "rake", "gemspec", "ex", "exs", "cr", "nim", "coffee", "gd"],
        names: &["Rakefile", "Gemfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"],
        line_comments: &["#"],
        block_comments: &[("=begin", "=end")],
        quotes: Quotes::Both,
        blocks: Blocks::Indentation,
    },
    Syntax {
        extensions: &["sh", "bash", "zsh", "ksh", "fish", "pl", "pm", "r", "awk", "tcl", "graphql", "gql"],
        names: &[".bashrc", ".zshrc", ".profile"],
        line_comments: &["#"],
        block_comments: &[],
        quotes: Quotes::Both,
        blocks: Blocks::Braces,
    },
    Syntax {
        extensions: &["ps1", "psm1", "psd1"],
        names: &[],
        line_comments: &["#"],
        block_comments: &[("<#", "#>")],
        quotes: Quotes::Both,
        blocks: Blocks::Braces,
    },
    Syntax {
        extensions: &["yml", "yaml"],
        names: &[".clang-format"],
        line_comments: &["#"],
        block_comments: &[],
        quotes: Quotes::Both,
        blocks: Blocks::Keys,
    },
    Syntax {
        extensions: &[
            "toml",
            "ini",
            "cfg",
            "conf",
            "properties",
            "env",
            "editorconfig",
            "service",
            "desktop",
        ],
        names: &[".gitconfig", ".npmrc", ".env"],
        line_comments: &["#", ";"],
        block_comments: &[],
        quotes: Quotes::None,
        blocks: Blocks::Sections,
    },
    Syntax {
        extensions: &[
            "mk",
            "mak",
            "cmake",
            "dockerfile",
            "gitignore",
            "gitattributes",
            "dockerignore",
            "just",
        ],
        names: &[
            "Makefile",
            "makefile",
            "GNUmakefile",
            "Dockerfile",
            "Containerfile",
            "justfile",
            "Justfile",
            "CODEOWNERS",
        ],
        line_comments: &["#"],
        block_comments: &[],
        quotes: Quotes::None,
        blocks: Blocks::Unknown,
    },
    Syntax {
        extensions: &["sql", "psql", "pgsql", "plsql", "ddl"],
        names: &[],
        line_comments: &["--", "#"],
        block_comments: &[SLASH_STAR],
        quotes: Quotes::Both,
        blocks: Blocks::Statements,
    },
    Syntax {
        extensions: &["lua"],
        names: &[],
        line_comments: &["--"],
        block_comments: &[("--[[", "]]"), ("--[=[", "]=]")],
        quotes: Quotes::Both,
        blocks: Blocks::Indentation,
    },
    Syntax {
        extensions: &["hs", "lhs", "elm", "purs", "idr", "agda", "adb", "ads", "vhd", "vhdl", "dhall"],
        names: &[],
        line_comments: &["--"],
        block_comments: &[("{-", "-}")],
        quotes: Quotes::Double,
        blocks: Blocks::Indentation,
    },
    Syntax {
        extensions: &[
            "html", "htm", "xhtml", "vue", "svelte", "astro", "jsp", "erb", "ejs", "hbs", "cshtml", "razor",
            "liquid",
        ],
        names: &[],
        line_comments: &["//"],
        block_comments: &[MARKUP, SLASH_STAR, ("{{!--", "--}}"), ("{#", "#}"), ("<%#", "%>")],
        quotes: Quotes::None,
        blocks: Blocks::Unknown,
    },
    Syntax {
        extensions: &[
            "xml", "svg", "xsd", "xsl", "plist", "csproj", "props", "targets", "resx", "xaml", "wxs",
        ],
        names: &[],
        line_comments: &[],
        block_comments: &[MARKUP],
        quotes: Quotes::None,
        blocks: Blocks::Unknown,
    },
    Syntax {
        extensions: &["md", "markdown", "mdx", "mdown", "rst", "adoc", "txt"],
        names: &[],
        line_comments: &[],
        block_comments: &[MARKUP],
        quotes: Quotes::None,
        blocks: Blocks::Headings,
    },
    Syntax {
        extensions: &[
            "lisp", "lsp", "cl", "el", "scm", "rkt", "clj", "cljs", "cljc", "edn", "asm", "s", "nasm", "wat",
            "ahk",
        ],
        names: &[],
        line_comments: &[";"],
        block_comments: &[("#|", "|#"), ("(;", ";)")],
        quotes: Quotes::Double,
        blocks: Blocks::Unknown,
    },
    Syntax {
        extensions: &["tex", "sty", "cls", "bib", "erl", "hrl", "mat", "pro"],
        names: &[],
        line_comments: &["%"],
        block_comments: &[],
        quotes: Quotes::None,
        blocks: Blocks::Unknown,
    },
    Syntax {
        extensions: &["ml", "mli", "fs", "fsi", "fsx", "sml"],
        names: &[],
        line_comments: &["//"],
        block_comments: &[("(*", "*)")],
        quotes: Quotes::Double,
        blocks: Blocks::Indentation,
    },
    Syntax {
        extensions: &["pas", "pp", "dpr"],
        names: &[],
        line_comments: &["//"],
        block_comments: &[("(*", "*)"), ("{", "}")],
        quotes: Quotes::Both,
        blocks: Blocks::Unknown,
    },
    Syntax {
        extensions: &["vb", "vbs", "bas", "vim", "bat", "cmd", "f", "f90", "f95", "for"],
        names: &[".vimrc"],
        line_comments: &["'", "\"", "!", "rem ", "REM ", "Rem ", "::"],
        block_comments: &[],
        quotes: Quotes::None,
        blocks: Blocks::Unknown,
    },
];

static UNKNOWN: Syntax = Syntax {
    extensions: &[],
    names: &[],
    line_comments: &["//", "#", "--", ";", "%"],
    block_comments: &[SLASH_STAR, MARKUP],
    quotes: Quotes::None,
    blocks: Blocks::Unknown,
};
