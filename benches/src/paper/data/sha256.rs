//! SHA-256 (FIPS 180-4), so that figures are never those of another file.

/// The first 32 bits of the fractional part of a root, √p or ∛p, of a prime.
fn fraction(root: f64) -> u32 {
    (root.fract() * f64::from(u32::MAX) + root.fract()) as u32
}

/// The constants of the rounds and the first state, which are defined by the first 64 primes.
fn constants() -> ([u32; 64], [u32; 8]) {
    let is_prime = |n: &u32| (2..*n).all(|d| !n.is_multiple_of(d));
    let mut primes = (2u32..).filter(is_prime);
    let primes: [f64; 64] = core::array::from_fn(|_| f64::from(primes.next().unwrap_or(2)));
    (primes.map(|p| fraction(p.cbrt())), core::array::from_fn(|i| fraction(primes[i].sqrt())))
}

/// The digest of some bytes in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    let (round, mut state) = constants();
    let whole = bytes.len() / 64 * 64;
    let mut tail = bytes[whole..].to_vec();
    tail.push(0x80);
    tail.resize((tail.len() + 8).next_multiple_of(64) - 8, 0);
    tail.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in bytes[..whole].chunks(64).chain(tail.chunks(64)) {
        compress(&mut state, block, &round);
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

fn compress(state: &mut [u32; 8], block: &[u8], round: &[u32; 64]) {
    let mut w = [0u32; 64];
    for (w, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
        *w = u32::from_be_bytes(*bytes);
    }
    for i in 16..64 {
        let (a, b) = (w[i - 15], w[i - 2]);
        let a = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let b = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        w[i] = w[i - 16].wrapping_add(a).wrapping_add(w[i - 7]).wrapping_add(b);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (w, round) in w.into_iter().zip(round) {
        let turned = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let chosen = e & f ^ !e & g;
        let first =
            h.wrapping_add(turned).wrapping_add(chosen).wrapping_add(*round).wrapping_add(w);
        let turned = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = turned.wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (state, word) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *state = state.wrapping_add(word);
    }
}

#[cfg(test)]
mod tests {
    use super::digest;

    /// From the standard's examples, and by coreutils: `printf … | sha256sum`.
    #[test]
    fn known_answers() {
        let of = |text: &str| digest(text.as_bytes());
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of(""), empty);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of("abc"), abc);
        let two_blocks = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        assert_eq!(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), two_blocks);
        // Lengths around that of a block: 55, 56, 63, 64, 65.
        for (count, expected) in EXPECTED {
            assert_eq!(of(&"a".repeat(count)), expected, "{count}");
        }
    }

    const EXPECTED: [(usize, &str); 5] = [
        (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
        (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
        (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
    ];
}
