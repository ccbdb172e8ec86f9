//! Bit-matrix transpose, 64 × 64 bits at a time.

/// Transposes 64 × 64 bits: bit `j` of word `i` becomes bit `i` of word `j`.
///
/// Warren's recursive transpose (*Hacker's Delight*, §7-3): each of six rounds swaps the off-diagonal quarters of every
/// square and halves its side. Between the third and the fourth the words are put into another order, as are the columns
/// of an 8 × 8 matrix and its rows, so that all rounds swap between neighbours of eight words, which are a register.
#[inline(always)]
pub(super) fn transpose_bits(words: &mut [u64; 64]) {
    swap_quarters::<32, 32>(words);
    swap_quarters::<16, 16>(words);
    swap_quarters::<8, 8>(words);
    exchange_order(words);
    swap_quarters::<32, 4>(words);
    swap_quarters::<16, 2>(words);
    swap_quarters::<8, 1>(words);
    exchange_order(words);
}

/// Swaps the quarters of squares with sides of 2 · `HALF` bits, whose rows are `DISTANCE` words apart.
#[inline(always)]
fn swap_quarters<const DISTANCE: usize, const HALF: u32>(words: &mut [u64; 64]) {
    // The low bits of every 2 · HALF.
    let mask = u64::MAX / ((1_u64 << HALF) + 1);
    for squares in words.chunks_exact_mut(2 * DISTANCE) {
        let (top, bottom) = squares.split_at_mut(DISTANCE);
        for (top, bottom) in top.iter_mut().zip(bottom) {
            let swap = (*top >> HALF ^ *bottom) & mask;
            *top ^= swap << HALF;
            *bottom ^= swap;
        }
    }
}

/// Puts word 8 · i + j where word 8 · j + i was.
#[inline(always)]
fn exchange_order(words: &mut [u64; 64]) {
    for i in 0..8 {
        for j in 0..i {
            words.swap(8 * i + j, 8 * j + i);
        }
    }
}
