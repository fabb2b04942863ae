//! JSON from files of others: an error names the field and what it must be.

use afterstate_core::plain_error::{Format, plain};
use serde::de::DeserializeOwned;

/// Reads a value, or says in a sentence what is wrong.
pub fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut from).map_err(sentence)?;
    from.end().map_err(|error| plain(Format::Json, "", &error.to_string()))?;
    Ok(value)
}

/// Converts a value, or says in a sentence what is wrong.
pub(crate) fn from_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(sentence)
}

#[allow(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn sentence(error: serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = error.path().to_string();
    let path = if path == "." { "" } else { &path };
    plain(Format::Json, path, &error.inner().to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn errors_name_the_field() {
        let read = |text: &str| read_json::<BTreeMap<String, Vec<u64>>>(text.as_bytes());
        assert!(read("{\"a\": [1]} ").is_ok());
        for (text, sentence) in [
            ("{\"a\": [1, -1]}", "a[1] is -1, but must be a whole number, 0 or more at line 1"),
            ("{\"a\": {}}", "a is an object, but must be a list at line 1"),
            ("[]", "the file is a list, but must be an object at line 1"),
            ("{\"a\": [1]} x", "trailing characters at line 1"),
            ("", "EOF while parsing a value at line 1"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(sentence), "{error}");
        }
    }
}
