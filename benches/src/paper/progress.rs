//! A bar on standard error that says how much is done and how long the rest will take.

use std::io::{IsTerminal, Write, stderr};
use std::time::Instant;

/// The progress of so many steps.
pub struct Progress {
    start: Instant,
    done: usize,
    all: usize,
}

impl Progress {
    /// Nothing is done yet.
    pub fn new(all: usize) -> Self {
        Self { start: Instant::now(), done: 0, all }
    }

    /// Shows that a step begins. On a terminal the bar stays in its line; elsewhere each step has a line.
    pub fn step(&mut self, what: &str) {
        let line = line(self.done, self.all, self.start.elapsed().as_secs_f64(), what);
        let mut stderr = stderr();
        // Nothing is lost if standard error is closed.
        _ = match stderr.is_terminal() {
            true => write!(stderr, "\r\x1b[2K{line}").and_then(|()| stderr.flush()),
            false => writeln!(stderr, "{line}"),
        };
        self.done += 1;
    }

    /// Keeps a result for whom the tables at the end come too late, or never.
    pub fn found(&self, what: &str) {
        let mut stderr = stderr();
        _ = match stderr.is_terminal() {
            true => writeln!(stderr, "\r\x1b[2K{what}"),
            false => writeln!(stderr, "{what}"),
        };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if stderr().is_terminal() {
            _ = write!(stderr(), "\r\x1b[2K");
        }
    }
}

fn line(done: usize, all: usize, seconds: f64, what: &str) -> String {
    let filled = (20 * done / all.max(1)).min(20);
    let bar = "#".repeat(filled) + &".".repeat(20 - filled);
    let left = match done {
        0 => String::new(),
        _ => format!(", {:.0} s left", seconds / done as f64 * (all - done.min(all)) as f64),
    };
    format!("[{bar}] {done}/{all}{left}: {what}")
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn the_bar_fills_and_the_rest_is_estimated() {
        assert_eq!(line(0, 4, 0.0, "a"), "[....................] 0/4: a");
        assert_eq!(line(1, 4, 2.0, "b"), "[#####...............] 1/4, 6 s left: b");
        assert_eq!(line(5, 4, 2.0, "c"), "[####################] 5/4, 0 s left: c");
    }
}
