//! [`Error`]: what the functions and the driver refuse, with the numbers that say why and what to do about it.

use datafusion::error::DataFusionError;
use std::fmt;
use thiserror::Error as ThisError;

/// Why a query or a fit was refused.
///
/// `Debug` prints the message as well: it is how Ballista reports the error of a task to the one who asked.
#[derive(ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The library refused sizes, numbers or bytes.
    #[error("{0}")]
    Ternion(#[from] ternion::Error),
    /// The engine failed.
    #[error("{0}")]
    Engine(#[from] Box<DataFusionError>),
    /// A call without enough arguments.
    #[error("{function} takes {expected}, found {found} arguments")]
    Arguments {
        /// The function.
        function: &'static str,
        /// What it takes.
        expected: &'static str,
        /// Arguments given.
        found: usize,
    },
    /// Columns that are not samples.
    #[error(
        "samples are one column of lists of numbers, or columns of numbers; found {found}: \
         cast the column or leave it out"
    )]
    SampleType {
        /// The type found.
        found: String,
    },
    /// A column that holds no labels.
    #[error(
        "labels are integers, booleans or text; found {found}: cast the column, \
         or fit its numbers by ternion_target_moments (--value)"
    )]
    LabelType {
        /// The type found.
        found: String,
    },
    /// A column that holds no targets.
    #[error(
        "targets are numbers, found {found}: cast the column, or fit classes by ternion_moments (--label)"
    )]
    TargetType {
        /// The type found.
        found: String,
    },
    /// Labels of another type than before.
    #[error("labels are {expected}, found {found}: give all of them the same type")]
    OtherLabels {
        /// The type before.
        expected: &'static str,
        /// The other type.
        found: &'static str,
    },
    /// A plan or a model that differs from row to row, or is missing.
    #[error("the {what} must be one constant of bytes that is not null")]
    NotConstant {
        /// A plan or a model.
        what: &'static str,
    },
    /// A null where there should be a vector, a number or a label.
    #[error("row {row} of a batch has a null {what}: leave such rows out with WHERE … IS NOT NULL")]
    Null {
        /// Its row in the batch of the engine.
        row: usize,
        /// What is null.
        what: &'static str,
    },
    /// Vectors of different lengths.
    #[error(
        "row {row} of a batch has {found} numbers and the first has {expected}: all samples need as many"
    )]
    UnevenLength {
        /// Its row in the batch of the engine.
        row: usize,
        /// The length of the first vector.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// A label that was not there when the plan was made.
    #[error(
        "row {row} of a batch has the label {label:?}, which is not among the {labels} of the plan: make a plan of all labels"
    )]
    UnknownLabel {
        /// Its row in the batch of the engine.
        row: usize,
        /// The label.
        label: String,
        /// Labels of the plan.
        labels: usize,
    },
    /// More labels than a classifier takes.
    #[error(
        "there are more than {max} different labels: an identifier is not a label; numbers are fitted by ternion_target_moments (--value)"
    )]
    TooManyLabels {
        /// The most labels.
        max: usize,
    },
    /// A plan without labels where classes are to be told apart.
    #[error("the plan has no labels: add those of ternion_labels to it")]
    NoLabels,
    /// Bytes that are no labels, or not all of them.
    #[error("the bytes are no labels: save them again")]
    Labels,
    /// DISTINCT, which an exact sum over all rows has no use for.
    #[error("{function} does not take DISTINCT: select distinct rows first")]
    Distinct {
        /// The function.
        function: &'static str,
    },
    /// Features that do not fit in one column of a batch.
    #[error(
        "{rows} rows of {bytes} bytes exceed a column of a batch: lower datafusion.execution.batch_size"
    )]
    BatchTooLarge {
        /// Rows of the batch.
        rows: usize,
        /// Bytes of each.
        bytes: usize,
    },
    /// Data without rows.
    #[error("the data has no rows")]
    NoRows,
    /// A column that is not in the data.
    #[error("there is no column {name:?}: the data has {columns}")]
    NoColumn {
        /// The column asked for.
        name: String,
        /// The columns there are.
        columns: String,
    },
    /// Files of a kind that is not read.
    #[error("{path:?} is no .parquet or .csv file, or not of the same kind as the first")]
    FileKind {
        /// The file.
        path: String,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Error {
    pub(crate) const INTEGERS_EXPECTED: Self =
        Self::OtherLabels { expected: "integers", found: "text" };
    pub(crate) const TEXT_EXPECTED: Self =
        Self::OtherLabels { expected: "text", found: "integers" };
}

impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        Self::Engine(Box::new(error))
    }
}

/// A query fails with our message, and in the same process with our type.
impl From<Error> for DataFusionError {
    fn from(error: Error) -> Self {
        match error {
            Error::Engine(error) => *error,
            other => Self::External(Box::new(other)),
        }
    }
}
