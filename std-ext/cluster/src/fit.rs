//! [`Fit`]: a model from files, by two queries that any number of machines may share.

use crate::session::{Progress, Session};
use crate::{Error, Labels, Model, Plan, constant, samples};
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::dataframe::DataFrame;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{Expr, ident, lit};
use ternion::fit::{Params, Statistics};
use ternion::learn::{Moments, Ridge, TargetMoments, TernaryRegressor};

/// What to fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Parquet or CSV files.
    pub files: Vec<String>,
    /// What to predict.
    pub outcome: Outcome,
    /// The columns of samples: one of vectors, or one for each input. `None` stands for the only column of vectors, or
    /// else for all columns of numbers but the one to predict.
    pub inputs: Option<Vec<String>>,
    /// The parameters of the features.
    pub params: Params,
    /// The ridge parameter.
    pub ridge: Ridge,
}

/// The column to predict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its values are the labels of classes.
    Label(String),
    /// Its values are numbers.
    Value(String),
}

impl Outcome {
    /// The name of the column.
    pub fn column(&self) -> &str {
        let (Self::Label(column) | Self::Value(column)) = self;
        column
    }
}

/// What a fit is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The first query: the mean and the variance of each input, and the labels.
    Statistics(Progress),
    /// The second query: the sums from which the model is solved.
    Moments(Progress),
    /// Solving it, in this process.
    Solve,
}

impl Fit {
    /// Fits. The same files give the same model, bit for bit, wherever and in however many partitions the session
    /// computes.
    ///
    /// # Errors
    ///
    /// [`Error::NoColumn`], [`Error::NoRows`], what the functions of this crate refuse in the data, and what
    /// [`Params::fit_statistics`] and [`Ridge::fit_moments`] refuse.
    pub async fn run(self, session: &Session, report: &dyn Fn(Step)) -> Result<Model, Error> {
        let data = session.read(&self.files).await?;
        let of = session.rows(&self.files).await?;
        let (samples, outcome) = columns(&data, self.inputs.as_deref(), self.outcome.column())?;
        let call = |name: &str, arguments: Vec<Expr>| -> Result<Expr, Error> {
            Ok(session.context().udaf(name)?.call(arguments))
        };

        let mut first = vec![call("ternion_statistics", samples.clone())?.alias("statistics")];
        let is_label = matches!(self.outcome, Outcome::Label(_));
        if is_label {
            first.push(call("ternion_labels", vec![outcome.clone()])?.alias("labels"));
        }
        let query = data.clone().aggregate(vec![], first)?;
        let sums = session.run(query, of, &|progress| report(Step::Statistics(progress))).await?;
        let statistics = Statistics::from_bytes(bytes(&sums, 0)?)?;
        let labels = is_label.then(|| Labels::from_bytes(bytes(&sums, 1)?)).transpose()?;
        let plan = Plan::new(self.params.fit_statistics(&statistics)?, labels);

        let name = if is_label { "ternion_moments" } else { "ternion_target_moments" };
        let literal = lit(constant::dictionary(plan.to_bytes()));
        let second = call(name, [samples, vec![outcome, literal]].concat())?.alias("moments");
        let query = data.aggregate(vec![], vec![second])?;
        let sums = session.run(query, of, &|progress| report(Step::Moments(progress))).await?;
        let moments = bytes(&sums, 0)?;

        report(Step::Solve);
        if is_label {
            let classifier = self.ridge.fit_moments(&Moments::from_bytes(moments)?)?;
            return Model::classifier(plan, classifier);
        }
        let model = self.ridge.fit_target_moments(&TargetMoments::from_bytes(moments)?)?;
        Ok(Model::Numbers(TernaryRegressor::new(plan.into_parts().0, model)?))
    }
}

/// Adds the predictions of a model to a table, in a column `prediction`. The samples are as in [`Fit::inputs`]; a column
/// `except` is left out.
///
/// # Errors
///
/// [`Error::NoColumn`], and those of the engine.
pub fn predict(
    session: &Session,
    data: DataFrame,
    inputs: Option<&[String]>,
    except: &str,
    model: &Model,
) -> Result<DataFrame, Error> {
    let mut arguments = inputs_of(&data, inputs, except)?;
    arguments.push(lit(model.to_bytes()));
    let call = session.context().udf("ternion_predict")?.call(arguments);
    Ok(data.with_column("prediction", call)?)
}

/// The only row of a result: the bytes in one of its columns.
fn bytes(result: &[RecordBatch], column: usize) -> Result<&[u8], Error> {
    let filled = result.iter().find(|batch| batch.num_rows() > 0);
    let column = filled.map(|batch| batch.column(column).as_binary::<i64>());
    column.filter(|column| !column.is_null(0)).map(|column| column.value(0)).ok_or(Error::NoRows)
}

/// The columns of samples, and the one to predict.
fn columns(
    data: &DataFrame,
    inputs: Option<&[String]>,
    outcome: &str,
) -> Result<(Vec<Expr>, Expr), Error> {
    Ok((inputs_of(data, inputs, outcome)?, column(data, outcome)?))
}

fn column(data: &DataFrame, name: &str) -> Result<Expr, Error> {
    let fields = data.schema().fields();
    if fields.iter().any(|field| field.name() == name) {
        return Ok(ident(name));
    }
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    Err(Error::NoColumn { name: name.to_string(), columns: names.join(", ") })
}

fn inputs_of(
    data: &DataFrame,
    inputs: Option<&[String]>,
    except: &str,
) -> Result<Vec<Expr>, Error> {
    if let Some(names) = inputs {
        return names.iter().map(|name| column(data, name)).collect();
    }
    let others = || data.schema().fields().iter().filter(|field| field.name() != except);
    let mut vectors = others().filter(|field| samples::is_vector(field.data_type()));
    if let (Some(vector), None) = (vectors.next(), vectors.next()) {
        return Ok(vec![ident(vector.name())]);
    }
    let numbers = others().filter(|field| samples::is_number(field.data_type()));
    Ok(numbers.map(|field| ident(field.name())).collect())
}
