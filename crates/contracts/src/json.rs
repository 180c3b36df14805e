//! Values as compact JSON, byte for byte as `serde_json` writes them, and faster: into a text, whose bytes are looked at
//! many in one step.

use std::fmt::{self, Write as _};

use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Appends a value. Ours have only text keys: this cannot fail.
pub(crate) fn write(text: &mut String, value: &(impl Serialize + ?Sized)) {
    let done = value.serialize(Writer { text });
    debug_assert!(done.is_ok());
}

/// Appends a text in quotes; almost every one can stand in them as it is.
pub(crate) fn quote(text: &mut String, value: &str) {
    text.reserve(value.len() + 2);
    text.push('"');
    if are_plain(value.as_bytes()) {
        text.push_str(value);
    } else {
        escape(text, value);
    }
    text.push('"');
}

fn is_plain(byte: u8) -> bool {
    byte >= b' ' && !matches!(byte, b'"' | b'\\')
}

/// Whether all of them are, eight at a time.
fn are_plain(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk() else { return bytes.iter().all(|byte| is_plain(*byte)) };
    let (words, _) = bytes.as_chunks();
    words.iter().all(|word| is_plain_word(*word)) && is_plain_word(*last)
}

/// A byte is less than another where taking that away borrows its highest bit, and zero where it is less than one.
fn is_plain_word(word: [u8; 8]) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST: u64 = ONES << 7;
    let word = u64::from_le_bytes(word);
    let less = |word: u64, than: u8| word.wrapping_sub(ONES * u64::from(than)) & !word;
    let is = |byte: u8| less(word ^ (ONES * u64::from(byte)), 1);
    (less(word, b' ') | is(b'"') | is(b'\\')) & HIGHEST == 0
}

fn escape(text: &mut String, value: &str) {
    let mut done = 0;
    for (at, byte) in value.bytes().enumerate().filter(|(_, byte)| !is_plain(*byte)) {
        text.push_str(&value[done..at]);
        done = at + 1;
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            0x08 => text.push_str("\\b"),
            0x0c => text.push_str("\\f"),
            other => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{other:04x}");
            }
        }
    }
    text.push_str(&value[done..]);
}

struct Writer<'t> {
    text: &'t mut String,
}

/// A list or an object that is not at its end.
struct Open<'t> {
    text: &'t mut String,
    is_first: bool,
    end: &'static str,
}

impl<'t> Writer<'t> {
    fn open(self, start: &str, end: &'static str) -> Open<'t> {
        self.text.push_str(start);
        Open { text: self.text, is_first: true, end }
    }

    /// `{"variant":…`, which what stands in it ends.
    fn variant(self, variant: &str, start: &str, end: &'static str) -> Open<'t> {
        self.text.push('{');
        quote(self.text, variant);
        self.text.push(':');
        self.open(start, end)
    }

    /// Numbers, as they are printed.
    fn shown(self, value: impl fmt::Display) -> fmt::Result {
        fmt::write(self.text, format_args!("{value}"))
    }

    /// What is rare is left to the one who knows all about it.
    fn odd(self, value: &impl Serialize) -> fmt::Result {
        self.text.push_str(&serde_json::to_string(value).map_err(fmt::Error::custom)?);
        Ok(())
    }
}

impl Open<'_> {
    fn next(&mut self) -> Writer<'_> {
        if !std::mem::replace(&mut self.is_first, false) {
            self.text.push(',');
        }
        Writer { text: self.text }
    }

    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> fmt::Result {
        value.serialize(self.next())
    }

    fn field(&mut self, key: &'static str, value: &(impl Serialize + ?Sized)) -> fmt::Result {
        let text = self.next().text;
        // A name of ours, which has nothing to escape.
        debug_assert!(are_plain(key.as_bytes()));
        text.push('"');
        text.push_str(key);
        text.push('"');
        self.value(value)
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) -> fmt::Result {
        self.text.push(':');
        value.serialize(Writer { text: self.text })
    }

    fn close(self) {
        self.text.push_str(self.end);
    }
}

impl<'t> Serializer for Writer<'t> {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Open<'t>;
    type SerializeTuple = Open<'t>;
    type SerializeTupleStruct = Open<'t>;
    type SerializeTupleVariant = Open<'t>;
    type SerializeMap = Open<'t>;
    type SerializeStruct = Open<'t>;
    type SerializeStructVariant = Open<'t>;

