//! Something of the user's own.
#![forbid(unsafe_code)]

/// The sum of squares.
pub fn squares(x: &[f32]) -> f32 {
    x.iter().map(|x| x * x).sum()
}
