//! The samples of `compare job`: MNIST, or generated ones of any shape.

use std::path::Path;
use std::{fs, io};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Classes of the samples.
pub const CLASSES: usize = 10;

/// Test samples are as many as this share of the training samples, as in MNIST.
const TEST_SHARE: usize = 6;

/// Numbers behind a generated sample.
const LATENT: usize = 12;

/// Centres of a generated class.
const CENTRES: usize = 4;

/// Samples with their classes.
pub struct Labelled {
    /// The samples, one after another.
    pub x: Vec<f32>,
    /// The class of each.
    pub labels: Vec<usize>,
}

/// Samples for training and for the test.
pub struct Data {
    /// Numbers per sample.
    pub inputs: usize,
    /// For training.
    pub train: Labelled,
    /// For the test.
    pub test: Labelled,
}

impl Data {
    /// Draws samples: each class has a few centres in a space of few dimensions, from where a random linear map and
    /// noise lead to the inputs. No linear classifier is good at it.
    pub fn generated(inputs: usize, samples: usize) -> Self {
        let mut random = Normal(Xoshiro256PlusPlus::seed_from_u64(11));
        let centres = random.numbers(CLASSES * CENTRES * LATENT, 1.0);
        let map = random.numbers(LATENT * inputs, 1.0);
        let mut labelled = |samples: usize| {
            let mut x = Vec::with_capacity(samples * inputs);
            let mut labels = Vec::with_capacity(samples);
            for _ in 0..samples {
                let centre = (random.0.next_u64() % (CLASSES * CENTRES) as u64) as usize;
                let latent = random.numbers(LATENT, 0.4);
                let mut sample = random.numbers(inputs, 0.5);
                for (k, noise) in latent.into_iter().enumerate() {
                    let z = centres[centre * LATENT + k] + noise;
                    let column = &map[k * inputs..][..inputs];
                    sample.iter_mut().zip(column).for_each(|(x, w)| *x += w * z);
                }
                x.append(&mut sample);
                labels.push(centre % CLASSES);
            }
            Labelled { x, labels }
        };
        let train = labelled(samples);
        Self { inputs, train, test: labelled(samples.div_ceil(TEST_SHARE)) }
    }

    /// Reads the first samples of the four IDX files of a folder, not compressed.
    ///
    /// # Errors
    ///
    /// [`io::Error`] for files that are missing, that have another format, or fewer samples or other sizes than asked.
    pub fn read(folder: &Path, inputs: usize, samples: usize) -> io::Result<Self> {
        let labelled = |name: &str, samples: usize| {
            let pixels = idx(&folder.join(format!("{name}-images-idx3-ubyte")), 3)?;
            let labels = idx(&folder.join(format!("{name}-labels-idx1-ubyte")), 1)?;
            if pixels.len() != labels.len() * inputs || labels.len() < samples {
                let found = (labels.len(), pixels.len() / labels.len().max(1));
                return Err(io::Error::other(format!(
                    "expected {samples} samples of {inputs} numbers in {}, found {found:?}",
                    folder.display()
                )));
            }
            Ok(Labelled {
                x: pixels[..samples * inputs].iter().map(|&pixel| f32::from(pixel)).collect(),
                labels: labels[..samples].iter().map(|&label| label.into()).collect(),
            })
        };
        let train = labelled("train", samples)?;
        Ok(Self { inputs, train, test: labelled("t10k", samples.div_ceil(TEST_SHARE))? })
    }
}

/// The bytes of an IDX file with this many dimensions.
fn idx(path: &Path, dimensions: usize) -> io::Result<Vec<u8>> {
    let mut bytes = fs::read(path)?;
    let header = 4 + 4 * dimensions;
    let sizes = bytes.get(4..header).unwrap_or_default().as_chunks::<4>().0;
    let count: usize = sizes.iter().map(|&size| u32::from_be_bytes(size) as usize).product();
    if !bytes.starts_with(&[0, 0, 8, dimensions as u8]) || bytes.len() != header + count {
        return Err(io::Error::other(format!("{} is not an IDX file", path.display())));
    }
    Ok(bytes.split_off(header))
}

/// Normal numbers, by Box and Muller.
pub struct Normal(pub Xoshiro256PlusPlus);

impl Normal {
    /// A uniform number in (0, 1].
    pub fn uniform(&mut self) -> f32 {
        ((self.0.next_u32() >> 8) + 1) as f32 / (1 << 24) as f32
    }

    /// So many of them.
    pub fn numbers(&mut self, count: usize, deviation: f32) -> Vec<f32> {
        let mut numbers = Vec::with_capacity(count + 1);
        while numbers.len() < count {
            let radius = deviation * (-2.0 * self.uniform().ln()).sqrt();
            let (sin, cos) = (core::f32::consts::TAU * self.uniform()).sin_cos();
            numbers.extend([radius * sin, radius * cos]);
        }
        numbers.truncate(count);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_asked_deviation() {
        let numbers = Normal(Xoshiro256PlusPlus::seed_from_u64(1)).numbers(100_001, 2.0);
        let mean = numbers.iter().map(|&x| f64::from(x)).sum::<f64>() / 1e5;
        let square = numbers.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.03 && (square - 4.0).abs() < 0.1, "{mean} {square}");
    }

    #[test]
    fn files_of_another_format_or_size_are_refused() {
        let folder = std::env::temp_dir().join(format!("compare-job-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, head: &[u8], sizes: &[u32], bytes: &[u8]| {
            let sizes = sizes.iter().flat_map(|size| size.to_be_bytes());
            let file: Vec<u8> = head.iter().copied().chain(sizes).chain(bytes.to_vec()).collect();
            fs::write(folder.join(name), file).unwrap();
        };
        for name in ["train", "t10k"] {
            write(&format!("{name}-images-idx3-ubyte"), &[0, 0, 8, 3], &[3, 1, 2], &[9; 6]);
            write(&format!("{name}-labels-idx1-ubyte"), &[0, 0, 8, 1], &[3], &[4; 3]);
        }
        let data = Data::read(&folder, 2, 2).unwrap();
        assert_eq!((data.train.x, data.train.labels), (vec![9.0; 4], vec![4; 2]));
        assert_eq!(data.test.labels, [4]);
        assert!(Data::read(&folder, 2, 4).is_err() && Data::read(&folder, 3, 2).is_err());
        write("t10k-labels-idx1-ubyte", &[0, 0, 9, 1], &[3], &[4; 3]);
        assert!(Data::read(&folder, 2, 2).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
