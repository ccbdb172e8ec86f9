//! Samples with labels, in memory and in files.

use datafusion::arrow::array::{
    ArrayRef, FixedSizeListArray, Float32Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::parquet::arrow::ArrowWriter;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

pub const INPUTS: usize = 12;

/// Samples whose class is not linear in them.
#[derive(Clone)]
pub struct Data {
    pub x: Vec<f32>,
    /// Of three classes; as text their order is another one than as numbers.
    pub labels: Vec<i64>,
    pub targets: Vec<f32>,
}

impl Data {
    pub fn new(samples: usize) -> Self {
        let x: Vec<f32> = (0..samples * INPUTS).map(|k| noise(k as u64)).collect();
        let score = |x: &[f32]| x[0] * x[1] + (2.0 * x[2]).sin() * 0.5;
        let targets: Vec<f32> = x.chunks(INPUTS).map(score).collect();
        let label =
            |score: &f32| [2, 10, 7][usize::from(*score > -0.1) + usize::from(*score > 0.1)];
        let labels = targets.iter().map(label).collect();
        Self { x, labels, targets }
    }

    pub fn samples(&self) -> usize {
        self.labels.len()
    }

    /// The same samples in another order.
    pub fn shuffled(&self) -> Self {
        let mut order: Vec<usize> = (0..self.samples()).collect();
        order.sort_by_key(|&sample| noise(sample as u64 + 0x5EED).to_bits());
        Self {
            x: order.iter().flat_map(|&k| &self.x[k * INPUTS..][..INPUTS]).copied().collect(),
            labels: order.iter().map(|&sample| self.labels[sample]).collect(),
            targets: order.iter().map(|&sample| self.targets[sample]).collect(),
        }
    }

    /// The columns x (vectors), label (integers), name (the same as text) and target (numbers).
    pub fn batch(&self) -> RecordBatch {
        let field = Arc::new(Field::new_list_field(DataType::Float32, true));
        let numbers = Arc::new(Float32Array::from(self.x.clone()));
        let x = FixedSizeListArray::new(field, INPUTS as i32, numbers, None);
        let names = self.labels.iter().map(|label| format!("class {label}"));
        let columns: [(&str, ArrayRef); 4] = [
            ("x", Arc::new(x)),
            ("label", Arc::new(Int64Array::from(self.labels.clone()))),
            ("name", Arc::new(StringArray::from_iter_values(names))),
            ("target", Arc::new(Float32Array::from(self.targets.clone()))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    /// The columns x0, x1, … and label.
    pub fn table(&self) -> RecordBatch {
        let input = |input: usize| -> (String, ArrayRef) {
            let numbers = self.x.iter().skip(input).step_by(INPUTS).copied();
            (format!("x{input}"), Arc::new(Float32Array::from_iter_values(numbers)))
        };
        let labels: ArrayRef = Arc::new(Int64Array::from(self.labels.clone()));
        let columns = (0..INPUTS).map(input).chain([("label".to_string(), labels)]);
        RecordBatch::try_from_iter(columns).unwrap()
    }
}

/// Writes a Parquet file with as many rows in each row group.
pub fn write_parquet(path: &Path, batch: &RecordBatch, rows: usize) {
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    for first in (0..batch.num_rows()).step_by(rows) {
        writer.write(&batch.slice(first, rows.min(batch.num_rows() - first))).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

/// A number in [−1, 1) that looks random, by Steele, Lea and Flood's SplitMix64.
fn noise(index: u64) -> f32 {
    let state = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ mixed >> 31) >> 40) as f32 / (1 << 23) as f32 - 1.0
}
