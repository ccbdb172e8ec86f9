//! From the ratios of several processes to a verdict.

/// A change of less than this share is not called one, however quiet the machine is.
const LEAST: f64 = 0.015;

/// A slowdown of this share must not hide in noise: a case whose ratios allow it has no verdict.
const MOST: f64 = 0.05;

/// How many times the noise a change must be.
const TIMES_NOISE: f64 = 3.0;

/// What several processes say about one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The median of the new time over the old one.
    pub ratio: f64,
    /// All ratios but the least and the largest are between these: an interval of 87.5 % for the median of seven.
    pub interval: (f64, f64),
    /// The median distance from 1 of the ratios of the old kernels to themselves.
    pub noise: f64,
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Within the noise.
    None,
    /// Slower beyond the noise.
    Slower,
    /// Faster beyond the noise.
    Faster,
    /// Neither, but too much noise to tell.
    Unjudged,
}

/// The middle one of sorted numbers, or the mean of the two in the middle.
pub fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

impl Verdict {
    /// Takes one ratio of new to old and one of old to old from each process.
    pub fn new(mut ratios: Vec<f64>, own: &[f64]) -> Self {
        ratios.sort_by(f64::total_cmp);
        let mut distances: Vec<f64> = own.iter().map(|ratio| (ratio - 1.0).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let skip = usize::from(ratios.len() > 4);
        Self {
            ratio: median(&ratios),
            interval: (ratios[skip], ratios[ratios.len() - 1 - skip]),
            noise: median(&distances),
        }
    }

    /// The least share that counts as a change.
    pub fn limit(&self) -> f64 {
        LEAST.max(TIMES_NOISE * self.noise)
    }

    /// Whether the case became slower or faster.
    pub fn change(&self) -> Change {
        let limit = self.limit();
        if self.ratio > 1.0 + limit && self.interval.0 > 1.0 {
            Change::Slower
        } else if self.ratio < 1.0 / (1.0 + limit) && self.interval.1 < 1.0 {
            Change::Faster
        } else if limit > MOST && self.interval.1 > 1.0 + MOST {
            Change::Unjudged
        } else {
            Change::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(ratios: [f64; 7], own: [f64; 7]) -> Change {
        Verdict::new(ratios.into(), &own).change()
    }

    const QUIET: [f64; 7] = [1.001, 0.999, 1.0, 1.002, 0.998, 1.001, 1.0];
    const LOUD: [f64; 7] = [1.01, 0.99, 1.0, 1.01, 0.98, 1.02, 1.01];
    const DEAFENING: [f64; 7] = [1.03, 0.97, 1.0, 1.02, 0.98, 1.04, 1.02];

    #[test]
    fn a_change_must_exceed_the_least_and_the_noise() {
        let slower = [1.02, 1.03, 1.021, 1.019, 1.022, 1.025, 1.02];
        assert_eq!(change(slower, QUIET), Change::Slower);
        assert_eq!(change(slower, LOUD), Change::None);
        assert_eq!(change(slower.map(f64::recip), QUIET), Change::Faster);
        assert_eq!(change(slower.map(|ratio| ratio - 0.01), QUIET), Change::None);
    }

    #[test]
    fn noise_that_hides_a_slowdown_is_no_verdict() {
        let same = [1.0, 1.01, 0.99, 1.0, 1.02, 0.98, 1.0];
        assert_eq!(change(same, LOUD), Change::None);
        // The copies of the old library differ, but all ratios of the new one say that it is not slower.
        assert_eq!(change(same, DEAFENING), Change::None);
        let slower = same.map(|ratio| ratio + 0.055);
        assert_eq!(change(slower, DEAFENING), Change::Unjudged);
        // What exceeds even that noise is told.
        let much = same.map(|ratio| ratio + 0.2);
        assert_eq!(change(much, DEAFENING), Change::Slower);
        assert_eq!(change(much.map(f64::recip), DEAFENING), Change::Faster);
    }

    #[test]
    fn one_process_cannot_decide_and_two_can_excuse() {
        let one = [1.0, 1.0, 1.001, 0.999, 1.0, 1.0, 1.5];
        assert_eq!(change(one, QUIET), Change::None);
        let excused = [1.05, 1.05, 1.05, 1.05, 1.05, 0.99, 1.05];
        assert_eq!(change(excused, QUIET), Change::Slower);
        let doubtful = [1.05, 1.05, 1.05, 1.05, 0.99, 0.99, 1.05];
        assert_eq!(change(doubtful, QUIET), Change::None);
    }

    #[test]
    fn the_verdict_is_of_medians() {
        let verdict = Verdict::new(vec![1.2, 1.0, 1.1, 1.4, 1.3], &[0.98, 1.0, 1.04, 1.01, 0.97]);
        assert_eq!((verdict.ratio, verdict.interval), (1.2, (1.1, 1.3)));
        assert!((verdict.noise - 0.02).abs() < 1e-12 && (verdict.limit() - 0.06).abs() < 1e-12);
    }
}
