//! The bytes of a model as Rust or C source.

use super::ExportError;
use std::fmt::Write;

/// Refuses a name that is not an identifier in both Rust and C.
pub(super) fn check_name(name: &str) -> Result<(), ExportError> {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let first = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if letters && first && name != "_" {
        Ok(())
    } else {
        Err(ExportError::Name { name: name.into() })
    }
}

/// The bytes in hexadecimal, sixteen per line.
fn lines(bytes: &[u8]) -> String {
    let mut text = String::new();
    for line in bytes.chunks(16) {
        text.push_str("   ");
        for byte in line {
            // Writing to a String cannot fail.
            let _ = write!(text, " 0x{byte:02x},");
        }
        text.push('\n');
    }
    text
}

/// A Rust `static`.
pub(super) fn rust(bytes: &[u8], name: &str) -> String {
    let (length, lines) = (bytes.len(), lines(bytes));
    format!(
        "/// A ternion model of {length} bytes, for `ternion_core::model::Model::from_bytes`.\n\
         #[rustfmt::skip]\n\
         pub static {name}: [u8; {length}] = [\n{lines}];\n"
    )
}

/// A C header.
pub(super) fn c(bytes: &[u8], name: &str) -> String {
    let (length, lines) = (bytes.len(), lines(bytes));
    let guard = format!("TERNION_{}_H", name.to_uppercase());
    format!(
        "/* A ternion model of {length} bytes. */\n\
         #ifndef {guard}\n#define {guard}\n\n\
         #include <stdint.h>\n\n\
         static const uint8_t {name}[{length}] = {{\n{lines}}};\n\n\
         #endif\n"
    )
}
