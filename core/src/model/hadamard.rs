//! The Walsh–Hadamard transform of one sample in place, for cores with few registers and no vectors.
//!
//! The same H as in the kernels; here instructions and bytes of code are what counts. Two stages share
//! one pass: four loads and four stores for eight adds, instead of eight and eight.

/// H of a power of two of numbers that end in ½, without the ½, in place; sums wrap.
pub(super) fn transform(numbers: &mut [i16]) {
    let mut stride = 1;
    if numbers.len().trailing_zeros() % 2 == 1 {
        for [a, b] in numbers.as_chunks_mut::<2>().0 {
            (*a, *b) = (a.wrapping_add(*b), a.wrapping_sub(*b));
        }
        stride = 2;
    }
    while stride < numbers.len() {
        let mut rest = &mut *numbers;
        while let Some((four, tail)) = rest.split_at_mut_checked(4 * stride) {
            pass(four, stride);
            rest = tail;
        }
        stride *= 4;
    }
    // The halves add up in the first sum only.
    let halves = numbers.len() / 2;
    if let Some(first) = numbers.first_mut() {
        *first = first.wrapping_add(halves as i16);
    }
}

/// Two stages over four quarters of `stride` numbers each.
fn pass(four: &mut [i16], stride: usize) {
    let (ab, cd) = present!(four.split_at_mut_checked(2 * stride), else return);
    let (a, b) = present!(ab.split_at_mut_checked(stride), else return);
    let (c, d) = present!(cd.split_at_mut_checked(stride), else return);
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        let (low, low_off) = (a.wrapping_add(*b), a.wrapping_sub(*b));
        let (high, high_off) = (c.wrapping_add(*d), c.wrapping_sub(*d));
        *a = low.wrapping_add(high);
        *b = low_off.wrapping_add(high_off);
        *c = low.wrapping_sub(high);
        *d = low_off.wrapping_sub(high_off);
    }
}
