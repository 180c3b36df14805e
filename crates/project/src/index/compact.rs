//! Values as `MessagePack` in which fields and the forms of an enum are called by their places. Derived readers know them by
//! these as well as by name, and names would be a quarter of what is kept of a file.

use serde::de::value::Error;
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Appends what it is given to some bytes.
pub(super) struct Compact<'a> {
    pub(super) bytes: &'a mut Vec<u8>,
}

/// The forms of something that has a length: up to how much it stands in the first byte, and that; then the first bytes of
/// those with one, two and four bytes of length.
struct Form {
    short: u32,
    first: u8,
    longer: [u8; 3],
}

/// Of these two, nothing has a length of one byte.
const LIST: Form = Form { short: 16, first: 0x90, longer: [0xdc, 0xdc, 0xdd] };
const MAP: Form = Form { short: 16, first: 0x80, longer: [0xde, 0xde, 0xdf] };
const TEXT: Form = Form { short: 32, first: 0xa0, longer: [0xd9, 0xda, 0xdb] };
const BYTES: Form = Form { short: 0, first: 0, longer: [0xc4, 0xc5, 0xc6] };
const NUMBER: Form = Form { short: 128, first: 0, longer: [0xcc, 0xcd, 0xce] };
const LONG_NUMBER: u8 = 0xcf;
const BELOW_ZERO: u8 = 0xd3;
const FRACTION: u8 = 0xcb;
const NOTHING: u8 = 0xc0;
const FALSE: u8 = 0xc2;
const TRUE: u8 = 0xc3;
/// One form of an enum and what it holds.
const ONE_FORM: u8 = MAP.first + 1;

impl Compact<'_> {
    #[inline]
    fn head(&mut self, form: &Form, length: u32) {
        match u8::try_from(length) {
            Ok(short) if length < form.short => self.bytes.push(form.first | short),
            _ => self.long_head(form, length),
        }
    }

    fn long_head(&mut self, form: &Form, length: u32) {
        let [one, two, four] = form.longer;
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(length), _) if one != two => self.bytes.extend_from_slice(&[one, length]),
            (_, Ok(length)) => {
                let [high, low] = length.to_be_bytes();
                self.bytes.extend_from_slice(&[two, high, low]);
            }
            _ => {
                self.bytes.push(four);
                self.bytes.extend_from_slice(&length.to_be_bytes());
            }
        }
    }

    #[inline]
    fn sized(&mut self, form: &Form, length: usize) -> Result<(), Error> {
        self.head(form, u32::try_from(length).map_err(serde::ser::Error::custom)?);
        Ok(())
    }

    fn long(&mut self, form: u8, bits: u64) {
        self.bytes.push(form);
        self.bytes.extend_from_slice(&bits.to_be_bytes());
    }

    fn form(&mut self, place: u32) {
        self.bytes.push(ONE_FORM);
        self.head(&NUMBER, place);
    }
}

impl<'c, 'b> Serializer for &'c mut Compact<'b> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Fields<'c, 'b>;
    type SerializeStructVariant = Fields<'c, 'b>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.bytes.push(if value { TRUE } else { FALSE });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        if let Ok(value) = u64::try_from(value) {
            return self.serialize_u64(value);
        }
        self.long(BELOW_ZERO, value.cast_unsigned());
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        match u32::try_from(value) {
            Ok(value) => self.head(&NUMBER, value),
            Err(_) => self.long(LONG_NUMBER, value),
        }
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.long(FRACTION, value.to_bits());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.sized(&TEXT, value.len())?;
        self.bytes.extend_from_slice(value.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.sized(&BYTES, value.len())?;
        self.bytes.extend_from_slice(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.bytes.push(NOTHING);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.sized(&LIST, 0)
    }

    fn serialize_unit_variant(self, _: &'static str, place: u32, _: &'static str) -> Result<(), Error> {
        self.head(&NUMBER, place);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        place: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.form(place);
        value.serialize(self)
    }

    /// Our own lists know how long they are.
    fn serialize_seq(self, length: Option<usize>) -> Result<Self, Error> {
        self.sized(&LIST, length.ok_or_else(unknown_length)?)?;
        Ok(self)
    }

    fn serialize_tuple(self, length: usize) -> Result<Self, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Self, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        place: u32,
        _: &'static str,
        length: usize,
    ) -> Result<Self, Error> {
        self.form(place);
        self.serialize_seq(Some(length))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, Error> {
        self.sized(&MAP, length.ok_or_else(unknown_length)?)?;
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Fields<'c, 'b>, Error> {
        self.sized(&MAP, length)?;
        Ok(Fields { compact: self, place: 0 })
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        place: u32,
        _: &'static str,
        length: usize,
    ) -> Result<Fields<'c, 'b>, Error> {
        self.form(place);
        self.serialize_struct(name, length)
    }
}

fn unknown_length() -> Error {
    serde::ser::Error::custom("a list without a length")
}

/// The fields of a value; those that are left out have a place too.
pub(super) struct Fields<'c, 'b> {
    compact: &'c mut Compact<'b>,
    place: u32,
}

impl Fields<'_, '_> {
    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.compact.head(&NUMBER, self.place);
        self.place += 1;
        value.serialize(&mut *self.compact)
    }
}

/// What has one form here and several names in serde: values, one behind the other.
macro_rules! list_as {
    ($($kind:ident::$add:ident)+) => {$(
        impl $kind for &mut Compact<'_> {
            type Ok = ();
            type Error = Error;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        }
    )+};
}

list_as! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

impl SerializeMap for &mut Compact<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

/// The same for fields.
macro_rules! fields_as {
    ($($kind:ident)+) => {$(
        impl $kind for Fields<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(value)
            }

            fn skip_field(&mut self, _: &'static str) -> Result<(), Error> {
                self.place += 1;
                Ok(())
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        }
    )+};
}

fields_as! { SerializeStruct SerializeStructVariant }

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Value {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left_out: Option<u8>,
        numbers: (Vec<u64>, i64, f64, char),
        #[serde(skip)]
        unknown: u8,
        texts: Vec<String>,
        forms: Vec<Form>,
        #[serde(rename = "other")]
        named: BTreeMap<String, Option<bool>>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Form {
        Plain,
        Of(u32),
        Two(u32, bool),
        Named {
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            left_out: Vec<u8>,
            there: String,
        },
    }

    #[test]
    fn what_is_written_by_places_is_read_by_names() {
        let lengths = [0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536];
        for length in lengths {
            let named = Form::Named { left_out: Vec::new(), there: "räder".to_owned() };
            let value = Value {
                left_out: None,
                numbers: (
                    vec![length as u64, u64::MAX, 127, 128],
                    -1 - i64::try_from(length).unwrap(),
                    0.5,
                    'ß',
                ),
                unknown: 0,
                texts: vec!["x".repeat(length), String::new()],
                forms: vec![Form::Plain, Form::Of(7), Form::Two(300, true), named],
                named: (0..length).map(|at| (at.to_string(), (at > 0).then_some(at > 1))).collect(),
            };
            let mut bytes = Vec::new();
            value.serialize(&mut Compact { bytes: &mut bytes }).unwrap();
            assert_eq!(rmp_serde::from_slice::<Value>(&bytes).unwrap(), value);
            assert!(!bytes.windows(5).any(|some| some == b"other"));
        }
    }
}
