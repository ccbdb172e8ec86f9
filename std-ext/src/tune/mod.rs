//! Choosing parameters by validation: [`Tuner`] finds the width of the target, the form of W, its sparsity, the policy of
//! σ and the ridge parameter, and on request the number of features, and says what it tried.
//!
//! ```
//! use ternion::learn::TernaryClassifier;
//! use ternion::tune::Tuner;
//! use ternion::{Samples, TernaryFeatures};
//!
//! let x: Vec<f32> = (0..300 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
//! let labels: Vec<&str> = x.chunks(8).map(|x| if x[0] * x[1] > 0.0 { "same" } else { "other" }).collect();
//! let samples = Samples::new(&x, 8)?;
//!
//! let tuned = Tuner::new(TernaryFeatures::params(256)).trials(20).tune_classes(&samples, &labels)?;
//! println!("{tuned}"); // what was chosen, and what was tried
//! let model = TernaryClassifier::fit(tuned.params(), tuned.ridge(), &samples, &labels)?;
//! # assert!(model.score(&samples, &labels)? > 0.9);
//! # Ok::<(), ternion::Error>(())
//! ```
//!
//! # What is searched
//!
//! A *family* is a form of W, a sparsity where W has zeros, and a policy. A *setting* is a family, a width, and a number of
//! features. A *trial* fits one setting to some of the samples and scores it by validation, with every ridge parameter:
//!
//! ```text
//! every family on 512 samples, at the width of the target that was given
//! rung 1 (512 samples)      climb the widths of every family, by factors of 2
//! rung 2 (2,048 samples)    the best 6 families, at their best widths: climb by factors of 2
//! rung 3 (8,192 samples)    the best 3: climb by factors of √2
//! rung 4 (all samples)      the best 2: climb by factors of ⁴√2
//! the best setting with 1/2, 1/4 and 1/8 of its features
//! ```
//!
//! To *climb* is to go on to the next width as long as the score rises, in both directions. A rung with as many samples as
//! the one before does not repeat its trials. Families are dropped on few samples, because there they cost least; widths
//! are found again on every rung, because more samples want narrower kernels.
//!
//! # How settings are scored
//!
//! The score is the accuracy of classes and R² of targets. Accuracies that differ by less than half a standard error are
//! compared by squared errors, which vary less from sample to sample. Up to 1,024 samples are scored by exact [leave-one-out](crate::learn::Ridge::leave_one_out) predictions. More are split
//! into five folds, each predicted from the other four, until 4,096 samples are predicted. One set of moments, or one Gram
//! matrix, serves all ridge parameters, and a trial climbs from the one that was best before. The mean and the scale of the inputs are those of all samples: they know nothing of the answers.
//!
//! The score of the best of many trials flatters a little. Measure the final model on samples that the tuner has not seen.
//!
//! # Budget, and the same result again
//!
//! [`Tuner::trials`] bounds the number of trials, [`Tuner::time_limit`] their time. The sequence of trials depends on the
//! data, the parameters and the seed alone; a budget ends it early and decides nothing else. So the result of a search that
//! the clock ended is that of one with as many [trials](Tuned::trials), on any instruction set and number of threads. Rungs
//! are ordered such that an early end is no loss: first what is cheap, best families first.

mod picture;
mod problem;
mod search;
mod setting;
mod tuned;
mod tuner;

pub use setting::{Setting, Trial, Validation};
pub use tuned::{Tuned, Warning};
pub use tuner::{Progress, Tuner};
