//! Numbers and texts as bytes, and back: what the files of becket's caches are made of.

#[derive(Debug, Default)]
pub struct Encoder {
    pub bytes: Vec<u8>,
}

impl Encoder {
    pub fn count(&mut self, count: usize) {
        self.word(count as u64);
    }

    pub fn word(&mut self, word: u64) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// A number that is small almost always: seven bits a byte.
    #[inline]
    pub fn small(&mut self, mut number: usize) {
        loop {
            let [low, ..] = number.to_le_bytes();
            number >>= 7;
            if number == 0 {
                self.bytes.push(low & 0x7f);
                return;
            }
            self.bytes.push(low | 0x80);
        }
    }

    pub fn text(&mut self, text: &str) {
        self.small(text.len());
        self.bytes.extend(text.as_bytes());
    }
}

/// Every reading may fail: the bytes are whatever a disk held.
#[derive(Debug)]
pub struct Decoder<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    #[inline]
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub fn word(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }

    #[inline]
    pub fn small(&mut self) -> Option<usize> {
        match self.bytes.split_first() {
            Some((byte, rest)) if byte & 0x80 == 0 => {
                self.bytes = rest;
                Some(usize::from(*byte))
            }
            _ => self.not_so_small(),
        }
    }

    fn not_so_small(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0_usize, 0);
        for (at, byte) in self.bytes.iter().enumerate() {
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                self.bytes = &self.bytes[at + 1..];
                return Some(number);
            }
        }
        None
    }

    pub fn text(&mut self) -> Option<String> {
        self.str().map(str::to_owned)
    }

    pub fn str(&mut self) -> Option<&'a str> {
        let length = self.small()?;
        std::str::from_utf8(self.take(length)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let mut encoder = Encoder::default();
        let numbers = [0, 1, 127, 128, 300, 65_535, usize::MAX];
        for number in numbers {
            encoder.small(number);
        }
        encoder.text("räder");
        encoder.count(7);
        let mut decoder = Decoder { bytes: &encoder.bytes };
        for number in numbers {
            assert_eq!(decoder.small(), Some(number));
        }
        assert_eq!(decoder.text().as_deref(), Some("räder"));
        assert_eq!(decoder.count(), Some(7));
        assert_eq!(decoder.byte(), None);
        assert_eq!(Decoder { bytes: &[0xff; 11] }.small(), None);
        assert_eq!(Decoder { bytes: &[5, b'a'] }.text(), None);
    }
}
