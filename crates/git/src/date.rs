//! Which dates a caller may give. Git takes what it does not understand for "now" and so would answer with nothing, or
//! with everything: only what it surely understands is passed on. What a date means is Git's to say.

use crate::error::GitError;

/// With the most of each that does not lead before 1970, where Git wraps around.
const UNITS: [(&str, u64); 7] = [
    ("second", 1_500_000_000),
    ("minute", 25_000_000),
    ("hour", 400_000),
    ("day", 17_000),
    ("week", 2_500),
    ("month", 600),
    ("year", 50),
];
const NUMBERS: [&str; 11] =
    ["last", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
/// `today` is not among them: to Git it is now, and nothing is newer.
const MOMENTS: [&str; 4] = ["now", "yesterday", "midnight", "noon"];
const ZONES: [&str; 3] = ["z", "utc", "gmt"];

/// Lets through what Git understands as a date.
pub(crate) fn check(name: &'static str, date: &str) -> Result<(), GitError> {
    if is_date(date) {
        return Ok(());
    }
    Err(GitError::InvalidArgument {
        name,
        value: date.to_owned(),
        reason: "it is no date; write one like `2024-05-01`, `2024-05-01T12:30:00Z`, `yesterday` or `2 weeks ago`",
    })
}

fn is_date(date: &str) -> bool {
    let lower = date.trim().to_ascii_lowercase();
    if lower.bytes().any(|byte| byte.is_ascii_control()) {
        return false;
    }
    is_moment(&lower) || is_seconds(&lower) || is_span(&lower) || is_calendar(&lower)
}

/// `2024-05-01`, alone or with a time of day and an offset behind it.
fn is_moment(text: &str) -> bool {
    let Some((day, rest)) = text.split_at_checked(10) else { return false };
    let separator = day.as_bytes()[4];
    if !matches!(separator, b'-' | b'/' | b'.') || !is_day(&day.replace(char::from(separator), "-")) {
        return false;
    }
    let Some(rest) = rest.strip_prefix(['t', ' ']) else { return rest.is_empty() };
    let offset = rest.find(['+', '-', 'z']).unwrap_or(rest.len());
    is_time(rest[..offset].trim_end()) && (offset == rest.len() || is_offset(&rest[offset..]))
}

fn is_day(text: &str) -> bool {
    text.parse::<jiff::civil::Date>().is_ok_and(|day| day.year() >= 1970)
}

/// `12:30`, `12:30:59` or `12:30:59.123`.
fn is_time(text: &str) -> bool {
    let whole =
        text.split_once('.').map_or(Some(text), |(whole, fraction)| is_number(fraction).then_some(whole));
    let parts: Vec<&str> = whole.unwrap_or_default().split(':').collect();
    let below =
        |part: &str, limit: u32| part.len() <= 2 && part.parse().is_ok_and(|value: u32| value < limit);
    match parts.as_slice() {
        [hour, minute] => below(hour, 24) && below(minute, 60),
        [hour, minute, second] => below(hour, 24) && below(minute, 60) && below(second, 61),
        _ => false,
    }
}

/// `Z`, `+0200` or `+02:00`.
fn is_offset(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).map(|rest| rest.replacen(':', "", 1));
    ZONES.contains(&text) || digits.is_some_and(|digits| digits.len() == 4 && is_number(&digits))
}

/// Seconds since 1970, which Git tells from other numbers by their length or by an `@`.
fn is_seconds(text: &str) -> bool {
    match text.strip_prefix('@') {
        Some(seconds) => is_seconds(seconds),
        None => is_number(text) && (9..=10).contains(&text.len()),
    }
}

/// `2 weeks ago`, `2.weeks.ago`, `1 year 3 months`, `last month`.
fn is_span(text: &str) -> bool {
    let mut words: Vec<&str> = words(text).collect();
    if words.last() == Some(&"ago") {
        words.pop();
    }
    let counted = |pair: &[&str]| {
        let [count, unit] = pair else { return false };
        let unit = unit.strip_suffix('s').unwrap_or(unit);
        let Some((_, most)) = UNITS.iter().find(|(name, _)| *name == unit) else { return false };
        NUMBERS.contains(count) || (is_number(count) && count.parse().is_ok_and(|count: u64| count <= *most))
    };
    !words.is_empty() && words.chunks(2).all(counted)
}

