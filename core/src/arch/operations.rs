//! The operations of an instruction set, ordered by lane width.
//!
//! Arithmetic wraps. A vector is named after its lanes: `I16` has [`LANES`](super::LANES) of them, `I32` has
//! [`HALF`], `U64` has 8 and `U8` has 64, which is 64 bytes each.

use super::sealed::Sealed;
use super::{Bounds, Comparisons, HALF, LANES, Lanes16, Table, transpose};

/// Most calls of [`Operations::count64`] between two reads of a count: each call adds at most 8 to a byte lane, and
/// 31 × 8 fits in a `u8`.
pub const MAX_COUNTS: usize = 31;

/// Whether this many numbers hold 16 rows of 16 at a distance.
#[inline(always)]
pub(super) const fn holds_tile(numbers: usize, stride: usize) -> bool {
    match stride.checked_mul(HALF - 1) {
        Some(last_row) => numbers >= HALF && numbers - HALF >= last_row,
        None => false,
    }
}

/// What kernels may ask of an instruction set. Reached through [`Simd`](super::Simd), which extends it.
pub trait Operations: Copy + Sealed {
    // Speed flags: which of two ways to the same result is faster on this ISA.

    /// Codes that [`lookup8`](Self::lookup8) distinguishes, 16 or 128; 0 where counting bits is faster than looking
    /// bytes up.
    const BYTE_LOOKUP_CODES: usize;

    /// Lines of 64 bytes that all vector registers hold together: the room for the sums of a tile.
    const REGISTER_LINES: usize;

    /// Whether [`add_trits`](Self::add_trits) is faster than visiting every set bit.
    const FAST_ADD_TRITS: bool;

    /// Whether [`lookup64`](Self::lookup64) is faster than one load per word.
    const FAST_LOOKUP64: bool;

    /// Whether [`add_byte_dots`](Self::add_byte_dots) is faster than looking sums of 16-bit numbers up.
    const FAST_BYTE_DOTS: bool = false;

    // Bytes: 64 lanes.

    /// Sixty-four bytes.
    type U8: Copy;

    /// What [`lookup8`](Self::lookup8) looks up in.
    type Table: Copy;

    /// Zero in every byte.
    fn zero8(self) -> Self::U8;

    /// Reads every byte.
    fn load8(self, from: &[u8; 64]) -> Self::U8;

    /// `a + b` in every byte.
    fn add8(self, a: Self::U8, b: Self::U8) -> Self::U8;

    /// The even bytes and the odd bytes, in 16 bits each.
    fn split8(self, bytes: Self::U8) -> [Self::I16; 2];

    /// Reads a table.
    fn table8(self, from: &Table) -> Self::Table;

    /// The entry of the table for every byte of `codes`, all of which are below
    /// [`BYTE_LOOKUP_CODES`](Self::BYTE_LOOKUP_CODES).
    fn lookup8(self, table: Self::Table, codes: Self::U8) -> Self::U8;

    /// Writes trits as bytes, one more than each, which is what [`add_byte_dots`](Self::add_byte_dots) takes.
    #[inline(always)]
    fn unpack_trits(self, sign: u64, mask: u64, to: &mut [u8; 64]) {
        for (bit, byte) in to.iter_mut().enumerate() {
            *byte = (1 + (mask >> bit & 1) - 2 * (sign >> bit & 1)) as u8;
        }
    }

    /// Adds the product of each byte, at most 2, with its number, at least −127, to one of the sums; which lane receives
    /// which product is unspecified.
    #[inline(always)]
    fn add_byte_dots(self, sums: Self::I32, bytes: &[u8; 64], numbers: &[i8; 64]) -> Self::I32 {
        let mut lanes = [0; HALF];
        self.store32(&mut lanes, sums);
        for (k, (&byte, &number)) in bytes.iter().zip(numbers).enumerate() {
            let sum = &mut lanes[k % HALF];
            *sum = i32::wrapping_add(*sum, byte as i32 * number as i32);
        }
        self.load32(&lanes)
    }

    // 16 bits: 32 lanes.

    /// A 16-bit number in every lane.
    type I16: Copy;

    /// The sums of all subsets of 16 numbers, in the layout that is looked up fastest.
    type Subsets: Copy;

