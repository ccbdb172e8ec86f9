//! Cov-Type: seven types of forest, from ten measurements of a place and 44 columns that say which wilderness and which soil.

use super::{Random, Split};
use std::error::Error;
use std::fs;
use std::path::Path;

const INPUTS: usize = 54;

/// Reads so many of the 581,012 rows of `covtype.csv`, always the same ones: the file is ordered, so they are drawn at
/// random.
pub fn read(folder: &Path, train: usize, test: usize) -> Result<Split, Box<dyn Error>> {
    let text = fs::read_to_string(folder.join("covtype.csv"))?;
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let order = Random::new(0).order(lines.len());
    let mut split = Split { inputs: INPUTS, x: Vec::new(), labels: Vec::new(), train };
    for line in order.into_iter().take(train + test).map(|line| lines[line]) {
        let numbers = line.split(',').map(str::parse).collect::<Result<Vec<f32>, _>>()?;
        let (&class, inputs) = numbers.split_last().ok_or("a line is empty")?;
        split.x.extend(inputs);
        split.labels.push(class as usize - 1);
    }
    Ok(split)
}
