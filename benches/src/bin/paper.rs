//! Remakes the figures of the method's paper with one command; `--help` lists them.

use std::process::ExitCode;

use ternion_benches::cpu::Cpu;
use ternion_benches::paper;
use ternion_benches::paper::args::{HELP, parse};

fn main() -> ExitCode {
    let args = match parse(std::env::args_os().skip(1).collect::<Vec<_>>()) {
        Ok(Some(args)) => args,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}; see --help");
            return ExitCode::from(2);
        }
    };
    println!("CPU: {}, {} threads", Cpu::present().name, rayon::current_num_threads());
    match paper::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
