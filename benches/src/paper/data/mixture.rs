//! The Gaussian mixture of the synthetic figures.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Set, Targets};
use crate::job::data::Normal;

/// Draws a mixture of two classes as in the paper's theory, which differ in means and in traces of covariances, in both by so
/// little that some samples are mistaken: means ±μ with ‖μ‖ = `separation`, spread over all inputs, covariances (1 ± 2.5/√p)·I/p.
pub fn mixture(inputs: usize, train: usize, test: usize, separation: f32, seed: u64) -> Set {
    let mut random = Normal(Xoshiro256PlusPlus::seed_from_u64(seed));
    let p = inputs as f32;
    let (mut x, mut labels) = (Vec::with_capacity((train + test) * inputs), Vec::new());
    for sample in 0..train + test {
        let class = sample % 2;
        let sign = if class == 0 { -1.0 } else { 1.0 };
        let mut row = random.numbers(inputs, ((1.0 + sign * 2.5 / p.sqrt()) / p).sqrt());
        // Features that see few inputs would find a mean on one of them.
        row.iter_mut().for_each(|x| *x += sign * separation / p.sqrt());
        x.append(&mut row);
        labels.push(class);
    }
    let targets = Targets::Classes(labels);
    Set { name: "mixture".into(), inputs, x, targets, train, picture: None }.prepared(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_differ_in_mean_and_trace() {
        let set = mixture(256, 4000, 10, 0.3, 3);
        let of = |class: usize| set.x[..4000 * 256].chunks(256).skip(class).step_by(2);
        // Along the direction of the means, and the others.
        let along = |row: &[f32]| row.iter().sum::<f32>() / 16.0;
        let mean = |class| of(class).map(along).sum::<f32>() / 2000.0;
        let gap = mean(1) - mean(0);
        assert!((0.5..0.65).contains(&gap), "{gap}");
        let square = |row: &[f32]| row.iter().map(|x| x * x).sum::<f32>() - along(row).powi(2);
        let trace = |class| of(class).map(square).sum::<f32>();
        let ratio = trace(1) / trace(0);
        let expected = (1.0 + 2.5 / 16.0) / (1.0 - 2.5 / 16.0);
        assert!((ratio / expected - 1.0).abs() < 0.01, "{ratio}");
    }
}
