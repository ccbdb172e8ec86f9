//! Bisection to the last bit: microseconds slower than cleverer methods, but it cannot fail.

/// The point of [`from`, `to`] (in either order) where `f` changes sign, to the last bit.
///
/// If `f` has the same sign at both ends, the end with the smaller |f|: rounding may have pushed the root just past it. NaN
/// counts as positive.
pub(crate) fn bisect(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (at_from, at_to) = (f(from), f(to));
    let negative_first = at_from < 0.0;
    if negative_first == (at_to < 0.0) {
        return if at_from.abs() <= at_to.abs() { from } else { to };
    }
    let (mut near, mut far) = (from, to);
    loop {
        let middle = 0.5 * (near + far);
        if middle == near || middle == far {
            return middle;
        }
        if (f(middle) < 0.0) == negative_first {
            near = middle;
        } else {
            far = middle;
        }
    }
}
