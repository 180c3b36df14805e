//! What the provider answered, understood or refused: one vector per text, all of one length, every number finite.

use becket_base::counted;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Row {
    embedding: Vec<f32>,
    /// Some servers leave it out; the order holds then.
    index: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct Failure {
    error: Reason,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reason {
    Object { message: String },
    Text(String),
}

/// Far beyond every known model.
const MOST_DIMENSIONS: usize = 16_384;
const LONGEST_REASON: usize = 200;

/// The vectors of an answer to `count` texts, in the order of the texts.
pub(crate) fn vectors(body: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| {
        // Only where and what kind: the body may repeat what was sent.
        format!("no list of vectors ({:?} error in line {})", error.classify(), error.line())
    })?;
    if answer.data.len() != count {
        return Err(format!("{} for {}", counted(answer.data.len(), "vector"), counted(count, "text")));
    }
    let dimensions = answer.data.first().map_or(0, |row| row.embedding.len());
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (place, row) in answer.data.into_iter().enumerate() {
        let at = row.index.unwrap_or(place);
        let length = row.embedding.len();
        if length == 0 || length > MOST_DIMENSIONS {
            return Err(format!("a vector of {}", counted(length, "number")));
        }
        if length != dimensions {
            return Err(format!("vectors of {dimensions} and of {}", counted(length, "number")));
        }
        if !row.embedding.iter().all(|number| number.is_finite()) {
            return Err("a number that is not finite".to_owned());
        }
        let slot = vectors.get_mut(at).ok_or_else(|| format!("a vector for text {at} of {count}"))?;
        if slot.replace(row.embedding).is_some() {
            return Err(format!("two vectors for text {at}"));
        }
    }
    Ok(vectors.into_iter().flatten().collect())
}

/// The provider's own words about a failure, on one bounded line; empty if it said nothing that can be shown.
pub(crate) fn reason(body: &[u8]) -> String {
    let Ok(failure) = serde_json::from_slice::<Failure>(body) else { return String::new() };
    let text = match failure.error {
        Reason::Object { message } => message,
        Reason::Text(text) => text,
    };
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    becket_base::clip(line.trim(), LONGEST_REASON).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_orders_and_its_absence_does_not_matter() {
        let body = br#"{"data":[{"index":1,"embedding":[2.0]},{"index":0,"embedding":[1.0]}]}"#;
        assert_eq!(vectors(body, 2).unwrap(), [[1.0], [2.0]]);
        let body = br#"{"object":"list","data":[{"embedding":[1.0]},{"embedding":[2.0]}],"model":"m"}"#;
        assert_eq!(vectors(body, 2).unwrap(), [[1.0], [2.0]]);
    }

    #[test]
    fn what_does_not_fit_is_refused_in_words() {
        let wrong = |body: &str, count| vectors(body.as_bytes(), count).unwrap_err();
        assert_eq!(wrong(r#"{"data":[]}"#, 1), "0 vectors for 1 text");
        assert_eq!(wrong(r#"{"data":[{"embedding":[]}]}"#, 1), "a vector of 0 numbers");
        assert_eq!(
            wrong(r#"{"data":[{"embedding":[1]},{"embedding":[1,2]}]}"#, 2),
            "vectors of 1 and of 2 numbers"
        );
        assert_eq!(
            wrong(r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#, 2),
            "two vectors for text 0"
        );
        assert_eq!(wrong(r#"{"data":[{"index":7,"embedding":[1]}]}"#, 1), "a vector for text 7 of 1");
        // Which of the two depends on whether anything in the build asks serde_json for exact floats.
        let huge = wrong(r#"{"data":[{"embedding":[1e99]}]}"#, 1);
        assert!(huge.contains("finite") || huge.starts_with("no list of vectors"), "{huge}");
        assert!(wrong("<html>", 1).starts_with("no list of vectors"));
        assert!(wrong(r#"{"vectors":[[1]]}"#, 1).starts_with("no list of vectors"));
    }

    #[test]
    fn a_reason_is_one_bounded_line() {
        assert_eq!(reason(br#"{"error":{"message":"no such\nmodel","type":"x"}}"#), "no such model");
        assert_eq!(reason(br#"{"error":"busy"}"#), "busy");
        assert_eq!(reason(b"<html>"), "");
        let long = format!(r#"{{"error":"{}"}}"#, "x".repeat(10_000));
        assert!(reason(long.as_bytes()).len() < 300);
    }
}
