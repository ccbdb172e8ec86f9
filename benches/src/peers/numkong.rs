//! The crate `numkong`, behind a feature: dot products of int8 numbers and Hamming distances of bits.
#![allow(unsafe_code)]

use super::{Bits, Int8, Peers};
use numkong::{Dots, Hammings, u1x8};

/// Adds what it has for packed features.
pub(super) fn add_to(peers: &mut Peers) {
    peers.int8.push(Box::new(NumKong));
    peers.bits.push(Box::new(NumKong));
}

struct NumKong;

impl Int8 for NumKong {
    fn name(&self) -> &'static str {
        "numkong"
    }

    fn syrk(&self, n: usize, k: usize, a: &[i8], _: &[u8], c: &mut [i32]) {
        assert!(a.len() >= n * k && c.len() >= n * n);
        // SAFETY: n rows of k bytes and of n 32-bit numbers lie inside their slices (asserted above).
        unsafe { i8::dots_symmetric(a.as_ptr(), n, k, k, c.as_mut_ptr(), 4 * n, 0, n) };
    }
}

impl Bits for NumKong {
    fn name(&self) -> &'static str {
        "numkong"
    }

    fn hammings(&self, n: usize, words: usize, a: &[u64], c: &mut [u32]) {
        assert!(a.len() >= n * words && c.len() >= n * n);
        let from: *const u1x8 = a.as_ptr().cast();
        // SAFETY: n rows of 64 · words bits and of n 32-bit numbers lie inside their slices (asserted above).
        unsafe {
            u1x8::hammings_symmetric(from, n, 64 * words, 8 * words, c.as_mut_ptr(), 4 * n, 0, n);
        }
    }
}
