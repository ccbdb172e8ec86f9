//! How small a slowdown the gate finds, and how often it calls unchanged kernels slower: the rule, on slowdowns of known size.
//!
//! The new library is another copy of the old one. Its kernels take part several times, and waste a known share of the
//! time of the old ones in each turn, in multiplications that wait for each other. Passes are judged in pairs, as
//! the gate does: what looks slower in the first must look slower in the second.

use crate::judge::{Change, Verdict, median};
use crate::turns::{Measured, Race};

/// What is wasted.
const SHARES: [f64; 5] = [0.0, 0.01, 0.02, 0.03, 0.05];

/// What was said of kernels with one share.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tally {
    /// The median ratios of each case and pass.
    ratios: Vec<f64>,
    /// Cases that one pass called slower.
    slower: usize,
    /// Pairs of passes on a case.
    pairs: usize,
    /// Those that both called slower: where the gate would fail.
    failed: usize,
}

impl Tally {
    /// Counts one case in the two passes of a pair.
    fn add(&mut self, passes: [Verdict; 2]) {
        let slower = passes.clone().map(|verdict| verdict.change() == Change::Slower);
        self.ratios.extend(passes.map(|verdict| verdict.ratio));
        self.slower += slower.iter().filter(|slower| **slower).count();
        self.pairs += 1;
        self.failed += usize::from(slower == [true; 2]);
    }
}

/// Measures pairs of passes and prints a line for each share.
pub fn measure(library: &str, pairs: usize, only: &[&str]) -> Result<(), String> {
    let race = Race { paths: [library; 2], shares: &SHARES, only };
    let mut tallies = vec![Tally::default(); SHARES.len()];
    for pair in 0..pairs {
        eprintln!("pair {} of {pairs}", pair + 1);
        let [first, second] = [race.processes()?, race.processes()?];
        for (first, second) in first.iter().zip(&second) {
            for (share, tally) in tallies.iter_mut().enumerate() {
                let verdict = |of: &Measured| Verdict::new(of.ratios[share].clone(), &of.own);
                tally.add([verdict(first), verdict(second)]);
            }
        }
    }
    print!("{}", table(&SHARES, &tallies));
    Ok(())
}

fn table(shares: &[f64], tallies: &[Tally]) -> String {
    let mut out = String::from(
        "slower by   median ratio   slower in one pass    in both, as the gate asks\n",
    );
    for (share, Tally { ratios, slower, pairs, failed }) in shares.iter().zip(tallies) {
        let mut sorted = ratios.clone();
        sorted.sort_by(f64::total_cmp);
        let line = format!(
            "{:7.0} %   {:12.3}   {slower:6} of {:6}   {failed:10} of {pairs}\n",
            100.0 * share,
            median(&sorted),
            2 * pairs,
        );
        out.push_str(&line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(ratio: f64) -> Verdict {
        Verdict::new(vec![ratio; 7], &[1.0; 7])
    }

    #[test]
    fn only_what_both_passes_call_slower_fails() {
        let mut tally = Tally::default();
        tally.add([verdict(1.05), verdict(1.0)]);
        tally.add([verdict(1.05), verdict(1.03)]);
        tally.add([verdict(1.0), verdict(1.01)]);
        assert_eq!((tally.slower, tally.failed, tally.pairs), (3, 1, 3));
        let text = table(&[0.05], &[tally]);
        assert!(
            text.ends_with("      5 %          1.020        3 of      6            1 of 3\n"),
            "{text}"
        );
    }
}
