//! All tests of functions and processes, in one program.

mod data;
mod functions;
mod local;
mod processes;
