//! Rows per second: `transform` alone, features and moments inside the engine, and on one and two executors. Then what the
//! sums of an executor cost: their bytes, and the time to write, read and merge them.
//!
//! ```text
//! cargo build --release
//! cargo run --release --example throughput
//! cargo run --release --example throughput -- --samples 50000 --inputs 54 --features 1024
//! ```
//!
//! All ways take turns, and the fastest of each counts. A query that computes features ends with the largest of them,
//! so that every one is computed, moved and looked at; it must be that of `transform`. Executors are processes
//! of one core each.

#[allow(dead_code, reason = "the tests need more of it")]
#[path = "../tests/local.rs"]
mod local;

use datafusion::arrow::array::{
    ArrayRef, AsArray, FixedSizeListArray, Float32Array, Int64Array, RecordBatch,
};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::dataframe::DataFrame;
use datafusion::datasource::MemTable;
use datafusion::execution::FunctionRegistry;
use datafusion::functions_aggregate::expr_fn::max;
use datafusion::logical_expr::{Expr, col, lit};
use datafusion::parquet::arrow::ArrowWriter;
use lexopt::prelude::*;
use local::{Cluster, Folder};
use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use ternion::learn::Moments;
use ternion::{Form, Samples, TernaryFeatures};
use ternion_cluster::{Labels, Plan, Session};

type AnyError = Box<dyn Error + Send + Sync>;

/// Samples that `transform` gets at a time: those of a batch of the engine.
const BATCH: usize = 8192;

fn main() -> Result<(), AnyError> {
    let (mut samples, mut inputs, mut features, mut rounds) = (100_000, 784, 4096, 3);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("samples") => samples = parser.value()?.parse()?,
            Long("inputs") => inputs = parser.value()?.parse()?,
            Long("features") => features = parser.value()?.parse()?,
            Long("rounds") => rounds = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let folder = Folder::new("throughput")?;
    let data = Data::new(samples, inputs)?;
    tokio::runtime::Runtime::new()?.block_on(data.race(&folder, features, rounds))?;
    data.merge(rounds)
}

struct Data {
    x: Vec<f32>,
    inputs: usize,
    batch: RecordBatch,
}

