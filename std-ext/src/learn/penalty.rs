//! [`Penalty`]: the ridge parameter and its unit.

use crate::Error;

/// What is added to every eigenvalue of a centred kernel matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Penalty {
    /// A multiple of their mean.
    Relative(f64),
    /// A number.
    Absolute(f64),
}

impl Penalty {
    /// What suits most data: the best multiples of 36 fits, to 500, 2,000 and 8,000 samples of MNIST, Fashion-MNIST,
    /// Cov-Type and Adult by 256, 1,024 and 2,048 features with two thresholds, lie around it, most of them between 0.05
    /// and 2. With a periodic σ, 256 and 2,048 features, it is the best of 0.03, 0.1, 0.3, 1 and 3 on the digits, and
    /// within half a point of the best on wine and breast cancer.
    pub(super) const DEFAULT: Self = Self::Relative(0.3);

    /// The same penalty, if it is positive and finite.
    pub(crate) fn check(self) -> Result<Self, Error> {
        let (Self::Relative(found) | Self::Absolute(found)) = self;
        if found > 0.0 && found.is_finite() {
            Ok(self)
        } else {
            Err(Error::Regularisation { found })
        }
    }

    /// γ for eigenvalues of this mean. If it is zero, nothing but the intercept can be learnt, and any γ will do.
    pub(super) fn gamma(self, mean_eigenvalue: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Absolute(gamma) => gamma,
            Self::Relative(share) => match mean_eigenvalue() {
                mean if mean > 0.0 => share * mean,
                _ => share,
            },
        }
    }
}