    /// The same number in every lane.
    fn splat16(self, number: i16) -> Self::I16;

    /// Reads every lane.
    fn load16(self, from: &Lanes16) -> Self::I16;

    /// Writes every lane.
    fn store16(self, to: &mut Lanes16, value: Self::I16);

    /// `a + b` in every lane.
    fn add16(self, a: Self::I16, b: Self::I16) -> Self::I16;

    /// `a − b` in every lane.
    fn sub16(self, a: Self::I16, b: Self::I16) -> Self::I16;

    /// Prepares the sums of all subsets of 16 numbers. Sums wrap.
    fn subsets(self, numbers: &[i16; 16]) -> Self::Subsets;

    /// In every lane, the sum of the numbers at the set bits of its code.
    fn subset_sums(self, subsets: &Self::Subsets, codes: &Lanes16) -> Self::I16;

    /// The same numbers in 32 bits.
    fn widen(self, value: Self::I16) -> [Self::I32; 2];

    /// `sums + times · value` in 32 bits, the even lanes in the first half and the odd ones in the second. Cheaper
    /// than [`widen`](Self::widen), for kernels that may choose the order of lanes.
    fn add_widened(self, sums: [Self::I32; 2], value: Self::I16, times: i16) -> [Self::I32; 2];

    // 16 bits, one register: a part of a line. For kernels that keep several lines in registers.

    /// A register of 16-bit lanes.
    type Part16: Copy;

    /// Registers that hold a line.
    const LINE_PARTS: usize;

    /// The same number in every lane.
    fn splat_part16(self, number: i16) -> Self::Part16;

    /// Reads a part of a line.
    fn load_part16(self, from: &Lanes16, part: usize) -> Self::Part16;

    /// Writes a part of a line.
    fn store_part16(self, to: &mut Lanes16, part: usize, value: Self::Part16);

    /// `a + b` in every lane.
    fn add_part16(self, a: Self::Part16, b: Self::Part16) -> Self::Part16;

    /// `a − b` in every lane.
    fn sub_part16(self, a: Self::Part16, b: Self::Part16) -> Self::Part16;

    /// `a ^ b`.
    fn xor_part16(self, a: Self::Part16, b: Self::Part16) -> Self::Part16;

    /// `value >> by` in every lane, with its sign, for `by` below 16.
    fn shift_part16(self, value: Self::Part16, by: u32) -> Self::Part16;

    /// `!value` in the lanes whose bit is set.
    fn not_part16_where(self, value: Self::Part16, bits: u32) -> Self::Part16;

    /// The Walsh–Hadamard transform of the lanes: the sums Σⱼ (−1)^popcount(i ∧ j) · valueⱼ.
    fn hadamard_part16(self, value: Self::Part16) -> Self::Part16;

    /// Bit `lane` is set where `a > b`.
    fn greater_part16(self, a: Self::Part16, b: Self::Part16) -> u32;

    /// Whether the first sums of eight features are above the first bound of their sample, and whether the second are
    /// below the second, for the samples in a part. Bit `k` of `choice` says which pair of bounds applies to feature `k`.
    ///
    /// `bits` collects eight such octets of all parts, in a layout of the ISA's own; [`words`](Self::words) reads it.
    fn compare_part16(
        self,
        bits: &mut [Comparisons; 2],
        octet: usize,
        part: usize,
        sums: [[Self::Part16; 8]; 2],
        bounds: &Bounds,
        choice: u8,
    );

    /// The results of 64 features, a word per sample, bit `8 · octet + k` for feature `k` of an octet.
    fn words(self, bits: &Comparisons) -> [u64; LANES];

    // 32 bits: 16 lanes.

    /// A 32-bit number in every lane of a half.
    type I32: Copy;

    /// The same number in every lane.
    fn splat32(self, number: i32) -> Self::I32;

    /// Reads every lane of a half, at any alignment.
    fn load32(self, from: &[i32; HALF]) -> Self::I32;

    /// Writes every lane of a half, at any alignment.
    fn store32(self, to: &mut [i32; HALF], value: Self::I32);

    /// Asks for numbers that will be needed soon. May do nothing.
    fn prefetch32(self, from: &[i32]);

