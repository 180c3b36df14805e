//! Vectors made on this machine from the letters of the words, for `local`: no server, no key, no model. Texts that share
//! words or parts of words come out alike; what a text means is beyond it.

/// Few enough to keep thousands, many enough that words seldom meet.
const DIMENSIONS: usize = 256;
const LETTERS: usize = 3;

pub(crate) fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; DIMENSIONS];
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let padded: Vec<char> =
            std::iter::once('^').chain(word.chars().flat_map(char::to_lowercase)).chain(['$']).collect();
        for piece in padded.windows(LETTERS.min(padded.len())) {
            let hash = digest(piece);
            let sign = if hash & 1 == 0 { 1.0 } else { -1.0 };
            let place = usize::try_from(hash >> 1).unwrap_or_default() % DIMENSIONS;
            vector[place] += sign;
        }
    }
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in &mut vector {
            *number /= length;
        }
    }
    vector
}

/// FNV-1a, folded to 32 bits so that every machine finds the same place.
fn digest(piece: &[char]) -> u32 {
    piece.iter().fold(0x811c_9dc5, |hash: u32, letter| (hash ^ u32::from(*letter)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::embed;
    use crate::cosine;

    #[test]
    fn shared_words_make_texts_alike() {
        let one = embed("retry the request after a timeout");
        let near = embed("the requests are retried after timeouts");
        let far = embed("colour palette for dark mode");
        assert!(cosine(&one, &near) > cosine(&one, &far) + 0.2);
        assert!((cosine(&one, &embed("Retry the REQUEST after a timeout")) - 1.0).abs() < 1e-6);
        assert!(embed("").iter().all(|number| number.abs() < f32::EPSILON));
    }
}
