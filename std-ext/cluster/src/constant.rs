//! Plans and models as arguments: constants of bytes.

use crate::Error;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, lit};

/// Whether an argument of the type can be a plan or a model.
pub(crate) fn is_bytes(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_bytes(values),
        other => other.is_binary() || *other == DataType::BinaryView,
    }
}

/// The bytes of a constant.
///
/// # Errors
///
/// [`Error::NotConstant`] for anything else; `what` says what was wanted.
pub(crate) fn bytes<'a>(
    constant: Option<&'a ScalarValue>,
    what: &'static str,
) -> Result<&'a [u8], Error> {
    match constant {
        Some(ScalarValue::Dictionary(_, value)) => bytes(Some(value), what),
        Some(
            ScalarValue::Binary(Some(bytes))
            | ScalarValue::LargeBinary(Some(bytes))
            | ScalarValue::BinaryView(Some(bytes))
            | ScalarValue::FixedSizeBinary(_, Some(bytes)),
        ) => Ok(bytes),
        _ => Err(Error::NotConstant { what }),
    }
}

/// A constant of bytes as an argument of the aggregates.
///
/// The engine repeats an argument of an aggregate for every row of a batch; in a dictionary only a number is repeated,
/// instead of kilobytes.
pub(crate) fn dictionary(bytes: Vec<u8>) -> ScalarValue {
    let value = ScalarValue::Binary(Some(bytes));
    ScalarValue::Dictionary(Box::new(DataType::Int8), Box::new(value))
}

/// The type of such an argument.
pub(crate) fn dictionary_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Binary))
}

/// The arguments of a call with a hash of bytes instead of the bytes, for the name of its column.
pub(crate) fn shortened(arguments: &[Expr]) -> Vec<Expr> {
    let short = |argument: &Expr| match argument {
        Expr::Literal(value, _) => match bytes(Some(value), "") {
            Ok(bytes) => lit(format!("{:016x}", hash(bytes))),
            Err(_) => argument.clone(),
        },
        other => other.clone(),
    };
    arguments.iter().map(short).collect()
}

/// Fowler, Noll and Vo's FNV-1a. A CRC-32 would not do: it is the same for all bytes that end with their own.
fn hash(bytes: &[u8]) -> u64 {
    let next = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, next)
}