    /// `a + b` in every lane.
    fn add32(self, a: Self::I32, b: Self::I32) -> Self::I32;

    /// `a − b` in every lane.
    fn sub32(self, a: Self::I32, b: Self::I32) -> Self::I32;

    /// `a · b` in every lane.
    fn mul32(self, a: Self::I32, b: Self::I32) -> Self::I32;

    /// `−value` in every lane if `flip` is −1, `value` if it is 0.
    fn flip32(self, value: Self::I32, flip: i32) -> Self::I32;

    /// Bit `lane` is set where `a > b`.
    fn greater32(self, a: Self::I32, b: Self::I32) -> u32;

    /// Bit `lane` is set where `a > b`, both without a sign.
    #[inline(always)]
    fn greater32_unsigned(self, a: Self::I32, b: Self::I32) -> u32 {
        let turn = self.splat32(i32::MIN);
        self.greater32(self.add32(a, turn), self.add32(b, turn))
    }

    /// Adds each number times its trit to one of the sums; which lane receives which product is unspecified.
    #[inline(always)]
    fn add_trits(self, sums: Self::I32, sign: u32, mask: u32, numbers: &[i16; LANES]) -> Self::I32 {
        let mut lanes = [0; HALF];
        self.store32(&mut lanes, sums);
        for (lane, &number) in numbers.iter().enumerate() {
            let trit = (mask >> lane & 1) as i32 - 2 * (sign >> lane & 1) as i32;
            let sum = &mut lanes[lane % HALF];
            *sum = sum.wrapping_add(trit * number as i32);
        }
        self.load32(&lanes)
    }

    /// `sums + numbers` in the lanes whose bit of `mask` is set, `sums − numbers` if that of `sign` is, too; all of them
    /// the bits of `f32` numbers.
    #[inline(always)]
    fn add_trits_f32(self, sums: Self::I32, numbers: Self::I32, sign: u32, mask: u32) -> Self::I32 {
        let (mut lanes, mut others) = ([0; HALF], [0; HALF]);
        self.store32(&mut lanes, sums);
        self.store32(&mut others, numbers);
        // Compared with a constant per lane, the bits become vectors of masks.
        for lane in 0..HALF {
            let flip = if sign & 1 << lane != 0 { i32::MIN } else { 0 };
            let number = f32::from_bits((others[lane] ^ flip) as u32);
            let changed = f32::from_bits(lanes[lane] as u32) + number;
            if mask & 1 << lane != 0 {
                lanes[lane] = changed.to_bits() as i32;
            }
        }
        self.load32(&lanes)
    }

    /// Copies 16 × 16 numbers, transposed, from the start of a matrix to the start of another, both with rows at a
    /// distance of `stride`. Copies nothing if one of them is too short.
    #[inline(always)]
    fn transpose32(self, from: &[i32], to: &mut [i32], stride: usize) {
        if !holds_tile(from.len().min(to.len()), stride) {
            return;
        }
        for (i, to) in to.chunks_mut(stride.max(1)).enumerate().take(HALF) {
            for (to, from) in to.iter_mut().zip(from.chunks(stride.max(1))).take(HALF) {
                *to = *present!(from.get(i), else return);
            }
        }
    }

    // 64 bits: 8 lanes.

    /// Eight 64-bit words.
    type U64: Copy;

    /// The same word in every lane.
    fn splat64(self, word: u64) -> Self::U64;

    /// Reads eight words.
    fn load64(self, from: &[u64; 8]) -> Self::U64;

    /// Writes eight words.
    fn store64(self, to: &mut [u64; 8], value: Self::U64);

    /// Writes the low half of every word.
    fn store64_as32(self, to: &mut [i32; 8], value: Self::U64);

    /// `a & b`.
    fn and64(self, a: Self::U64, b: Self::U64) -> Self::U64;

    /// `a ^ b`.
    fn xor64(self, a: Self::U64, b: Self::U64) -> Self::U64;

    /// `a + b` in every word.
    fn add64(self, a: Self::U64, b: Self::U64) -> Self::U64;

    /// `a − b` in every word.
    fn sub64(self, a: Self::U64, b: Self::U64) -> Self::U64;

