//! The member of the two-band family that each policy takes.

use super::family::{Branch, Family, Member};
use super::root::bisect;

/// Rounding allowed where a target lies exactly on the edge of the feasible region, as sign features do.
const EDGE: f64 = 16.0 * f64::EPSILON;

/// The member with the smallest R = V/b1².
pub(crate) fn min_variance(family: &Family) -> Member {
    family.member(Branch::Central, least_noisy(family))
}

/// ln L of the member with the smallest R: the root of its slope for gaps between 1e−6 and 1.5.
fn least_noisy(family: &Family) -> f64 {
    bisect(family.gap(1e-6), family.gap(1.5), |log_l| {
        family.noise_slope(&family.member(Branch::Central, log_l))
    })
}

/// The member whose R is `wanted`, if there is one: first on the two-tailed branch, then on the far
/// side of the least noisy member of the central one. All members with one R are equally noisy; these have the most
/// zeros, and for ρ = 0 they are symmetric.
pub(crate) fn match_variance(family: &Family, wanted: f64) -> Option<Member> {
    let off =
        |branch| move |log_l: f64| family.member(branch, log_l).profile.variance_ratio() - wanted;
    let off_tails = off(Branch::TwoTailed);
    let dip = least_noisy_two_tailed(family);
    if off_tails(dip) <= EDGE * wanted {
        return Some(family.member(Branch::TwoTailed, bisect(dip, family.rarest(), off_tails)));
    }
    let off_centre = off(Branch::Central);
    let least = least_noisy(family);
    if off_centre(least) <= EDGE * wanted {
        return Some(family.member(Branch::Central, bisect(least, family.one_sided(), off_centre)));
    }
    None
}

/// ln|L| of the least noisy two-tailed member. For ρ above about 0.45 that is the one-sided end.
fn least_noisy_two_tailed(family: &Family) -> f64 {
    let slope = |log_l| family.noise_slope(&family.member(Branch::TwoTailed, log_l));
    // Every interior minimum has |L| < 6, and the tails are still well inside f64 at a gap of 40.
    let (from, to) = (family.rarest() + 3_f64.ln(), 6_f64.ln());
    if slope(to) > 0.0 { bisect(from, to, slope) } else { family.one_sided() }
}

/// Every member with f1 = `wanted`, the least noisy first; none if `wanted` exceeds its bound 2φ(ρ).
pub(crate) fn unit(family: &Family, wanted: f64) -> Vec<Member> {
    let off = |branch| move |log_l: f64| family.member(branch, log_l).profile.first - wanted;
    let sign = family.sign();
    if (wanted - sign.profile.first).abs() <= EDGE * wanted {
        return vec![sign];
    }
    let mut solutions = Vec::new();
    let mut segments = vec![(Branch::Central, family.gap(1e-8), family.one_sided())];
    // f1 is monotone on the central branch and between the folds of the other one.
    let mut from = family.one_sided();
    for fold in folds(family.rho()).into_iter().flatten().chain([family.rarest()]) {
        if fold < from {
            segments.push((Branch::TwoTailed, from, fold));
            from = fold;
        }
    }
    for (branch, from, to) in segments {
        let off = off(branch);
        if (off(from) < 0.0) != (off(to) < 0.0) {
            solutions.push(family.member(branch, bisect(from, to, off)));
        }
    }
    solutions.sort_by(|a, b| a.profile.variance.total_cmp(&b.profile.variance));
    solutions
}

/// The k at which [`fold_ratio`] is largest, and that largest ρ with more than one unit solution.
const CUSP: (f64, f64) = (1.316_811_105_139_965_2, 0.294_721_603_243_958_8);

/// ln|L| of the two extrema (folds) of f1 along the two-tailed branch, the more one-sided first.
fn folds(rho: f64) -> Option<[f64; 2]> {
    let (cusp, largest) = CUSP;
    if rho >= largest {
        return None;
    }
    let fold = |from: f64, to: f64| {
        let log_k = bisect(from.ln(), to.ln(), |log_k| fold_ratio(log_k.exp()) - rho);
        let k = log_k.exp();
        (2.0 * k * k.hypot(1.0)).ln()
    };
    // F(k) is about 2k³/3 near 0 and 1/(2k) far out. Folds with k > 1e4 are at the one-sided end in
    // f64.
    Some([fold(cusp, 1e4), fold((0.1 * rho).cbrt(), cusp)])
}

/// F(k): f1 has an extremum where u₊u₋ = −1, which on the two-tailed branch means L = −2k√(1+k²) and F(k) = ρ.
fn fold_ratio(k: f64) -> f64 {
    let root = k.hypot(1.0);
    root * (k * root).tanh() - k
}
