//! What the parts of the `compare` tool share: dense peers, data, the measuring harness.
#![deny(unsafe_code)]

pub mod args;
pub mod cos;
pub mod cpu;
pub mod data;
pub mod floors;
pub mod gram;
pub mod harness;
pub mod history;
pub mod job;
pub mod learn;
pub mod memory;
pub mod moments;
pub mod ours;
pub mod paper;
pub mod peers;
pub mod project;
pub mod report;
pub mod sigma;
pub mod threads;
