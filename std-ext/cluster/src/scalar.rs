//! The scalar functions: features and predictions of every row.

use crate::plan::Cache;
use crate::samples::{self, Inputs};
use crate::{Error, Model, Plan, constant};
use datafusion::arrow::array::{ArrayRef, BinaryArray};
use datafusion::arrow::buffer::{Buffer, OffsetBuffer};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::ScalarValue;
use datafusion::error::Result as EngineResult;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A scalar function, by its name.
#[derive(Debug)]
pub(crate) struct Scalar {
    kind: Kind,
    signature: Signature,
    plans: Cache<Plan>,
    models: Cache<Model>,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// `ternion_features(x…, plan)`: packed features, `Binary`.
    Features,
    /// `ternion_predict(x…, model)`: labels, `Utf8`, or numbers, `Float32`.
    Predict,
}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::Features, Self::Predict];

    fn name(self) -> &'static str {
        match self {
            Self::Features => "ternion_features",
            Self::Predict => "ternion_predict",
        }
    }

    /// What the last argument is.
    fn constant(self) -> &'static str {
        match self {
            Self::Features => "plan",
            Self::Predict => "model",
        }
    }
}

impl Scalar {
    pub(crate) fn new(kind: Kind) -> Self {
        let signature = Signature::user_defined(Volatility::Immutable);
        Self { kind, signature, plans: Cache::new(), models: Cache::new() }
    }

    fn coerce(&self, types: &[DataType]) -> Result<Vec<DataType>, Error> {
        match types {
            [samples @ .., constant] if !samples.is_empty() => {
                if !constant::is_bytes(constant) {
                    return Err(Error::NotConstant { what: self.kind.constant() });
                }
                Ok([samples::coerce(samples)?, vec![constant.clone()]].concat())
            }
            _ => Err(Error::Arguments {
                function: self.kind.name(),
                expected: match self.kind {
                    Kind::Features => "samples and a plan",
                    Kind::Predict => "samples and a model",
                },
                found: types.len(),
            }),
        }
    }

    fn return_type(&self, constant: Option<&ScalarValue>) -> Result<DataType, Error> {
        match self.kind {
            Kind::Features => Ok(DataType::Binary),
            Kind::Predict => {
                let bytes = constant::bytes(constant, self.kind.constant())?;
                Ok(self.models.get(bytes, Model::from_bytes)?.output_type())
            }
        }
    }

    fn compute(&self, samples: &[ArrayRef], constant: &ScalarValue) -> Result<ArrayRef, Error> {
        let bytes = constant::bytes(Some(constant), self.kind.constant())?;
        let inputs = Inputs::new(samples)?;
        match self.kind {
            Kind::Features => pack(&*self.plans.get(bytes, Plan::from_bytes)?, &inputs),
            Kind::Predict => {
                let model = self.models.get(bytes, Model::from_bytes)?;
                inputs.with(|samples| model.predict(samples))
            }
        }
    }
}

/// The packed features of each sample: its signs, then its masks, as 64-bit little-endian words.
fn pack(plan: &Plan, inputs: &Inputs) -> Result<ArrayRef, Error> {
    let features = inputs.with(|samples| Ok(plan.ternary().transform(samples)?))?;
    let (rows, trits) = (features.len(), features.trits());
    let words = trits.sign().len() / rows;
    let bytes = 16 * words;
    if rows.checked_mul(bytes).is_none_or(|all| i32::try_from(all).is_err()) {
        return Err(Error::BatchTooLarge { rows, bytes });
    }
    let mut packed = Vec::with_capacity(2 * words * rows);
    for (sign, mask) in trits.sign().chunks(words).zip(trits.mask().chunks(words)) {
        packed.extend_from_slice(sign);
        packed.extend_from_slice(mask);
    }
    packed.iter_mut().for_each(|word| *word = u64::to_le(*word));
    let offsets = OffsetBuffer::from_repeated_length(bytes, rows);
    Ok(Arc::new(BinaryArray::new(offsets, Buffer::from_vec(packed), None)))
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Scalar {}

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

impl ScalarUDFImpl for Scalar {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn schema_name(&self, arguments: &[Expr]) -> EngineResult<String> {
        let names = constant::shortened(arguments);
        let names: Vec<String> = names.iter().map(|name| name.schema_name().to_string()).collect();
        Ok(format!("{}({})", self.kind.name(), names.join(",")))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> EngineResult<Vec<DataType>> {
        Ok(self.coerce(types)?)
    }

    fn return_type(&self, _types: &[DataType]) -> EngineResult<DataType> {
        Ok(Self::return_type(self, None)?)
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> EngineResult<FieldRef> {
        let constant = arguments.scalar_arguments.last().copied().flatten();
        let kind = Self::return_type(self, constant)?;
        Ok(Arc::new(Field::new(self.kind.name(), kind, true)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> EngineResult<ColumnarValue> {
        let rows = arguments.number_rows;
        if rows == 0 {
            let empty = ScalarValue::try_from(arguments.return_type())?.to_array_of_size(0)?;
            return Ok(ColumnarValue::Array(empty));
        }
        let what = self.kind.constant();
        let Some((ColumnarValue::Scalar(constant), samples)) = arguments.args.split_last() else {
            return Err(Error::NotConstant { what }.into());
        };
        let columns = samples.iter().map(|column| column.to_array(rows));
        let columns = columns.collect::<EngineResult<Vec<ArrayRef>>>()?;
        Ok(ColumnarValue::Array(self.compute(&columns, constant)?))
    }
}
