//! Adult: who earns more than 50,000 dollars a year, from a census. Its 14 columns become the 123 binary ones of "a9a".

use super::Split;
use std::error::Error;
use std::fs;
use std::path::Path;

/// The largest number of every bin but the last, for columns of numbers.
const CUTS: [(&str, &[f32]); 6] = [
    ("age", &[25.0, 32.0, 40.0, 49.0]),
    ("fnlwgt", &[106_640.0, 158_660.0, 196_337.0, 259_870.0]),
    ("education-num", &[8.0, 9.0, 10.0, 12.0]),
    ("capital-gain", &[0.0]),
    ("capital-loss", &[0.0]),
    ("hours-per-week", &[34.0, 39.0, 40.0, 47.0]),
];

/// A column of the original table.
enum Column<'a> {
    /// A number: the largest of every bin but the last.
    Number(&'static [f32]),
    /// One of these words.
    Word(Vec<&'a str>),
}

impl<'a> Column<'a> {
    /// Reads a line of `adult.names`, as in `sex: Female, Male.`
    fn parse(line: &'a str) -> Option<Self> {
        let (name, values) = line.split_once(": ")?;
        let values = values.strip_suffix('.')?;
        match CUTS.iter().find(|(column, _)| *column == name) {
            Some((_, cuts)) => (values == "continuous").then_some(Self::Number(cuts)),
            None => Some(Self::Word(values.split(", ").collect())),
        }
    }

    /// The number of binary columns that stand for this one.
    fn width(&self) -> usize {
        match self {
            Self::Number(cuts) => cuts.len() + 1,
            Self::Word(words) => words.len(),
        }
    }

    /// Which of them a value sets; none if it is unknown (`?`).
    fn position(&self, value: &str) -> Option<usize> {
        match self {
            Self::Number(cuts) => {
                let number: f32 = value.parse().ok()?;
                Some(cuts.iter().filter(|&&cut| number > cut).count())
            }
            Self::Word(words) => words.iter().position(|&word| word == value),
        }
    }
}

/// Reads `adult.names`, `adult.data` and `adult.test`.
pub fn read(folder: &Path) -> Result<Split, Box<dyn Error>> {
    let names = fs::read_to_string(folder.join("adult.names"))?;
    // Lines that begin with a bar are comments.
    let lines = names.lines().filter(|line| !line.starts_with('|'));
    let columns: Vec<Column<'_>> = lines.filter_map(Column::parse).collect();
    let inputs = columns.iter().map(Column::width).sum();
    let mut split = Split { inputs, x: Vec::new(), labels: Vec::new(), train: 0 };
    append(&mut split, &columns, &fs::read_to_string(folder.join("adult.data"))?)?;
    split.train = split.labels.len();
    append(&mut split, &columns, &fs::read_to_string(folder.join("adult.test"))?)?;
    Ok(split)
}

/// Appends the samples of a file.
fn append(split: &mut Split, columns: &[Column<'_>], text: &str) -> Result<(), String> {
    // A bar begins a comment here too.
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('|')) {
        let values: Vec<&str> = line.split(", ").collect();
        let (class, values) = values.split_last().ok_or("a line is empty")?;
        if values.len() != columns.len() {
            return Err(format!("{} columns, {} expected: {line}", values.len(), columns.len()));
        }
        for (column, value) in columns.iter().zip(values) {
            let set = column.position(value);
            split.x.extend((0..column.width()).map(|k| f32::from(u8::from(set == Some(k)))));
        }
        split.labels.push(class.starts_with('>').into());
    }
    Ok(())
}
