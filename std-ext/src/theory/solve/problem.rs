//! The moments to match, and how each policy does so.

use super::family::{Family, Member};
use super::{Bands, Policy, Report, SolveError, four, two};
use crate::theory::moments::{Moments, Target};

/// The largest ρ that two bands can represent: φ(ρ), and what is divided by it, stay in the range of `f64`.
const LARGEST_RHO: f64 = 36.0;

/// The moments to match, and τ.
pub(super) struct Problem {
    asked: Moments,
    tau: f64,
    b1: f64,
    b2: f64,
}

/// Whether a part counts as zero: one whose square is subnormal has lost its digits.
fn vanishes(moment: f64, part: f64) -> bool {
    moment < f64::MIN_POSITIVE || part * part < f64::MIN_POSITIVE
}

impl Problem {
    pub(super) fn new(target: &Target, tau: f64) -> Result<Self, SolveError> {
        let asked = target.moments(tau)?;
        let problem = Self { asked, tau, b1: asked.b1(tau), b2: asked.b2(tau) };
        if problem.is_even() && vanishes(asked.d2, problem.b2) {
            return Err(SolveError::NothingToMatch { d0: asked.d0, tau });
        }
        Ok(problem)
    }

    fn is_even(&self) -> bool {
        vanishes(self.asked.d1, self.b1)
    }

    /// The two-band family that matches, if there is one.
    fn family(&self) -> Result<Family, SolveError> {
        if self.is_even() {
            return Err(SolveError::EvenTarget { d2: self.asked.d2 });
        }
        let rho = self.b2 / self.b1;
        if rho > LARGEST_RHO {
            return Err(SolveError::RatioTooLarge { rho, largest: LARGEST_RHO });
        }
        Ok(Family::new(rho))
    }

    pub(super) fn min_variance(&self) -> Result<Report, SolveError> {
        let member = two::min_variance(&self.family()?);
        self.scaled(&member, Policy::MinVariance)
    }

    pub(super) fn match_d0(&self) -> Result<Report, SolveError> {
        let wanted = 1.0 + self.asked.d0 / self.b1 / self.b1;
        match two::match_variance(&self.family()?, wanted) {
            Some(member) => self.scaled(&member, Policy::MatchD0),
            None => self.min_variance(),
        }
    }

    /// All solutions with α = 1, at least one.
    pub(super) fn unit(&self) -> Result<Vec<Report>, SolveError> {
        let family = self.family()?;
        let members = two::unit(&family, self.b1);
        if members.is_empty() {
            let (b1, bound, rho) = (self.b1, family.sign().profile.first, self.b2 / self.b1);
            return Err(SolveError::UnitInfeasible { b1, bound, rho });
        }
        members.iter().map(|member| self.report(self.bands(member), 1.0, Policy::Unit)).collect()
    }

    pub(super) fn four_band(&self) -> Result<Report, SolveError> {
        if !self.is_even() && self.b2 < four::SMALLEST_RHO * self.b1 {
            return self.min_variance();
        }
        let scale = self.tau.sqrt();
        let [outer_lower, inner_lower, inner_upper, outer_upper] =
            four::thresholds(self.b1, self.b2).map(|u| scale * u);
        let bands = Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper };
        let alpha = self.b2 / bands.profile(self.tau).second;
        self.report(bands, alpha, Policy::FourBand)
    }

    pub(super) fn fixed(&self, lower: f64, upper: f64) -> Result<Report, SolveError> {
        if lower.is_nan() || upper.is_nan() || lower > upper {
            return Err(SolveError::BadThresholds { lower, upper });
        }
        let bands = Bands::Two { lower, upper };
        let profile = bands.profile(self.tau);
        if profile.first < f64::MIN_POSITIVE {
            return Err(SolveError::NeverFires { lower, upper, tau: self.tau });
        }
        let alpha = if !self.is_even() {
            self.b1 / profile.first
        } else if profile.second != 0.0 {
            self.b2 / profile.second.abs()
        } else {
            return Err(SolveError::NoCommonPart { d2: self.asked.d2 });
        };
        self.report(bands, alpha, Policy::Fixed { lower, upper })
    }

    fn bands(&self, member: &Member) -> Bands {
        let scale = self.tau.sqrt();
        Bands::Two { lower: scale * member.lower, upper: scale * member.upper }
    }

    /// The report of a member of the family, at the α that matches.
    fn scaled(&self, member: &Member, policy: Policy) -> Result<Report, SolveError> {
        self.report(self.bands(member), self.b1 / member.profile.first, policy)
    }

    fn report(&self, bands: Bands, alpha: f64, policy: Policy) -> Result<Report, SolveError> {
        let report = Report::new(bands, alpha, self.tau, policy, self.asked);
        let Moments { d0, d1, d2 } = report.achieved;
        if [alpha, d0, d1, d2].iter().all(|value| value.is_finite()) {
            Ok(report)
        } else {
            Err(SolveError::Overflow { tau: self.tau })
        }
    }
}
