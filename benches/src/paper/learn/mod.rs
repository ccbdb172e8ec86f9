//! Learners on dense features, the same as Ternion's on packed ones.

pub mod ridge;
pub mod sgd;
pub mod svm;
