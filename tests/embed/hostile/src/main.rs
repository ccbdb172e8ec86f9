//! A hostile user of the public API. Every attack runs in a process of its own with little memory and time, and has to come back:
//! with a value or an error, as it says, but never by a panic or an abort.
//!
//! ```text
//! cargo run --release                  # all of them
//! cargo run --release -- dual-ridge    # one, in this process
//! ```

mod attacks;

use attacks::ATTACKS;
use std::env;
use std::process::{Command, ExitCode};

/// Memory of an attack, in KB: enough for what is small, and too little for what the attacks ask for.
const MEMORY: usize = 1_200_000;

/// Processor time of an attack, in seconds, many times what the longest takes: a loop without an end is harm, too.
const SECONDS: usize = 300;

fn main() -> ExitCode {
    if let Some(name) = env::args().nth(1) {
        return match ATTACKS.iter().find(|(attack, _)| *attack == name) {
            Some((_, attack)) => {
                attack();
                ExitCode::SUCCESS
            }
            None => {
                eprintln!("no attack is called {name}");
                ExitCode::FAILURE
            }
        };
    }
    let failed = ATTACKS.iter().filter(|(name, _)| !survived(name)).count();
    println!("{} attacks, {failed} of which did harm", ATTACKS.len());
    ExitCode::from(u8::from(failed > 0))
}

/// Whether an attack came back, from a process with little memory and time.
fn survived(name: &str) -> bool {
    let this = env::current_exe().expect("the path of this program");
    let limited = format!("ulimit -v {MEMORY} && ulimit -t {SECONDS} && exec \"$0\" {name}");
    let status = Command::new("sh").arg("-c").arg(limited).arg(this).status();
    let status = status.expect("a shell");
    if !status.success() {
        eprintln!("{name}: {status}");
    }
    status.success()
}
