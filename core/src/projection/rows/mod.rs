//! Forms whose rows are words of trits: the kernels they share, and the two that are nothing but rows.

mod masked_add;
mod planes;
mod seeded;
mod tables;
mod tile_planes;

pub use seeded::Seeded;

use core::ops::Range;

use super::{Projection, ScratchSizes, bits, sealed::Sealed};
use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::trits::{TritMatrix, Word};

/// A form that can produce any of its rows as words of trits. Everything else is provided.
pub trait Rows {
    /// Numbers in a row.
    fn inputs(&self) -> usize;

    /// Rows.
    fn features(&self) -> usize;

    /// The words of a row, in order. There may be more of them than the row has inputs, and bits beyond the last
    /// input may be set: readers ignore both.
    fn row_words(&self, row: usize) -> impl Iterator<Item = Word>;

    /// The words of several rows.
    #[inline(always)]
    fn rows(&self, features: Range<usize>) -> impl Iterator<Item = impl Iterator<Item = Word>> {
        features.map(
            #[inline(always)]
            move |row| self.row_words(row),
        )
    }

    /// The planes, if they lie in memory row by row and need not be copied.
    #[inline(always)]
    fn planes(&self) -> Option<TritMatrix<&[u64]>> {
        None
    }

    /// Features in a tile of one sample.
    fn sample_tile_features(&self) -> usize {
        64
    }

    /// As [`Projection::project_sample`]: masked adds.
    fn project_sample<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        masked_add::project_sample(simd, self.rows(features), sample, sums);
    }

    /// As [`Projection::project_sample_angles`].
    #[inline(always)]
    fn project_sample_angles<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        self.project_sample(simd, sample, features, sums);
    }

    /// As [`Projection::project_sample_bits`]: popcounts.
    fn project_sample_bits<S: Simd>(
        &self,
        simd: S,
        sample: &[u64],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        masked_add::project_sample_bits(simd, self.rows(features), sample, sums);
    }
}

impl<W: Rows> Sealed for W {}

impl<W: Rows> Projection for W {
    fn inputs(&self) -> usize {
        Rows::inputs(self)
    }

    fn features(&self) -> usize {
        Rows::features(self)
    }

    fn scratch_sizes(&self) -> ScratchSizes {
        let (inputs, features) = (Rows::inputs(self), Rows::features(self));
        let plane_lines = match self.planes() {
            Some(_) => 0,
            None => tile_planes::lines(inputs, features),
        };
        ScratchSizes {
            tile_features: tables::tile_features(features),
            work_lines: tables::LINES + plane_lines,
            sample_tile_features: self.sample_tile_features(),
            bits_tile_features: bits::tile_features(features),
            bits_plane_lines: bits::plane_lines(inputs, features),
            ..ScratchSizes::minimal(inputs)
        }
    }

    fn project_sample<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [i32],
    ) {
        Rows::project_sample(self, simd, sample, features, sums);
    }

    fn project_sample_angles<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [i32],
    ) {
        Rows::project_sample_angles(self, simd, sample, features, sums);
    }

    /// Copies the planes of the tile behind the tables, once for all blocks of samples, unless they can be read
    /// where they are.
    fn begin_tile<S: Simd>(&self, simd: S, features: Range<usize>, work: &mut [Line]) {
        if self.planes().is_none() {
            let (inputs, all) = (Rows::inputs(self), Rows::features(self));
            let (_, planes) = work.split_at_mut(tables::LINES);
            tile_planes::write(simd, self.rows(features), inputs, all, planes);
        }
    }

    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let (tables, planes) = work.split_at_mut(tables::LINES);
        match self.planes() {
            Some(planes) => tables::project(simd, planes, features, block, tables, sums),
            None => {
                let (inputs, all) = (Rows::inputs(self), Rows::features(self));
                let tile = tile_planes::read(inputs, all, features.len(), planes);
                tables::project(simd, tile, 0..features.len(), block, tables, sums);
            }
        }
    }

    const PROJECTS_BITS: bool = true;

    fn project_sample_bits<S: Simd>(
        &self,
        simd: S,
        sample: &[u64],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        Rows::project_sample_bits(self, simd, sample, features, sums);
    }

    fn begin_bits_tile<S: Simd>(&self, simd: S, features: Range<usize>, planes: &mut [Line]) {
        bits::begin_tile(simd, self.rows(features), Rows::inputs(self), planes);
    }
}