    fn serialize_bool(self, value: bool) -> fmt::Result {
        self.text.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> fmt::Result {
        self.shown(value)
    }

    fn serialize_i16(self, value: i16) -> fmt::Result {
        self.shown(value)
    }

    fn serialize_i32(self, value: i32) -> fmt::Result {
        self.shown(value)
    }

    fn serialize_i64(self, value: i64) -> fmt::Result {
        self.shown(value)
    }

    fn serialize_u8(self, value: u8) -> fmt::Result {
        self.shown(value)
    }

    fn serialize_u16(self, value: u16) -> fmt::Result {
        self.shown(value)
    }

    fn serialize_u32(self, value: u32) -> fmt::Result {
        self.shown(value)
    }

    fn serialize_u64(self, value: u64) -> fmt::Result {
        self.shown(value)
    }

    fn serialize_f32(self, value: f32) -> fmt::Result {
        self.odd(&value)
    }

    fn serialize_f64(self, value: f64) -> fmt::Result {
        self.odd(&value)
    }

    fn serialize_char(self, value: char) -> fmt::Result {
        self.odd(&value)
    }

    fn serialize_str(self, value: &str) -> fmt::Result {
        quote(self.text, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> fmt::Result {
        self.odd(&value)
    }

    fn serialize_none(self) -> fmt::Result {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> fmt::Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> fmt::Result {
        self.text.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> fmt::Result {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> fmt::Result {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> fmt::Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> fmt::Result {
        let mut whole = self.open("{", "}");
        whole.field(variant, value)?;
        whole.close();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'t>, fmt::Error> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'t>, fmt::Error> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'t>, fmt::Error> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'t>, fmt::Error> {
        Ok(self.variant(variant, "[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'t>, fmt::Error> {
        Ok(self.open("{", "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'t>, fmt::Error> {
        Ok(self.open("{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'t>, fmt::Error> {
        Ok(self.variant(variant, "{", "}}"))
    }
}

/// What has one form in JSON and several names in serde.
macro_rules! open_as {
    ($($kind:ident::$add:ident($($key:ident)?) is $own:ident;)+) => {$(
        impl $kind for Open<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn $add<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> fmt::Result {
                self.$own($($key,)? value)
            }

            fn end(self) -> fmt::Result {
                self.close();
                Ok(())
            }
        }
    )+};
}

open_as! {
    SerializeSeq::serialize_element() is element;
    SerializeTuple::serialize_element() is element;
    SerializeTupleStruct::serialize_field() is element;
    SerializeTupleVariant::serialize_field() is element;
    SerializeStruct::serialize_field(key) is field;
    SerializeStructVariant::serialize_field(key) is field;
}

impl SerializeMap for Open<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> fmt::Result {
        self.element(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.value(value)
    }

    fn end(self) -> fmt::Result {
        self.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    enum Any {
        Unit,
        New(u8),
        Tuple(i64, char),
        Struct { a: f64, b: Option<bool> },
    }

    #[derive(Serialize)]
    struct Whole<'a>(&'a [Any], (), BTreeMap<&'a str, Vec<f32>>);

    #[test]
    fn values_are_written_as_by_serde_json() {
        let any = [Any::Unit, Any::New(7), Any::Tuple(-9, '"'), Any::Struct { a: 1.0, b: None }];
        let lists = BTreeMap::from([("", vec![]), ("a\tb", vec![0.5, 1e30])]);
        let whole = Whole(&any, (), lists);
        let value = json!({"a": [1, -2, 3.5, true, null, {}, []], "b": {"c": "d\u{1}\n", "e": u64::MAX}});
        let mut text = String::new();
        write(&mut text, &(&whole, &value));
        assert_eq!(text, serde_json::to_string(&(&whole, &value)).unwrap());
    }

    #[test]
    fn a_text_is_quoted_as_json_has_it_wherever_its_escapes_stand() {
        for length in 0..40 {
            for at in 0..length {
                for odd in ["a", "\"", "\\", "\n", "\r", "\t", "\u{8}", "\u{c}", "\u{1f}", "\u{7f}", "ü"] {
                    let mut value = "x".repeat(length);
                    value.replace_range(at..=at, odd);
                    let mut text = String::new();
                    quote(&mut text, &value);
                    assert_eq!(text, serde_json::to_string(&value).unwrap());
                }
            }
        }
    }
}
