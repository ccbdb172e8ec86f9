//! Pictures in the format of MNIST: IDX files, not compressed.

use super::Split;
use std::path::Path;
use std::{fs, io};

/// Pictures and their classes, training pictures first.
pub struct Pictures {
    /// The pixels, one picture after another, each row by row.
    pub pixels: Vec<u8>,
    /// The class of each picture.
    pub labels: Vec<usize>,
    /// Training pictures; the rest are for the test.
    pub train: usize,
}

impl Pictures {
    /// Reads the four files in a folder.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut pixels = read(&folder.join("train-images-idx3-ubyte"), 3)?;
        let mut labels = read(&folder.join("train-labels-idx1-ubyte"), 1)?;
        let train = labels.len();
        pixels.extend(read(&folder.join("t10k-images-idx3-ubyte"), 3)?);
        labels.extend(read(&folder.join("t10k-labels-idx1-ubyte"), 1)?);
        Ok(Self { pixels, labels: labels.into_iter().map(usize::from).collect(), train })
    }

    /// The pixels as numbers of samples.
    pub fn into_split(self) -> Split {
        let Self { pixels, labels, train } = self;
        let inputs = pixels.len() / labels.len();
        Split { inputs, x: pixels.into_iter().map(f32::from).collect(), labels, train }
    }
}

/// The bytes of a file with this many dimensions. Its header is the type (8, for bytes) and the number of dimensions, then
/// each dimension in 32 bits, big-endian.
fn read(path: &Path, dimensions: usize) -> io::Result<Vec<u8>> {
    let mut bytes = fs::read(path)?;
    let header = 4 + 4 * dimensions;
    let sizes = bytes.get(4..header).unwrap_or_default().as_chunks::<4>().0;
    let count: usize = sizes.iter().map(|&size| u32::from_be_bytes(size) as usize).product();
    if !bytes.starts_with(&[0, 0, 8, dimensions as u8]) || bytes.len() != header + count {
        return Err(io::Error::other(format!("{} is not an IDX file", path.display())));
    }
    Ok(bytes.split_off(header))
}
