//! Forms whose rows are words of trits: the kernels they share, and the two that are nothing but rows.

mod masked_add;
mod planes;
mod seeded;
mod tables;
mod tile;

pub use seeded::Seeded;

use core::ops::Range;

use super::{Projection, ScratchSizes, bits, sealed::Sealed};
use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::trits::Word;

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
        ScratchSizes {
            tile_features: tables::tile_features(features),
            work_lines: tables::lines(features) + tile::lines(inputs, features),
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

    /// Writes the tile behind the tables, once for all blocks of samples.
    fn begin_tile<S: Simd>(&self, simd: S, features: Range<usize>, work: &mut [Line]) {
        let (inputs, count) = (Rows::inputs(self), features.len());
        let (_, tile) = work.split_at_mut(tables::lines(Rows::features(self)));
        tile::write(simd, self.rows(features), count, inputs, tile);
    }

    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let (inputs, count) = (Rows::inputs(self), features.len());
        let (tables, tile) = work.split_at_mut(tables::lines(Rows::features(self)));
        let tile = tile::read(count, inputs, tile);
        tables::project(simd, tile, block, tables, &mut sums[..count]);
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
