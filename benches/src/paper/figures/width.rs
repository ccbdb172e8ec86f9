//! The search for the width of a kernel: uphill from γ = 1 on a scale of powers of 2, as far as it goes, and at most to 2^±16, so
//! that no method is held to the ends of a list that suits another.

/// The scale of a search.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Steps in which γ doubles.
    pub per_octave: i32,
    /// Steps to either side beyond which nobody looks.
    pub most: i32,
    /// Widths in a row that are no better than the best, after which a direction is given up.
    pub patience: usize,
}

impl Scale {
    /// From 2⁻¹⁶ to 2¹⁶, in so many steps from one power of 2 to the next; three widths around 1 for a check of the program.
    pub const fn new(per_octave: i32, quick: bool) -> Self {
        match quick {
            true => Self { per_octave: 1, most: 1, patience: 1 },
            false => Self { per_octave, most: 16 * per_octave, patience: 2 },
        }
    }

    /// The γ of a step: a power of 2, or two digits between them.
    fn gamma(self, step: i32) -> f64 {
        let exact = (f64::from(step) / f64::from(self.per_octave)).exp2();
        let digits = 10f64.powf(1.0 - exact.log10().floor());
        // Powers of 2 stay: 0.12 for 0.125 would only look odd.
        if step % self.per_octave == 0 { exact } else { (exact * digits).round() / digits }
    }

    /// Tries widths and returns them with their scores, of which larger ones are better. A width may have none.
    ///
    /// # Errors
    ///
    /// The first of `score`.
    pub fn search<E>(
        self,
        mut score: impl FnMut(f64) -> Result<Option<f64>, E>,
    ) -> Result<Vec<(f64, f64)>, E> {
        let mut tried = Vec::new();
        let mut best = f64::NEG_INFINITY;
        let mut is_better = |step: i32, tried: &mut Vec<(f64, f64)>| {
            let gamma = self.gamma(step);
            let Some(found) = score(gamma)?.filter(|found| !found.is_nan()) else {
                return Ok(false);
            };
            tried.push((gamma, found));
            let is_better = found > best;
            best = best.max(found);
            Ok(is_better)
        };
        is_better(0, &mut tried)?;
        for direction in [-1, 1] {
            let mut worse = 0;
            for distance in 1..=self.most {
                worse = if is_better(direction * distance, &mut tried)? { 0 } else { worse + 1 };
                if worse == self.patience {
                    break;
                }
            }
        }
        Ok(tried)
    }

    /// The width with the best score, and that score.
    ///
    /// # Errors
    ///
    /// The first of `score`; none, as `None`, if every width has no score.
    pub fn best<E>(
        self,
        score: impl FnMut(f64) -> Result<Option<f64>, E>,
    ) -> Result<Option<(f64, f64)>, E> {
        Ok(self.search(score)?.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::convert::Infallible;

    fn best_of(scale: Scale, score: impl Fn(f64) -> Option<f64>) -> (f64, usize) {
        let mut trials = 0;
        let found = scale.best(|gamma| {
            trials += 1;
            Ok::<_, Infallible>(score(gamma))
        });
        let Ok(Some((gamma, _))) = found else { panic!("no width") };
        (gamma, trials)
    }

    #[test]
    fn a_hill_is_climbed_wherever_it_is() {
        for (peak, trials) in [(1.0, 5), (0.03125, 10), (16.0, 9), (0.00390625, 13)] {
            let hill = |gamma: f64| Some(-(gamma / peak).log2().abs());
            assert_eq!(best_of(Scale::new(1, false), hill), (peak, trials), "{peak}");
        }
        assert_eq!(best_of(Scale::new(2, false), |gamma| Some(-(gamma - 0.7).abs())).0, 0.71);
        assert_eq!(best_of(Scale::new(2, true), |gamma| Some(-gamma)), (0.5, 3));
    }

    #[test]
    fn a_dip_and_a_refusal_are_passed() {
        let bumpy = |gamma: f64| match gamma {
            2.0 => Some(0.5),
            4.0 => Some(2.0),
            8.0 => None,
            16.0 => Some(3.0),
            _ => Some(1.0),
        };
        assert_eq!(best_of(Scale::new(1, false), bumpy).0, 16.0);
    }
}