/// `yesterday`, `last friday`, `5 May 2024`, `May 5`, `Thu, 7 Apr 2005 22:13:13 +0200`. A day of the week alone is to Git
/// today, and so is only let through where it says nothing or with `last`.
fn is_calendar(text: &str) -> bool {
    let mut words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let named =
        |names: &[&str], word: &str| word.len() >= 3 && names.iter().any(|name| name.starts_with(word));
    match words.as_slice() {
        [moment] if MOMENTS.contains(moment) => return true,
        ["last", weekday] if named(&WEEKDAYS, weekday) => return true,
        [weekday, _, ..] if named(&WEEKDAYS, weekday) => drop(words.remove(0)),
        _ => {}
    }
    let number = |word: &str, range: std::ops::RangeInclusive<u32>| {
        is_number(word) && word.parse().is_ok_and(|number| range.contains(&number))
    };
    let rest = match words.as_slice() {
        [day, month, rest @ ..] | [month, day, rest @ ..] if named(&MONTHS, month) && number(day, 1..=31) => {
            rest
        }
        _ => return false,
    };
    let rest = match rest {
        [year, rest @ ..] if number(year, 1970..=2099) => rest,
        rest => rest,
    };
    match rest {
        [] => true,
        [time] => is_time(time),
        [time, offset] => is_time(time) && is_offset(offset),
        _ => false,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '.', ',', '-']).filter(|word| !word.is_empty())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNDERSTOOD: &[&str] = &[
        "2024-05-01",
        "2024/05/01",
        "2024.05.01",
        "2024-05-01T12:30",
        "2024-05-01 12:30:59",
        "2024-05-01T12:30:59.250Z",
        "2024-05-01T12:30:59+02:00",
        "2024-05-01 12:30:59 -0700",
        "2024-02-29",
        "1714566659",
        "@1714566659",
        "now",
        "Yesterday",
        "midnight",
        "noon",
        "2 weeks ago",
        "2.weeks.ago",
        "1 week",
        "3 days ago",
        "one year 2 months ago",
        "1 year, 2 months ago",
        "last month",
        "last friday",
        "5 May 2024",
        "May 5",
        "Jan 5 2024 12:30",
        "Thu, 7 Apr 2005 22:13:13 +0200",
        " 2024-05-01 ",
    ];

    #[test]
    fn dates_that_git_understands_are_let_through() {
        for date in UNDERSTOOD {
            assert!(is_date(date), "{date}");
        }
    }

    /// Asks Git itself: none of them may be "now", by more than the time that this takes.
    #[test]
    fn git_agrees() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("a"), "").unwrap();
        crate::create_repository(folder.path(), "one\n").unwrap();
        let git = crate::Git::at(folder.path());
        let seconds = |date: &str| -> i64 {
            let output = git.command("rev-parse").option(format!("--since={date}")).output().unwrap();
            let text = String::from_utf8(output).unwrap();
            text.trim().strip_prefix("--max-age=").unwrap().parse().unwrap()
        };
        let now = seconds("now");
        // These are now, once a day or once a year.
        let recurring = ["now", "noon", "midnight", "May 5"];
        for date in UNDERSTOOD.iter().filter(|date| !recurring.contains(date)) {
            assert!((seconds(date) - now).abs() > 60, "{date}");
        }
        assert!((seconds("whenever") - now).abs() < 60, "Git has become strict, and this module can go");
    }

    #[test]
    fn what_git_would_take_for_now_is_refused() {
        for date in [
            "",
            " ",
            "whenever",
            "soon",
            "today",
            "tuesday",
            "sat 14:00",
            "yesterday noon",
            "@0",
            "12345678901",
            "99999 days ago",
            "100 years ago",
            "5 May 2024 12",
            "32 May",
            "5",
            "24",
            "2024",
            "2024-13-01",
            "2024-02-30",
            "2024-05-01x",
            "2024-05-01T25:00",
            "2024-05-01T12:30:00+2",
            "weeks ago",
            "ago",
            "last",
            "2 fortnights ago",
            "2 weeks from now",
            "two weeks hence",
            "may",
            "someday",
            "version 1.2",
            "monday 5",
            "12:30:00:00",
            "2024-05-01\0",
            "2 weeks\nago",
            "0000-01-01",
            "١٢٣",
            "2024-0\u{301}5-01",
        ] {
            assert!(!is_date(date), "{date:?}");
            assert!(check("since", date).is_err());
        }
    }
}
