//! The owned model of a change: file, hunk, line. Everything is bytes, because files are. Pure: what runs `git` and
//! reads files is `becket_git`.

pub mod apply;
pub mod layers;
pub mod model;
pub mod parse;
pub mod path;
pub mod print;
pub mod split;

pub use apply::{ApplyError, apply};
pub use layers::{Choice, compose};
pub use model::{
    CombinedChange, CombinedHunk, Content, Entry, FileChange, Hunk, Line, LineKind, Mode, Omitted, Side,
    Span, Status,
};
pub use parse::{Limits, ParseError, Parser, parse};
pub use path::FilePath;
pub use print::print;
pub use split::{adjoins, join, part, select, split};
