//! Ternary random features without allocation.
#![no_std]
