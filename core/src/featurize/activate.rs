//! σ and packing: sums to planes, 64 features at a time.

use super::periodic::{self, HighPhases, Phases};
use super::thresholds::{BlockSigma, Cuts, SampleSigma};
use crate::arch::{Comparisons, HALF, LANES, Lanes16, Lanes32, Simd};
use crate::trits::Word;

/// The trits of the sums of some features of one sample, from feature `first` on, a word at a time.
#[inline(always)]
pub(crate) fn pack_sample<S: Simd>(
    simd: S,
    first: usize,
    sums: &[i32],
    sigma: &SampleSigma,
    write: impl FnMut(Word),
) {
    match sigma {
        SampleSigma::Bands(cuts) => pack_by_cuts(simd, sums, cuts, write),
        SampleSigma::Periodic { phases, .. } => {
            pack_angles(simd, first, sums, 1, &[], *phases, write);
        }
    }
}

/// [`pack_sample`] for sums of packed bits: for a periodic σ each bit has a size of its own. Phases that are
/// [written](write_phases) need not be computed.
#[inline(always)]
pub(super) fn pack_sample_of_bits<S: Simd>(
    simd: S,
    first: usize,
    sums: &[i32],
    written: &[HighPhases],
    sigma: &SampleSigma,
    write: impl FnMut(Word),
) {
    match sigma {
        SampleSigma::Bands(cuts) => pack_by_cuts(simd, sums, cuts, write),
        SampleSigma::Periodic { phases, factor } => {
            let times = periodic::of_one(*factor);
            pack_angles(simd, first, sums, times, written, *phases, write);
        }
    }
}

/// The phases of the features from `first` on, a word each.
#[inline(always)]
pub(super) fn write_phases<S: Simd>(
    simd: S,
    first: usize,
    phases: Phases,
    words: &mut [HighPhases],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (index, word) in words.iter_mut().enumerate() {
                *word = phases.high_halves(simd, first / 64 + index);
            }
        },
    );
}

#[inline(always)]
fn pack_by_cuts<S: Simd>(simd: S, sums: &[i32], cuts: &Cuts, mut write: impl FnMut(Word)) {
    simd.vectorize(
        #[inline(always)]
        || {
            for sums in sums.chunks(64) {
                write(pack_word(simd, sums, cuts));
            }
        },
    );
}

/// The trits of sums that are angles once they are multiplied.
#[inline(always)]
fn pack_angles<S: Simd>(
    simd: S,
    first: usize,
    sums: &[i32],
    times: i16,
    written: &[HighPhases],
    phases: Phases,
    mut write: impl FnMut(Word),
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let times = simd.splat32(i32::from(times) << 16);
            let (words, rest) = sums.as_chunks::<64>();
            let mut last = [0; 64];
            for (last, sum) in last.iter_mut().zip(rest) {
                *last = *sum;
            }
            let words = words.iter().chain((!rest.is_empty()).then_some(&last));
            for (index, sums) in words.enumerate() {
                write(match written.get(index) {
                    Some(phases) => periodic::word_of_high_halves(simd, sums, times, phases),
                    None => {
                        let phases = phases.high_halves(simd, first / 64 + index);
                        periodic::word_of_high_halves(simd, sums, times, &phases)
                    }
                });
            }
        },
    );
}

/// The trits of up to 64 sums of one sample: the bits of a comparison are the packed word.
#[inline(always)]
fn pack_word<S: Simd>(simd: S, sums: &[i32], cuts: &Cuts) -> Word {
    let mut word = Word::default();
    let (halves, rest) = sums.as_chunks::<HALF>();
    // A constant count, so that the loop is unrolled and the shifts are constants.
    for part in 0..64 / HALF {
        let Some(sums) = halves.get(part) else { break };
        let Word { sign, mask } = pack_part(simd, simd.load32(sums), cuts);
        word.sign |= sign << (HALF * part);
        word.mask |= mask << (HALF * part);
    }
    if !rest.is_empty() {
        let mut last = [0; HALF];
        last[..rest.len()].copy_from_slice(rest);
        let Word { sign, mask } = pack_part(simd, simd.load32(&last), cuts);
        let keep = (1 << rest.len()) - 1;
        word.sign |= (sign & keep) << (HALF * halves.len());
        word.mask |= (mask & keep) << (HALF * halves.len());
    }
    word
}

/// The trits of a register of sums.
#[inline(always)]
fn pack_part<S: Simd>(simd: S, sums: S::I32, cuts: &Cuts) -> Word {
    let mut plus = simd.greater32(sums, simd.splat32(cuts.above_outer));
    let mut minus = simd.greater32(simd.splat32(cuts.below_inner), sums);
    if cuts.four {
        plus |= simd.greater32(simd.splat32(cuts.below_outer), sums);
        minus &= simd.greater32(sums, simd.splat32(cuts.above_inner));
    }
    Word { sign: minus as u64, mask: (plus | minus) as u64 }
}

/// The cuts of a block of samples, in the order of [`Cuts`], one sample per lane.
pub(crate) type LaneCuts = [Lanes32; 4];