impl Data {
    fn new(samples: usize, inputs: usize) -> Result<Self, AnyError> {
        let number = |k: u64| {
            let mixed = (k ^ k >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            (mixed >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let x: Vec<f32> = (0..(samples * inputs) as u64)
            .map(|k| number(k.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
            .collect();
        let labels: Vec<i64> = x.chunks(inputs).map(|x| i64::from(x[0] > x[1])).collect();
        let field = Arc::new(Field::new_list_field(DataType::Float32, true));
        let numbers = Arc::new(Float32Array::from(x.clone()));
        let vectors = FixedSizeListArray::new(field, inputs as i32, numbers, None);
        let columns: [(&str, ArrayRef); 2] =
            [("x", Arc::new(vectors)), ("label", Arc::new(Int64Array::from(labels)))];
        Ok(Self { x, inputs, batch: RecordBatch::try_from_iter(columns)? })
    }

    async fn race(&self, folder: &Folder, features: usize, rounds: usize) -> Result<(), AnyError> {
        let threads = available_parallelism()?.get();
        let files = self.write(folder)?;
        // Beside the examples.
        let program = std::env::current_exe()?;
        let program = program.parent().and_then(Path::parent).ok_or("no folder")?.join("cluster");
        let start = |executors| {
            let started = Cluster::start(&program, folder, executors);
            started
                .map_err(|error| format!("{program:?}: {error}; run cargo build --release first"))
        };
        let (one, two) = (start(1)?, start(2)?);
        let memory = Session::in_process(threads)?;
        let local = Session::in_process(threads)?;
        let on_one = Session::remote(&one.address, Some(1)).await?;
        let on_two = Session::remote(&two.address, Some(2)).await?;
        let rows = self.batch.num_rows();
        println!(
            "{rows} samples of {} inputs, {features} features, {threads} threads",
            self.inputs
        );
        println!("| W | sums | transform | in memory | Parquet | 1 executor | 2 executors |");
        println!("|---|---|---|---|---|---|---|");
        for form in [Form::Structured, Form::Stored] {
            let ternary = TernaryFeatures::params(features).form(form);
            let ternary =
                ternary.fit(&Samples::new(&self.x[..1000 * self.inputs], self.inputs)?)?;
            let labels = Labels::of(self.batch.column(1))?;
            let plan = lit(Plan::new(ternary.clone(), Some(labels)).to_bytes());
            let largest = |session: &Session| -> Result<Expr, AnyError> {
                let call = session.context().udf("ternion_features")?;
                Ok(max(call.call(vec![col("x"), plan.clone()])))
            };
            let moments = |session: &Session| -> Result<Expr, AnyError> {
                let call = session.context().udaf("ternion_moments")?;
                Ok(call.call(vec![col("x"), col("label"), plan.clone()]))
            };
            for (name, of) in [
                ("no", &largest as &dyn Fn(&Session) -> Result<Expr, AnyError>),
                ("moments", &moments),
            ] {
                let mut best = [Duration::MAX; 5];
                for _ in 0..rounds {
                    let mut results = Vec::new();
                    let start = Instant::now();
                    let expected =
                        if name == "no" { Some(self.transform(&ternary)?) } else { None };
                    best[0] = best[0].min(start.elapsed());
                    for (k, (session, table)) in [
                        (&memory, self.table(&memory, threads)?),
                        (&local, local.read(&files).await?),
                        (&on_one, on_one.read(&files).await?),
                        (&on_two, on_two.read(&files).await?),
                    ]
                    .into_iter()
                    .enumerate()
                    {
                        let start = Instant::now();
                        results.push(run(table, of(session)?).await?);
                        best[k + 1] = best[k + 1].min(start.elapsed());
                    }
                    let expected = expected.unwrap_or_else(|| results[0].clone());
                    if results.iter().any(|result| *result != expected) {
                        return Err("the results differ".into());
                    }
                }
                let rate = |time: &Duration| format!("{:.0}", rows as f64 / time.as_secs_f64());
                let mut rates: Vec<String> = best.iter().map(rate).collect();
                if name == "moments" {
                    rates[0] = "–".into();
                }
                println!("| {form:?} | {name} | {} |", rates.join(" | "));
            }
        }
        Ok(())
    }

    /// What it costs to send and merge the sums of 10 classes.
    fn merge(&self, rounds: usize) -> Result<(), AnyError> {
        println!("\n| features | bytes | write | read and merge |\n|---|---|---|---|");
        let samples = Samples::new(&self.x[..1000 * self.inputs], self.inputs)?;
        let labels: Vec<usize> = (0..1000).map(|sample| sample % 10).collect();
        for features in [1024, 2048, 4096, 8192] {
            let ternary = TernaryFeatures::params(features).form(Form::Structured).fit(&samples)?;
            let mut moments = Moments::new(&ternary, 10)?;
            moments.add(&ternary.transform(&samples)?, &labels)?;
            let mut bytes = Vec::new();
            let mut best = [Duration::MAX; 2];
            for _ in 0..rounds {
                let start = Instant::now();
                bytes = moments.to_bytes();
                best[0] = best[0].min(start.elapsed());
                let start = Instant::now();
                moments.merge(&Moments::from_bytes(&bytes)?)?;
                best[1] = best[1].min(start.elapsed());
            }
            let [write, merge] = best.map(|time| time.as_secs_f64() * 1e3);
            println!("| {features} | {} | {write:.1} ms | {merge:.1} ms |", bytes.len());
        }
        Ok(())
    }

    /// The largest of all packed features, by the library alone.
    fn transform(&self, ternary: &TernaryFeatures) -> Result<Vec<u8>, AnyError> {
        let mut largest = Vec::new();
        for x in self.x.chunks(BATCH * self.inputs) {
            let features = ternary.transform(&Samples::new(x, self.inputs)?)?;
            let words = features.trits().sign().len() / features.len();
            let (sign, mask) = (features.trits().sign(), features.trits().mask());
            let first = |row: usize| sign[row * words].swap_bytes();
            // The first word decides nearly always, so that the rest need not be looked at.
            for row in 0..features.len() {
                let known = largest.first_chunk().map_or(0, |word| u64::from_be_bytes(*word));
                if first(row) >= known {
                    let range = row * words..(row + 1) * words;
                    let planes = sign[range.clone()].iter().chain(&mask[range]);
                    largest = largest.max(planes.flat_map(|word| word.to_le_bytes()).collect());
                }
            }
        }
        Ok(largest)
    }

    /// The rows in memory, in batches of the engine that are dealt to its partitions.
    fn table(&self, session: &Session, partitions: usize) -> Result<DataFrame, AnyError> {
        let mut dealt = vec![Vec::new(); partitions];
        for (k, first) in (0..self.batch.num_rows()).step_by(BATCH).enumerate() {
            let rows = BATCH.min(self.batch.num_rows() - first);
            dealt[k % partitions].push(self.batch.slice(first, rows));
        }
        let table = MemTable::try_new(self.batch.schema(), dealt)?;
        Ok(session.context().read_table(Arc::new(table))?)
    }

    /// Four files.
    fn write(&self, folder: &Folder) -> Result<Vec<String>, AnyError> {
        let rows = self.batch.num_rows().div_ceil(4);
        let mut files = Vec::new();
        for first in (0..self.batch.num_rows()).step_by(rows) {
            let path = folder.path(&format!("{first}.parquet"));
            let mut writer = ArrowWriter::try_new(File::create(&path)?, self.batch.schema(), None)?;
            writer.write(&self.batch.slice(first, rows.min(self.batch.num_rows() - first)))?;
            writer.close()?;
            files.push(path);
        }
        Ok(files)
    }
}

/// The bytes in the only row of a query.
async fn run(table: DataFrame, of: Expr) -> Result<Vec<u8>, AnyError> {
    let batches = table.aggregate(vec![], vec![of.alias("result")])?.collect().await?;
    let column = batches.first().ok_or("no result")?.column(0);
    Ok(match column.as_binary_opt::<i32>() {
        Some(bytes) => bytes.value(0).to_vec(),
        None => column.as_binary::<i64>().value(0).to_vec(),
    })
}
