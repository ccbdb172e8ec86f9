//! Inner products of packed features, many at a time.

use crate::arch::{Kernel, Simd};
use crate::error::{Buffer, Error, Size, reach, same};
use crate::trits::TritMatrix;

/// Every dot product between the rows of `a` and the rows of `b`:
/// `out[i × b.rows() + j] = a.row(i) · b.row(j)`, exact.
///
/// Two popcounts per 64 features and pair. The Gram matrix of the features is this divided by their
/// number.
///
/// # Errors
///
/// [`Error::SizeMismatch`] if the rows differ in length, [`Error::SizeOverflow`] if no output could
/// hold the result, [`Error::TooShort`] if `out` does not. Nothing is written then.
///
/// ```
/// use ternion_core::{Native, TritMatrix, dots};
///
/// let a = TritMatrix::new(2, 3, [0b010, 0b110], [0b011, 0b111])?; // (+1 −1 0), (+1 −1 −1)
/// let mut out = [0; 4];
/// dots(Native, &a, &a, &mut out)?;
/// assert_eq!(out, [2, 2, 2, 3]);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn dots<S: Simd, A: AsRef<[u64]>, B: AsRef<[u64]>>(
    simd: S,
    a: &TritMatrix<A>,
    b: &TritMatrix<B>,
    out: &mut [i32],
) -> Result<(), Error> {
    same(Size::Cols, a.cols(), b.cols())?;
    let overflow = Error::SizeOverflow { rows: a.rows(), cols: b.rows() };
    let needed = a.rows().checked_mul(b.rows()).ok_or(overflow)?;
    reach(Buffer::Output, needed, out.len())?;
    simd.run(Dots { a: a.view(), b: b.view(), out });
    Ok(())
}

/// All pairs, as one piece of work for [`Simd::run`].
struct Dots<'a> {
    a: TritMatrix<&'a [u64]>,
    b: TritMatrix<&'a [u64]>,
    out: &'a mut [i32],
}

impl Kernel for Dots<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (a, out) in self.a.iter_rows().zip(self.out.chunks_mut(self.b.rows())) {
            for (b, out) in self.b.iter_rows().zip(out) {
                let mut sum = 0;
                let left = a.sign().iter().zip(a.mask());
                let right = b.sign().iter().zip(b.mask());
                for ((s, m), (t, n)) in left.zip(right) {
                    let common = m & n;
                    sum += common.count_ones() as i32;
                    sum -= 2 * ((s ^ t) & common).count_ones() as i32;
                }
                *out = sum;
            }
        }
    }
}
