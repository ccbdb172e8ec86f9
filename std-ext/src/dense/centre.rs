//! Centring of vectors and of kernel matrices, with P = I − 11ᵀ/n.

/// Replaces v by P·v and returns its mean.
pub(crate) fn centre_vector(v: &mut [f64]) -> f64 {
    let mean = v.iter().sum::<f64>() / v.len() as f64;
    v.iter_mut().for_each(|entry| *entry -= mean);
    mean
}

/// Replaces a symmetric n × n matrix K by P·K·P and returns the means of its rows.
pub(crate) fn centre_kernel(kernel: &mut [f64], n: usize) -> Vec<f64> {
    // Quotients, not products with 1/n: equal whole numbers have their mean exactly, and leave zeros.
    let means: Vec<f64> =
        kernel.chunks_exact(n).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for (row, row_mean) in kernel.chunks_exact_mut(n).zip(&means) {
        for (entry, column_mean) in row.iter_mut().zip(&means) {
            *entry += mean - row_mean - column_mean;
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centred_rows_and_vectors_sum_to_zero() {
        let mut vector = [1.0, 2.0, 6.0];
        assert_eq!(centre_vector(&mut vector), 3.0);
        assert_eq!(vector, [-2.0, -1.0, 3.0]);
        let mut kernel = [4.0, 2.0, 0.0, 2.0, 8.0, 2.0, 0.0, 2.0, 4.0];
        assert_eq!(centre_kernel(&mut kernel, 3), [2.0, 4.0, 2.0]);
        for row in kernel.chunks(3) {
            assert!(row.iter().sum::<f64>().abs() < 1e-15);
        }
    }

    #[test]
    fn a_matrix_of_equal_whole_numbers_leaves_zeros() {
        for n in 1..200 {
            let mut kernel = vec![83.0; n * n];
            assert_eq!(centre_kernel(&mut kernel, n), vec![83.0; n]);
            assert!(kernel.iter().all(|&entry| entry == 0.0), "{n}");
        }
    }
}
