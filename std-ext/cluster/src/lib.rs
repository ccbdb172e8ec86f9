//! Ternary random features on a cluster: functions for Apache DataFusion and Ballista, and a driver.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod aggregate;
mod constant;
mod error;
mod fit;
mod labels;
mod model;
mod plan;
mod rest;
mod samples;
mod scalar;
mod server;
mod session;
mod sums;

pub use error::Error;
pub use fit::{Fit, Outcome, Step, predict};
pub use labels::Labels;
pub use model::Model;
pub use plan::Plan;
pub use server::{ExecutorOptions, MIN_TIMEOUT, executor, scheduler};
pub use session::{MAX_MESSAGE_BYTES, Progress, Session, register};

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use std::sync::Arc;

/// The aggregates of this crate.
pub fn aggregates() -> Vec<Arc<AggregateUDF>> {
    let new = |kind| Arc::new(AggregateUDF::from(aggregate::Aggregate::new(kind)));
    aggregate::Kind::ALL.map(new).into()
}

/// The scalar functions of this crate.
pub fn scalars() -> Vec<Arc<ScalarUDF>> {
    let new = |kind| Arc::new(ScalarUDF::from(scalar::Scalar::new(kind)));
    scalar::Kind::ALL.map(new).into()
}