    /// `words << by` in every word, for `by` below 64.
    fn shl64(self, words: Self::U64, by: u32) -> Self::U64;

    /// `words >> by` in every word, for `by` below 64.
    fn shr64(self, words: Self::U64, by: u32) -> Self::U64;

    /// Adds the number of set bits of every word to a count that starts from zero, up to [`MAX_COUNTS`] times. The
    /// representation of a count is the one that is cheapest to add to.
    fn count64(self, count: Self::U64, words: Self::U64) -> Self::U64;

    /// What [`count64`](Self::count64) has counted in every word.
    fn counted64(self, count: Self::U64) -> Self::U64;

    /// The number of set bits of every word.
    #[inline(always)]
    fn popcount64(self, words: Self::U64) -> Self::U64 {
        self.counted64(self.count64(self.splat64(0), words))
    }

    /// Up to eight words, and zeros for the others.
    #[inline(always)]
    fn load64_padded(self, words: &[u64]) -> Self::U64 {
        let mut padded = [0; 8];
        for (padded, word) in padded.iter_mut().zip(words) {
            *padded = *word;
        }
        self.load64(&padded)
    }

    /// Asks for the cache line of an address, which need not be anybody's: nothing is read.
    #[inline(always)]
    fn prefetch64(self, _: *const [u64; 8]) {}

    /// The same into L2, which takes more requests at a time: for data from memory.
    #[inline(always)]
    fn prefetch64_to_l2(self, _: *const [u64; 8]) {}

    /// The sum of the words of each of eight vectors, modulo 2⁶⁴.
    #[inline(always)]
    fn totals64(self, vectors: [Self::U64; 8]) -> [u64; 8] {
        let mut totals = [0; 8];
        for k in 0..8 {
            let mut words = [0; 8];
            self.store64(&mut words, vectors[k]);
            for word in words {
                totals[k] = u64::wrapping_add(totals[k], word);
            }
        }
        totals
    }

    /// Word `j` of vector `i` becomes word `i` of vector `j`.
    #[inline(always)]
    fn transpose64(self, vectors: [Self::U64; 8]) -> [Self::U64; 8] {
        let mut rows = [[0; 8]; 8];
        for i in 0..8 {
            self.store64(&mut rows[i], vectors[i]);
        }
        let mut transposed = vectors;
        for j in 0..8 {
            let mut column = [0; 8];
            for i in 0..8 {
                column[i] = rows[i][j];
            }
            transposed[j] = self.load64(&column);
        }
        transposed
    }

    /// Cuts 32 words into codes of 16 bits: line `k` has the `k`-th 16 bits of every word, those of the first sixteen words
    /// in the even lanes and those of the others in the odd ones.
    #[inline(always)]
    fn codes64(self, words: &[[u64; 8]; 4], lines: &mut [Lanes16; 4]) {
        let (first, last) = words.as_flattened().split_at(HALF);
        for (k, line) in lines.iter_mut().enumerate() {
            let pairs = line.0.as_chunks_mut::<2>().0;
            for ((pair, first), last) in pairs.iter_mut().zip(first).zip(last) {
                *pair = [(first >> (16 * k)) as i16, (last >> (16 * k)) as i16];
            }
        }
    }

    /// Transposes 64 × 64 bits: bit `j` of word `i` becomes bit `i` of word `j`.
    #[inline(always)]
    fn transpose_bits(self, words: &mut [u64; 64]) {
        transpose::transpose_bits(words);
    }

    /// The entry of the table for the low four bits of every word.
    #[inline(always)]
    fn lookup64(self, table: &[u64; 16], codes: Self::U64) -> Self::U64 {
        let mut words = [0; 8];
        self.store64(&mut words, codes);
        for word in &mut words {
            *word = table[(*word % 16) as usize];
        }
        self.load64(&words)
    }

    /// `a + b` in every word, all of them the bits of `f64` numbers.
    #[inline(always)]
    fn add_f64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        let (mut sums, mut others) = ([0; 8], [0; 8]);
        self.store64(&mut sums, a);
        self.store64(&mut others, b);
        for (sum, other) in sums.iter_mut().zip(others) {
            *sum = (f64::from_bits(*sum) + f64::from_bits(other)).to_bits();
        }
        self.load64(&sums)
    }
}
