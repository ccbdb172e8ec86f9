//! The aggregates: sums over rows that any number of executors may add up in any order.

use crate::plan::Cache;
use crate::samples::{self, Inputs, floats, refuse_nulls};
use crate::sums::{Accumulator, Addends};
use crate::{Error, Labels, Plan, constant, labels};
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::error::Result as EngineResult;
use datafusion::logical_expr::expr::AggregateFunctionParams;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator as EngineAccumulator, AggregateUDFImpl, ColumnarValue, Signature, Volatility,
    udaf_default_display_name, udaf_default_human_display, udaf_default_schema_name,
};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use ternion::fit::Statistics;
use ternion::learn::{Moments, TargetMoments};
use ternion::{Features, Matrix};

/// An aggregate, by its name.
#[derive(Debug)]
pub(crate) struct Aggregate {
    kind: Kind,
    signature: Signature,
    plans: Cache<Plan>,
}

/// What is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// `ternion_statistics(x…)`: [`Statistics`].
    Statistics,
    /// `ternion_labels(label)`: [`Labels`].
    Labels,
    /// `ternion_moments(x…, label, plan)`: [`Moments`].
    Moments,
    /// `ternion_target_moments(x…, target, plan)`: [`TargetMoments`].
    TargetMoments,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] =
        [Self::Statistics, Self::Labels, Self::Moments, Self::TargetMoments];

    fn name(self) -> &'static str {
        match self {
            Self::Statistics => "ternion_statistics",
            Self::Labels => "ternion_labels",
            Self::Moments => "ternion_moments",
            Self::TargetMoments => "ternion_target_moments",
        }
    }

    /// The types to which the engine casts the arguments.
    fn coerce(self, types: &[DataType]) -> Result<Vec<DataType>, Error> {
        let refused =
            |expected| Error::Arguments { function: self.name(), expected, found: types.len() };
        match (self, types) {
            (Self::Statistics, []) => Err(refused("samples")),
            (Self::Statistics, samples) => samples::coerce(samples),
            (Self::Labels, [label]) => Ok(vec![labels::coerce(label)?]),
            (Self::Labels, _) => Err(refused("a label")),
            (_, [samples @ .., y, plan]) if !samples.is_empty() => {
                let y = match self {
                    Self::Moments => labels::coerce(y)?,
                    _ if samples::is_number(y) => DataType::Float32,
                    _ => return Err(Error::TargetType { found: y.to_string() }),
                };
                if !constant::is_bytes(plan) {
                    return Err(Error::NotConstant { what: "plan" });
                }
                Ok([samples::coerce(samples)?, vec![y, constant::dictionary_type()]].concat())
            }
            (Self::Moments, _) => Err(refused("samples, a label and a plan")),
            (Self::TargetMoments, _) => Err(refused("samples, a target and a plan")),
        }
    }
}

impl Aggregate {
    pub(crate) fn new(kind: Kind) -> Self {
        let signature = Signature::user_defined(Volatility::Immutable);
        Self { kind, signature, plans: Cache::new() }
    }

    /// The plan of a call, the last of its arguments.
    fn plan(&self, arguments: &AccumulatorArgs<'_>) -> EngineResult<Arc<Plan>> {
        let no_rows = RecordBatch::new_empty(Arc::new(arguments.schema.clone()));
        let plan = arguments.exprs.last().map(|plan| plan.evaluate(&no_rows)).transpose()?;
        let plan = match &plan {
            Some(ColumnarValue::Scalar(plan)) => Some(plan),
            _ => None,
        };
        Ok(self.plans.get(constant::bytes(plan, "plan")?, Plan::from_bytes)?)
    }
}

impl PartialEq for Aggregate {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Aggregate {}

impl Hash for Aggregate {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

impl AggregateUDFImpl for Aggregate {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn schema_name(&self, call: &AggregateFunctionParams) -> EngineResult<String> {
        udaf_default_schema_name(self, &shortened(call))
    }

    fn display_name(&self, call: &AggregateFunctionParams) -> EngineResult<String> {
        udaf_default_display_name(self, &shortened(call))
    }