/// Sets the cuts of the sample in `lane`.
#[inline(always)]
pub(super) fn set_lane(lanes: &mut LaneCuts, lane: usize, cuts: &Cuts) {
    let (half, lane) = (lane / HALF, lane % HALF);
    let cuts = [cuts.below_outer, cuts.above_inner, cuts.below_inner, cuts.above_outer];
    for (lanes, cut) in lanes.iter_mut().zip(cuts) {
        lanes.0[half][lane] = cut;
    }
}

/// Reads the cuts of the sample in `lane`.
#[inline(always)]
pub(super) fn lane(lanes: &LaneCuts, lane: usize, four: bool) -> Cuts {
    let read = |cut: &Lanes32| cut.0[lane / HALF][lane % HALF];
    let [below_outer, above_inner, below_inner, above_outer] = lanes.each_ref().map(read);
    Cuts { below_outer, above_inner, below_inner, above_outer, four }
}

/// The trits of the sums of some features of every sample of a block, from feature `first` on, 64 features at a time:
/// the sign and the mask, a word per lane.
#[inline(always)]
pub(crate) fn pack_block<S: Simd>(
    simd: S,
    first: usize,
    sums: &[Lanes32],
    sigma: &BlockSigma<'_>,
    write: impl FnMut(&[u64; LANES], &[u64; LANES]),
) {
    match *sigma {
        BlockSigma::Bands { cuts, four } => pack_block_by_cuts(simd, sums, cuts, four, write),
        BlockSigma::Periodic(phases) => pack_block_angles(simd, first, sums, phases, write),
    }
}

/// The trits of sums that are angles.
#[inline(always)]
fn pack_block_angles<S: Simd>(
    simd: S,
    first: usize,
    sums: &[Lanes32],
    phases: Phases,
    mut write: impl FnMut(&[u64; LANES], &[u64; LANES]),
) {
    for (index, sums) in sums.chunks(64).enumerate() {
        let mut bits = [Comparisons::ZERO; 2];
        let [sign, mask] = simd.vectorize(
            #[inline(always)]
            || {
                let phases: [i16; 64] = bytemuck::cast(phases.of_word(simd, first / 64 + index));
                let (phases, _) = phases.as_chunks::<8>();
                for (octet, (sums, phases)) in sums.chunks(8).zip(phases).enumerate() {
                    let mut lines = [Lanes16([0; LANES]); 8];
                    for ((line, sums), phase) in lines.iter_mut().zip(sums).zip(phases) {
                        for (angle, &sum) in line.0.iter_mut().zip(sums.0.as_flattened()) {
                            *angle = (sum as i16).wrapping_add(*phase);
                        }
                    }
                    for part in 0..S::LINE_PARTS {
                        let mut angles = [simd.splat_part16(0); 8];
                        for k in 0..8 {
                            angles[k] = simd.load_part16(&lines[k], part);
                        }
                        periodic::compare(simd, &mut bits, octet, part, angles);
                    }
                }
                periodic::words(simd, &bits)
            },
        );
        write(&sign, &mask);
    }
}

/// The trits of sums that are compared with cuts.
///
/// Each sample's word is built by shifting in one comparison per feature, so that no bits need to be
/// transposed: three vector operations per plane.
#[inline(always)]
fn pack_block_by_cuts<S: Simd>(
    simd: S,
    sums: &[Lanes32],
    cuts: &LaneCuts,
    four: bool,
    mut write: impl FnMut(&[u64; LANES], &[u64; LANES]),
) {
    for sums in sums.chunks(64) {
        let (mut sign, mut mask) = ([0; LANES], [0; LANES]);
        simd.vectorize(
            #[inline(always)]
            || {
                for (half, sums) in sums.chunks(32).enumerate() {
                    let (plus, minus) = match four {
                        true => pack_half::<true>(sums, cuts),
                        false => pack_half::<false>(sums, cuts),
                    };
                    let (plus, minus) = (plus.as_flattened(), minus.as_flattened());
                    // Fewer than 32 features leave unused bits at the bottom.
                    let down = 32 - sums.len();
                    for lane in 0..LANES {
                        let (plus, minus) = (plus[lane] as u64, minus[lane] as u64);
                        sign[lane] |= (minus >> down) << (32 * half);
                        mask[lane] |= ((plus | minus) >> down) << (32 * half);
                    }
                }
            },
        );
        write(&sign, &mask);
    }
}

/// Up to 32 features: the bits of +1 and of −1, the last feature at the top.
#[inline(always)]
fn pack_half<const FOUR: bool>(
    sums: &[Lanes32],
    cuts: &LaneCuts,
) -> ([[u32; HALF]; 2], [[u32; HALF]; 2]) {
    let [below_outer, above_inner, below_inner, above_outer] = cuts;
    let mut plus = [[0; HALF]; 2];
    let mut minus = [[0; HALF]; 2];
    for half in 0..2 {
        for sum in sums {
            for lane in 0..HALF {
                let sum = sum.0[half][lane];
                let mut above = sum > above_outer.0[half][lane];
                let mut below = sum < below_inner.0[half][lane];
                if FOUR {
                    above |= sum < below_outer.0[half][lane];
                    below &= sum > above_inner.0[half][lane];
                }
                plus[half][lane] = plus[half][lane] >> 1 | (above as u32) << 31;
                minus[half][lane] = minus[half][lane] >> 1 | (below as u32) << 31;
            }
        }
    }
    (plus, minus)
}
