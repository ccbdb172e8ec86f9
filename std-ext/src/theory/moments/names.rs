//! How targets parse and print.

use super::Target;
use super::target::{Plain, Shape};
use crate::theory::SolveError;
use core::fmt;
use core::str::FromStr;

/// A prefix and the constructor of its target from the number that follows.
type WithParameter = (&'static str, fn(f64) -> Target);

/// Names without a parameter beyond those of [`Target::PLAIN`].
const ALIASES: [Plain; 7] = [
    ("arccos2_t+^2", Target::relu_squared),
    ("gauss_exp(-t^2/2)", Target::bump),
    ("arc_cosine_0", || Target::arc_cosine(0)),
    ("arc_cosine_1", || Target::arc_cosine(1)),
    ("arc_cosine_2", || Target::arc_cosine(2)),
    ("matern_3/2", || Target::matern_three_halves(1.0)),
    ("matern_5/2", || Target::matern_five_halves(1.0)),
];

/// Names that end in a number.
const WITH_PARAMETER: [WithParameter; 6] = [
    ("leaky_relu_", Target::leaky_relu),
    ("gaussian_gamma", Target::gaussian),
    ("laplace_l2_gamma", Target::laplacian),
    ("laplace_l1_gamma", Target::l1_laplacian),
    ("matern_3/2_length", Target::matern_three_halves),
    ("matern_5/2_length", Target::matern_five_halves),
];

impl Target {
    /// Every name without parameters, with its target.
    ///
    /// Beyond these, `leaky_relu_0.1`, `gaussian_gamma2`, `laplace_l2_gamma1`,
    /// `matern_3/2_length0.5`, `matern_5/2_length0.5`, `quad_0.5t^2+t-1`, `ternary(-0.5, 1)` and
    /// `moments(1, 0.5, 0.1)` parse with any numbers,
    /// and any name with `@c` appended is that target [`scaled`](Self::scaled) by c.
    ///
    /// ```
    /// use ternion::Target;
    ///
    /// assert!(Target::named().any(|(name, _)| name == "relu"));
    /// assert_eq!("leaky_relu_0.25@2".parse::<Target>()?.to_string(), "leaky_relu_0.25@2");
    /// # Ok::<(), ternion::theory::SolveError>(())
    /// ```
    pub fn named() -> impl Iterator<Item = (&'static str, Self)> {
        Self::PLAIN.iter().chain(&ALIASES).map(|&(name, make)| (name, make()))
    }
}

impl FromStr for Target {
    type Err = SolveError;

    fn from_str(name: &str) -> Result<Self, SolveError> {
        let target = match name.rsplit_once('@') {
            Some((inner, scale)) => {
                unscaled(inner).zip(scale.parse().ok()).map(|(target, c)| target.scaled(c))
            }
            None => unscaled(name),
        };
        target.ok_or_else(|| SolveError::UnknownTarget { name: name.to_owned() })
    }
}

fn unscaled(name: &str) -> Option<Target> {
    let plain = Target::named().find(|(plain, _)| *plain == name).map(|(_, target)| target);
    let with_parameter = || {
        WITH_PARAMETER
            .iter()
            .find_map(|(prefix, make)| Some(make(name.strip_prefix(prefix)?.parse().ok()?)))
    };
    let numbers = |prefix: &str| -> Option<Vec<f64>> {
        let list = name.strip_prefix(prefix)?.strip_prefix('(')?.strip_suffix(')')?;
        list.split(", ").map(|number| number.parse().ok()).collect()
    };
    let listed = || match (numbers("ternary").as_deref(), numbers("moments").as_deref()) {
        (Some(&[lower, upper]), _) => Some(Target::ternary(lower, upper)),
        (_, Some(&[d0, d1, d2])) => Some(Target::raw(d0, d1, d2)),
        _ => None,
    };
    let polynomial = || polynomial(name.strip_prefix("quad_")?);
    plain.or_else(with_parameter).or_else(listed).or_else(polynomial)
}

/// `0.5t^2+t-1`: terms with a sign between them, each with an optional coefficient and an optional
/// t or t^2.
fn polynomial(text: &str) -> Option<Target> {
    let mut coefficients = [0.0; 3];
    let mut rest = text;
    loop {
        // A sign ends a term, unless it begins the term or follows the e of an exponent.
        let end = rest
            .char_indices()
            .skip(1)
            .find(|&(i, c)| matches!(c, '+' | '-') && !rest[..i].ends_with('e'))
            .map_or(rest.len(), |(i, _)| i);
        let (term, tail) = rest.split_at(end);
        rest = tail;
        let (number, degree) = match (term.strip_suffix("t^2"), term.strip_suffix('t')) {
            (Some(number), _) => (number, 2),
            (None, Some(number)) => (number, 1),
            (None, None) => (term, 0),
        };
        coefficients[degree] += match number {
            "" | "+" if degree > 0 => 1.0,
            "-" if degree > 0 => -1.0,
            number => number.parse::<f64>().ok()?,
        };
        if rest.is_empty() {
            break;
        }
    }
    let [a0, a1, a2] = coefficients;
    Some(Target::quadratic(a2, a1, a0))
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape {
            Shape::Hinge { above: 1.0, below: -1.0 } => f.write_str("linear")?,
            Shape::Hinge { above: 1.0, below: 1.0 } => f.write_str("abs")?,
            Shape::Hinge { above: 1.0, below: 0.0 } => f.write_str("relu")?,
            Shape::Hinge { below, .. } => write!(f, "leaky_relu_{}", -below)?,
            Shape::Quadratic { a2, a1, a0 } => write!(f, "quad_{a2}t^2{a1:+}t{a0:+}")?,
            Shape::Sign => f.write_str("sign")?,
            Shape::Step => f.write_str("step")?,
            Shape::ReluSquared => f.write_str("relu_squared")?,
            Shape::Cos => f.write_str("cos")?,
            Shape::Sin => f.write_str("sin")?,
            Shape::Exp => f.write_str("exp")?,
            Shape::Bump => f.write_str("bump")?,
            Shape::Erf => f.write_str("erf")?,
            Shape::Tanh => f.write_str("tanh")?,
            Shape::Sigmoid => f.write_str("sigmoid")?,
            Shape::Silu => f.write_str("silu")?,
            Shape::Gelu => f.write_str("gelu")?,
            Shape::Softplus => f.write_str("softplus")?,
            Shape::Ternary { lower, upper } => write!(f, "ternary({lower}, {upper})")?,
            Shape::Gaussian { gamma } => write!(f, "gaussian_gamma{gamma}")?,
            Shape::GaussianScale => f.write_str("gaussian_scale")?,
            Shape::ArcCosine { order } => write!(f, "arc_cosine_{order}")?,
            Shape::Laplacian { gamma } => write!(f, "laplace_l2_gamma{gamma}")?,
            Shape::L1Laplacian { gamma } => write!(f, "laplace_l1_gamma{gamma}")?,
            Shape::MaternThreeHalves { length } => write!(f, "matern_3/2_length{length}")?,
            Shape::MaternFiveHalves { length } => write!(f, "matern_5/2_length{length}")?,
            Shape::Radial { .. } => f.write_str("radial kernel")?,
            Shape::Function(_) => f.write_str("function")?,
            Shape::Raw(m) => write!(f, "moments({}, {}, {})", m.d0, m.d1, m.d2)?,
        }
        if self.scale == 1.0 { Ok(()) } else { write!(f, "@{}", self.scale) }
    }
}
