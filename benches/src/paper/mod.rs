//! The figures of the method's paper, remade on data that is to be had, with every method that they compare.
//!
//! | room | contents |
//! |---|---|
//! | `data` | data sets, their checks and readers |
//! | `baselines`, `kernel` | the other methods, each with a test against its definition |
//! | `dense`, `learn` | linear algebra and learners for them |
//! | `contender` | one interface for them and Ternion |
//! | `figures` | what each figure compares |
//! | `journal` | outcomes, kept as they come |
//! | `report`, `chart`, `progress` | tables, pictures, and a bar |

pub mod args;
mod baselines;
pub(crate) mod chart;
mod contender;
mod data;
mod dense;
mod figures;
mod journal;
mod kernel;
mod learn;
mod progress;
mod report;

pub use figures::run;
