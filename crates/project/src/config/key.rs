//! What a setting is: its name, type, default and the places it can come from. The settings themselves are the rows of
//! `keys`; a typed constant for each is the only way to ask for a value.

use std::fmt;

/// One row of the table that drives reading, `becket config` and the reference page.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Section and name, as in `becket.toml`: `log.level`.
    pub name: &'static str,
    pub kind: Kind,
    pub default: DefaultValue,
    /// The environment variable that sets it.
    pub variable: Option<&'static str>,
    /// Variables of others that set it too, weaker than its own.
    pub variable_aliases: &'static [&'static str],
    /// Only the user sets it, by the environment or a flag: a file may have come with the repository.
    pub user_only: bool,
    /// The command-line flag that sets it, with its dashes.
    pub flag: Option<&'static str>,
    /// Other names in either file, from the seeds. The camelCase of `name` is understood without a mention.
    pub aliases: &'static [&'static str],
    /// What a person is told when the key is accepted but has no effect.
    pub notice: Option<&'static str>,
    /// One sentence.
    pub doc: &'static str,
}

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Choice(&'static [&'static str]),
    /// Both bounds are allowed values.
    Number {
        least: u64,
        most: u64,
    },
    Flag,
    /// In a variable or a flag, separated by commas.
    List(Items),
    Path,
    /// In a variable or a flag, separated as the system separates paths (`:` or `;`).
    Paths,
    /// An IP address or `localhost`, and a port.
    Address,
    /// A secret: never in a file of the repository, never printed.
    Token,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Items {
    Any,
    Choice(&'static [&'static str]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultValue {
    Unset,
    Text(&'static str),
    Number(u64),
    Flag(bool),
    List(&'static [&'static str]),
}

impl Key {
    /// What a row says when it does not say otherwise.
    pub(super) const BLANK: Self = Self {
        name: "",
        kind: Kind::Text,
        default: DefaultValue::Unset,
        variable: None,
        variable_aliases: &[],
        user_only: false,
        flag: None,
        aliases: &[],
        notice: None,
        doc: "",
    };

    pub fn is_secret(&self) -> bool {
        self.kind == Kind::Token
    }

    /// `log.max_size` as `log.maxSize`.
    pub fn camel_case(&self) -> String {
        let mut name = String::new();
        let mut upper = false;
        for character in self.name.chars() {
            match character {
                '_' => upper = true,
                _ if std::mem::take(&mut upper) => name.push(character.to_ascii_uppercase()),
                _ => name.push(character),
            }
        }
        name
    }

    /// Every variable that sets it, the weakest first.
    pub fn variables(&self) -> impl Iterator<Item = &'static str> {
        self.variable_aliases.iter().copied().chain(self.variable)
    }

    /// Every name that either file may use for it, the canonical one first.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let camel = Some(self.camel_case()).filter(|camel| camel != self.name);
        let aliases = self.aliases.iter().map(|alias| (*alias).to_owned());
        std::iter::once(self.name.to_owned()).chain(camel).chain(aliases)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => formatter.write_str("text"),
            Self::Choice(choices) => write!(formatter, "one of {}", quoted(choices)),
            Self::Number { least, most } => write!(formatter, "a whole number from {least} to {most}"),
            Self::Flag => formatter.write_str("true or false"),
            Self::List(Items::Any) => formatter.write_str("a list of texts"),
            Self::List(Items::Choice(choices)) => write!(formatter, "a list of {}", quoted(choices)),
            Self::Path => formatter.write_str("a path"),
            Self::Paths => formatter.write_str("a list of paths"),
            Self::Address => formatter.write_str("an address and a port, such as 127.0.0.1:0"),
            Self::Token => formatter.write_str("a token of visible ASCII characters without blanks"),
        }
    }
}

impl fmt::Display for DefaultValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => formatter.write_str("unset"),
            Self::Text(text) => formatter.write_str(text),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Flag(flag) => write!(formatter, "{flag}"),
            Self::List(items) => formatter.write_str(&items.join(",")),
        }
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A constant of one of these types names a row, and says what asking for it gives. The check runs at compile time.
macro_rules! typed_keys {
    ($($(#[$meta:meta])* $name:ident: $kind:pat, $default:pat,)*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name(&'static Key);

        impl $name {
            pub(super) const fn new(key: &'static Key) -> Self {
                assert!(matches!(key.kind, $kind) && matches!(key.default, $default));
                Self(key)
            }

            pub const fn key(self) -> &'static Key {
                self.0
            }
        }
    )*};
}

typed_keys! {
    /// Always has a text.
    TextKey: Kind::Text | Kind::Choice(_), DefaultValue::Text(_),
    /// Has a text or is unset.
    OptionalTextKey: Kind::Text | Kind::Address, DefaultValue::Unset,
    NumberKey: Kind::Number { .. }, DefaultValue::Number(_),
    FlagKey: Kind::Flag, DefaultValue::Flag(_),
    ListKey: Kind::List(_), DefaultValue::List(_),
    /// Has an absolute path or is unset.
    PathKey: Kind::Path, DefaultValue::Unset,
    /// Absolute paths.
    PathsKey: Kind::Paths, DefaultValue::List(&[]),
    SecretKey: Kind::Token, DefaultValue::Unset,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camel_case_keeps_the_section() {
        let camel = |name| Key { name, ..Key::BLANK }.camel_case();
        assert_eq!(camel("log.level"), "log.level");
        assert_eq!(camel("security.max_tokens_per_request"), "security.maxTokensPerRequest");
    }
}