    fn human_display(&self, call: &AggregateFunctionParams) -> EngineResult<String> {
        udaf_default_human_display(self, &shortened(call))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> EngineResult<Vec<DataType>> {
        Ok(self.kind.coerce(types)?)
    }

    /// `Binary` holds 2 GB, which are the sums of 32,000 features.
    fn return_type(&self, _types: &[DataType]) -> EngineResult<DataType> {
        Ok(DataType::LargeBinary)
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> EngineResult<Vec<FieldRef>> {
        let name = format_state_name(arguments.name, "sums");
        Ok(vec![Arc::new(Field::new(name, DataType::LargeBinary, true))])
    }

    /// Sums are exact, so their order does not matter.
    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn accumulator(
        &self,
        arguments: AccumulatorArgs<'_>,
    ) -> EngineResult<Box<dyn EngineAccumulator>> {
        if arguments.is_distinct {
            return Err(Error::Distinct { function: self.kind.name() }.into());
        }
        Ok(match self.kind {
            Kind::Statistics => Box::new(Accumulator::new(OfSamples)),
            Kind::Labels => Box::new(Accumulator::new(OfLabels)),
            Kind::Moments => Box::new(Accumulator::new(OfClasses(self.plan(&arguments)?))),
            Kind::TargetMoments => Box::new(Accumulator::new(OfTargets(self.plan(&arguments)?))),
        })
    }
}

/// A call without the bytes of its plan.
fn shortened(call: &AggregateFunctionParams) -> AggregateFunctionParams {
    AggregateFunctionParams {
        args: constant::shortened(&call.args),
        distinct: call.distinct,
        filter: call.filter.clone(),
        order_by: call.order_by.clone(),
        null_treatment: call.null_treatment,
    }
}

struct OfSamples;

impl Addends for OfSamples {
    type Sums = Statistics;

    fn zeros(&self, columns: &[ArrayRef]) -> Result<Statistics, Error> {
        Inputs::new(columns)?.with(|samples| Ok(Statistics::new(samples.inputs())?))
    }

    fn add(&self, sums: &mut Statistics, columns: &[ArrayRef]) -> Result<(), Error> {
        Inputs::new(columns)?.with(|samples| Ok(sums.add(samples)?))
    }
}

struct OfLabels;

impl Addends for OfLabels {
    type Sums = Labels;

    fn zeros(&self, columns: &[ArrayRef]) -> Result<Labels, Error> {
        Labels::of(&columns[0].slice(0, 0))
    }

    fn add(&self, sums: &mut Labels, columns: &[ArrayRef]) -> Result<(), Error> {
        sums.merge(&Labels::of(&columns[0])?)
    }
}

struct OfClasses(Arc<Plan>);

impl Addends for OfClasses {
    type Sums = Moments;

    fn zeros(&self, _columns: &[ArrayRef]) -> Result<Moments, Error> {
        let labels = self.0.labels().ok_or(Error::NoLabels)?;
        Ok(Moments::new(self.0.ternary(), labels.count())?)
    }

    fn add(&self, sums: &mut Moments, columns: &[ArrayRef]) -> Result<(), Error> {
        let (samples, label) = split(columns);
        let classes = self.0.labels().ok_or(Error::NoLabels)?.classes(label)?;
        Ok(sums.add(&features(&self.0, samples)?, &classes)?)
    }
}

struct OfTargets(Arc<Plan>);

impl Addends for OfTargets {
    type Sums = TargetMoments;

    fn zeros(&self, _columns: &[ArrayRef]) -> Result<TargetMoments, Error> {
        Ok(TargetMoments::new(self.0.ternary(), 1)?)
    }

    fn add(&self, sums: &mut TargetMoments, columns: &[ArrayRef]) -> Result<(), Error> {
        let (samples, target) = split(columns);
        refuse_nulls(target, "target")?;
        let targets = Matrix::from_vec(target.len(), 1, floats(target)?.values().to_vec())?;
        Ok(sums.add(&features(&self.0, samples)?, &targets)?)
    }
}

/// The samples and what belongs to them, of the columns x…, y, plan.
fn split(columns: &[ArrayRef]) -> (&[ArrayRef], &ArrayRef) {
    let y = columns.len() - 2;
    (&columns[..y], &columns[y])
}

fn features(plan: &Plan, samples: &[ArrayRef]) -> Result<Features, Error> {
    Inputs::new(samples)?.with(|samples| Ok(plan.ternary().transform(samples)?))
}
