//! Byte operations on arrays, element by element, for back ends without lookups in registers.
//!
//! A back end must have every operation, but kernels that look bytes up never choose these back ends: their
//! `BYTE_LOOKUP_CODES` is 0.

/// The types and the operations, inside an `impl Operations`.
macro_rules! byte_arrays {
    () => {
        type U8 = [u8; 64];
        type Table = [u8; 16];
        const BYTE_LOOKUP_CODES: usize = 0;

        #[inline(always)]
        fn zero8(self) -> [u8; 64] {
            [0; 64]
        }

        #[inline(always)]
        fn load8(self, from: &[u8; 64]) -> [u8; 64] {
            *from
        }

        #[inline(always)]
        fn add8(self, a: [u8; 64], b: [u8; 64]) -> [u8; 64] {
            core::array::from_fn(|k| a[k].wrapping_add(b[k]))
        }

        #[inline(always)]
        fn split8(self, bytes: [u8; 64]) -> [Self::I16; 2] {
            [0, 1].map(|odd| {
                let lanes = core::array::from_fn(|lane| bytes[2 * lane + odd] as i16);
                self.load16(&super::Lanes16(lanes))
            })
        }

        #[inline(always)]
        fn table8(self, from: &super::Table) -> [u8; 16] {
            core::array::from_fn(|code| from.0[code])
        }

        #[inline(always)]
        fn lookup8(self, table: [u8; 16], codes: [u8; 64]) -> [u8; 64] {
            codes.map(|code| table[code as usize & 15])
        }
    };
}

pub(super) use byte_arrays;
