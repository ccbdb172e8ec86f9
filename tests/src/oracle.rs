//! What the crates promise, in the plainest code.

/// Row `row` of W as `ternion_core::seed` specifies it: each column compares its own 32-bit number with T.
pub fn row_of_w(seed: u64, threshold: u32, row: u64, cols: usize) -> Vec<i8> {
    let mix = |index: u64| {
        let mut z = (seed as u128 + index as u128 * 0x9E37_79B9_7F4A_7C15) as u64;
        z = ((z ^ (z >> 30)) as u128 * 0xBF58_476D_1CE4_E5B9) as u64;
        z = ((z ^ (z >> 27)) as u128 * 0x94D0_49BB_1331_11EB) as u64;
        z ^ (z >> 31)
    };
    let (a, b) = (mix(2 * row + 1), mix(2 * row + 2));
    let mut s = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
    let mut draw = || {
        let rotated = (s[0] as u64 + s[3] as u64) as u32;
        let rotated = rotated.rotate_left(7);
        let out = (rotated as u64 + s[0] as u64) as u32;
        let t = s[1] << 9;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(11);
        out
    };
    let mut trits = Vec::new();
    while trits.len() < cols {
        // `None` while the bits of a column's number are still those of T.
        let mut zero: [Option<bool>; 32] = [None; 32];
        for bit in (0..32).rev() {
            let rest_of_t = threshold as u64 & ((1 << (bit + 1)) - 1);
            if rest_of_t == 0 || zero.iter().all(Option::is_some) {
                break;
            }
            let (word, t) = (draw(), threshold >> bit & 1);
            for (column, zero) in zero.iter_mut().enumerate() {
                let own = word >> column & 1;
                if zero.is_none() && own != t {
                    *zero = Some(own < t);
                }
            }
        }
        let signs = draw();
        for (column, zero) in zero.into_iter().enumerate() {
            let minus = signs >> column & 1 == 1;
            trits.push(match (zero, minus) {
                (Some(true), _) => 0,
                (_, true) => -1,
                (_, false) => 1,
            });
        }
    }
    trits.truncate(cols);
    trits
}

/// Every row of W, one after the other.
pub fn w(seed: u64, threshold: u32, rows: usize, cols: usize) -> Vec<i8> {
    (0..rows as u64).flat_map(|row| row_of_w(seed, threshold, row, cols)).collect()
}

/// A sample of floats as integers, and how many times larger they are, as `ternion_core::quantize` specifies it.
pub fn quantize(sample: &[f32], mean: Option<&[f32]>, scale: Option<&[f32]>) -> (Vec<i64>, f32) {
    let mut y = sample.to_vec();
    for k in 0..y.len() {
        y[k] = mean.map_or(y[k], |mean| y[k] - mean[k]);
        y[k] = scale.map_or(y[k], |scale| y[k] * scale[k]);
    }
    let at = |k: usize| y.get(k).map_or(0.0, |y| y.abs());
    let mut largest = 0.0_f32;
    for start in (0..y.len()).step_by(64) {
        let part = |j: usize| {
            let j = start + j;
            ((at(j) + at(j + 16)) + at(j + 32)) + at(j + 48)
        };
        let eighth = |j: usize| part(j) + part(j + 8);
        let quarter = |j: usize| eighth(j) + eighth(j + 4);
        let half = |j: usize| quarter(j) + quarter(j + 2);
        largest = f32::max(largest, half(0) + half(1));
    }
    let unit = f32::min(32700.0 / largest, 2.0_f32.powi(126));
    (y.iter().map(|y| (y * unit).round_ties_even() as i64).collect(), unit)
}

/// The sums of a structured W as `ternion_core::Structured` specifies them: every transform as a full matrix product.
pub fn structured(seed: u64, features: usize, sample: &[i64]) -> Vec<i64> {
    let size = (0..).map(|k| 1_usize << k).find(|size| *size >= sample.len()).unwrap();
    let k = size.ilog2() as i32;
    let shift = i32::max(k / 2, k - 6);
    let hadamard = |x: &[i64]| -> Vec<i64> {
        let entry = |i: usize, j: usize| 1 - 2 * ((i & j).count_ones() % 2) as i64;
        (0..size).map(|i| (0..size).map(|j| entry(i, j) * x[j]).sum()).collect()
    };
    let signed = |row: u64, x: &[i64]| -> Vec<i64> {
        let signs = row_of_w(seed, 0, row, size);
        x.iter().zip(signs).map(|(x, sign)| x * sign as i64).collect()
    };
    let mut padded = sample.to_vec();
    padded.resize(size, 0);
    let rotated = hadamard(&signed(0, &padded));
    let step = 1 << shift;
    let shrunk: Vec<i64> = rotated.iter().map(|y| (2 * y + step).div_euclid(2 * step)).collect();
    let mut sums = Vec::new();
    for block in 0..features.div_ceil(size) as u64 {
        sums.extend(signed(2 * block + 2, &hadamard(&signed(2 * block + 1, &shrunk))));
    }
    sums.truncate(features);
    sums
}

/// W·x in `i64`.
pub fn project(w: &[i8], sample: &[i64]) -> Vec<i64> {
    w.chunks(sample.len()).map(|row| dot(row, sample)).collect()
}

/// Σ a·b in `i64`.
pub fn dot<A: Copy + Into<i64>, B: Copy + Into<i64>>(a: &[A], b: &[B]) -> i64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(&a, &b)| a.into() * b.into()).sum()
}

/// σ of an integer sum that is `unit` times the real one; four cuts, the first two −∞ for two.
pub fn activate(sum: i64, cuts: [f32; 4], unit: f64) -> i8 {
    let cut = cuts.map(|cut| if cut.is_infinite() { cut as f64 } else { cut as f64 * unit });
    let sum = sum as f64;
    if sum < cut[0] || sum > cut[3] {
        1
    } else if sum > cut[1] && sum < cut[2] {
        -1
    } else {
        0
    }
}

/// The Euclidean norm of integers: the unit of thresholds "per norm".
pub fn norm(sample: &[i64]) -> f64 {
    (dot(sample, sample) as f64).sqrt()
}

/// All dot products between rows of trits.
pub fn dots(a: &[i8], b: &[i8], cols: usize) -> Vec<i64> {
    a.chunks(cols).flat_map(|a| b.chunks(cols).map(move |b| dot(a, b))).collect()
}
