//! A caller's text inside a message: short, on one line, and unable to drive a terminal.

use becket_base::clip;

const LONGEST: usize = 200;

pub(crate) fn shown(text: &str) -> String {
    let mut line = String::new();
    for character in clip(text, LONGEST).to_string().chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_short_and_on_one_line() {
        assert_eq!(shown(r"C:\dir\'é'"), r"C:\dir\'é'");
        assert_eq!(shown("a\nb\u{1b}[2J"), r"a\nb\u{1b}[2J");
        assert_eq!(shown(&"x".repeat(250)), format!("{}… [50 characters cut]", "x".repeat(200)));
    }
}
