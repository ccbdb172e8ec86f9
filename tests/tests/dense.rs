//! The oracle's own linear algebra and kernels, against answers that are known.

use ternion_tests::data::Random;
use ternion_tests::dense::{pivots, relu_kernel, solve};

#[test]
fn solve_and_pivots_agree_with_a_matrix_whose_answers_are_known() {
    // det = 2·(3·2 − 1) − 1·(2 − 0) = 8.
    let a = [2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0];
    let x = solve(&a, &[4.0, 10.0, 8.0]);
    assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(x, y)| (x - y).abs() < 1e-14), "{x:?}");
    assert!((pivots(&a, 3).iter().product::<f64>() - 8.0).abs() < 1e-14);
    assert!(pivots(&[1.0, 2.0, 2.0, 1.0], 2)[1] < 0.0);
}

/// The formula of the ReLU kernel against its definition.
#[test]
fn the_relu_kernel_is_the_mean_of_products() {
    let (mut random, c) = (Random::new(6), 0.4);
    let mut sum = 0.0;
    for _ in 0..200_000 {
        let (a, b) = (random.normal(), random.normal());
        sum += f64::max(0.0, a) * f64::max(0.0, c * a + (1.0 - c * c).sqrt() * b);
    }
    assert!((sum / 200_000.0 - relu_kernel(c)).abs() < 0.005);
}
