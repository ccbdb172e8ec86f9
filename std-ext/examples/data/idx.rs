//! Pictures in the format of MNIST: IDX files, not compressed.

use super::Split;
use std::path::Path;
use std::{fs, io};

/// Pictures and their classes, training pictures first.
pub struct Pictures {
    /// The pixels, one picture after another, each row by row.
    pub pixels: Vec<u8>,
    /// Rows of pixels of a picture.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// The class of each picture.
    pub labels: Vec<usize>,
    /// Training pictures; the rest are for the test.
    pub train: usize,
}

impl Pictures {
    /// Reads the four files in a folder.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let part = |name: &str| {
            let (sizes, pixels) = read(&folder.join(format!("{name}-images-idx3-ubyte")), 3)?;
            let (counts, labels) = read(&folder.join(format!("{name}-labels-idx1-ubyte")), 1)?;
            if sizes[0] != counts[0] {
                let what = format!("{name}: {} pictures, {} labels", sizes[0], counts[0]);
                return Err(io::Error::other(what));
            }
            Ok(((sizes[1], sizes[2]), pixels, labels))
        };
        let ((height, width), mut pixels, mut labels) = part("train")?;
        let train = labels.len();
        let (shape, more_pixels, more_labels) = part("t10k")?;
        if shape != (height, width) || height * width == 0 {
            return Err(io::Error::other(format!(
                "pictures for training are {height} × {width}, those for the test {} × {}",
                shape.0, shape.1
            )));
        }
        pixels.extend(more_pixels);
        labels.extend(more_labels);
        let labels = labels.into_iter().map(usize::from).collect();
        Ok(Self { pixels, height, width, labels, train })
    }

    /// The pixels as numbers of samples.
    pub fn into_split(self) -> Split {
        let Self { pixels, height, width, labels, train } = self;
        let inputs = height * width;
        Split { inputs, x: pixels.into_iter().map(f32::from).collect(), labels, train }
    }
}

/// The sizes and the bytes of a file with this many dimensions. Its header is the type (8, for bytes) and the number of
/// dimensions, then each size in 32 bits, big-endian.
fn read(path: &Path, dimensions: usize) -> io::Result<(Vec<usize>, Vec<u8>)> {
    let mut bytes = fs::read(path)?;
    let header = 4 + 4 * dimensions;
    let sizes = bytes.get(4..header).unwrap_or_default().as_chunks::<4>().0;
    let sizes: Vec<usize> = sizes.iter().map(|&size| u32::from_be_bytes(size) as usize).collect();
    let count: usize = sizes.iter().fold(1, |count, size| count.saturating_mul(*size));
    if !bytes.starts_with(&[0, 0, 8, dimensions as u8])
        || bytes.len().checked_sub(header) != Some(count)
    {
        return Err(io::Error::other(format!("{} is not an IDX file", path.display())));
    }
    Ok((sizes, bytes.split_off(header)))
}
