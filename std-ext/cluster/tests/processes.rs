//! The model of one process, bit for bit, from a scheduler and executors in processes of their own: in any number of
//! partitions, from rows in any order, and if an executor is killed. Nothing may hang.

use crate::data::{Data, INPUTS, write_parquet};
use crate::local::{Cluster, Folder, PATIENCE, Process};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::WriterBuilder;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use ternion::fit::Statistics;
use ternion::learn::{Ridge, TernaryClassifier};
use ternion::{Form, Samples, TernaryFeatures};

const SAMPLES: usize = 40_000;

/// Their sums are 34 MB, more than the engine takes in a message by default.
const FEATURES: usize = 4096;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cluster");

/// Writes rows into so many files, and names them.
fn parquet(folder: &Folder, name: &str, batch: &RecordBatch, files: usize) -> Vec<String> {
    let rows = batch.num_rows().div_ceil(files);
    let file = |k: usize| {
        let path = folder.path(&format!("{name}-{k}.parquet"));
        let part = batch.slice(k * rows, rows.min(batch.num_rows() - k * rows));
        // Two row groups, so that a file can be split.
        write_parquet(Path::new(&path), &part, rows / 2 + 1);
        path
    };
    (0..files).map(file).collect()
}

/// Whether the process succeeded, and what it said on standard error. `line` sees every line as it comes.
fn run(mut command: Command, mut line: impl FnMut(&str)) -> (bool, String) {
    let mut process = Process(command.stderr(Stdio::piped()).spawn().unwrap());
    let stderr = BufReader::new(process.0.stderr.take().unwrap());
    // The watch is kept by this thread, the reading by another one.
    let (send, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
    });
    let start = Instant::now();
    let mut said = String::new();
    while let Ok(text) = lines.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
        line(&text);
        said += &text;
        said.push('\n');
    }
    assert!(start.elapsed() < PATIENCE, "not within {PATIENCE:?}: {command:?}\n{said}");
    (process.0.wait().unwrap().success(), said)
}

/// The bytes of the model that the program fits.
fn fit(files: &[String], out: &str, options: &[&str]) -> Vec<u8> {
    fit_while(files, out, options, |_| ())
}

fn fit_while(files: &[String], out: &str, options: &[&str], line: impl FnMut(&str)) -> Vec<u8> {
    let features = FEATURES.to_string();
    let mut command = Command::new(PROGRAM);
    command.args(["fit", "--features", &features, "--out", out, "--label", "label"]);
    command.args(options).args(files);
    let (success, said) = run(command, line);
    assert!(success, "{options:?}: {said}");
    fs::read(out).unwrap()
}

/// What the library computes without any engine.
fn expected(data: &Data) -> Vec<u8> {
    let params = TernaryFeatures::params(FEATURES).form(Form::Structured);
    let samples = Samples::new(&data.x, INPUTS).unwrap();
    let mut statistics = Statistics::new(INPUTS).unwrap();
    statistics.add(&samples).unwrap();
    let ternary = params.fit_statistics(&statistics).unwrap();
    let classes: Vec<usize> = data
        .labels
        .iter()
        .map(|label| [2, 7, 10].iter().position(|l| l == label).unwrap())
        .collect();
    let features = ternary.transform(&samples).unwrap();
    let classifier = Ridge::default().fit_classes(&features, &classes).unwrap();
    TernaryClassifier::new(ternary, classifier, vec![2, 7, 10]).unwrap().to_bytes()
}

#[test]
fn model_bytes_do_not_depend_on_where_and_how_they_are_computed() {
    let folder = Folder::new("identical").unwrap();
    let out = folder.path("model.trn");
    let data = Data::new(SAMPLES);
    let expected = expected(&data);
    let check = |what: &str, found: Vec<u8>| {
        assert!(found == expected, "{what}: another model");
        println!("the same {} bytes: {what}", found.len());
    };
    let batch = data.batch().project(&[0, 1]).unwrap();
    let files = parquet(&folder, "rows", &batch, 8);
    let shuffled =
        parquet(&folder, "shuffled", &data.shuffled().batch().project(&[0, 1]).unwrap(), 5);
    let backwards: Vec<String> = shuffled.iter().rev().cloned().collect();

    for partitions in ["1", "4", "16"] {
        let options = ["--partitions", partitions];
        check(&format!("one process, {partitions} partitions"), fit(&files, &out, &options));
    }
    check(
        "one process, shuffled rows in other files",
        fit(&backwards, &out, &["--partitions", "4"]),
    );
    let csv = [folder.path("columns.csv")];
    let mut writer = WriterBuilder::new().with_header(true).build(File::create(&csv[0]).unwrap());
    writer.write(&data.table()).unwrap();
    drop(writer);
    check("one process, columns of a CSV file", fit(&csv, &out, &["--partitions", "4"]));

    let two = Cluster::start(Path::new(PROGRAM), &folder, 2).unwrap();
    for partitions in ["1", "4", "16"] {
        let options = ["--scheduler", &two.address, "--partitions", partitions];
        check(&format!("two executors, {partitions} partitions"), fit(&files, &out, &options));
    }
    let options = ["--scheduler", &two.address];
    check("two executors, shuffled rows in other files", fit(&backwards, &out, &options));
    drop(two);

    let mut two = Cluster::start(Path::new(PROGRAM), &folder, 2).unwrap();
    let mut victim = two.executors.pop();
    let options = ["--scheduler", &two.address, "--partitions", "16"];
    let found = fit_while(&files, &out, &options, |line| {
        let Some(read) = line.split_once("moments: ").and_then(|(_, rows)| rows.split(' ').next())
        else {
            return;
        };
        let read: usize = read.parse().unwrap();
        if 0 < read && read < SAMPLES && victim.is_some() {
            println!("killing an executor after {read} of {SAMPLES} rows");
            drop(victim.take()); // by SIGKILL
        }
    });
    assert!(
        victim.is_none(),
        "the fit was over before an executor could be killed: more samples, please"
    );
    let log = fs::read_to_string(&two.log).unwrap();
    let again = log.lines().filter(|line| line.contains("on lost Executor")).count();
    assert!(again > 0, "no task was done again:\n{log}");
    check("two executors, one killed in the middle", found);
}

/// A cluster reports what is wrong with the data instead of trying forever.
#[test]
fn bad_input_ends_a_fit_on_a_cluster_with_our_message() {
    let folder = Folder::new("refused").unwrap();
    let two = Cluster::start(Path::new(PROGRAM), &folder, 2).unwrap();
    let data = Data::new(3000);
    let mut not_finite = data.clone();
    not_finite.x[20_000] = f32::NAN;
    let files = parquet(&folder, "rows", &data.batch(), 2);
    let bad = parquet(&folder, "nan", &not_finite.batch(), 2);
    let model = folder.path("model.trn");
    for (files, options, message) in [
        (&bad, vec!["--label", "label", "--inputs", "x"], "is NaN, infinite or too large"),
        (
            &files,
            vec!["--label", "target", "--inputs", "x"],
            "labels are integers, booleans or text; found Float32",
        ),
        (
            &files,
            vec!["--label", "label", "--inputs", "name"],
            "samples are one column of lists of numbers",
        ),
        (&files, vec!["--value", "name", "--inputs", "x"], "targets are numbers"),
        (
            &files,
            vec!["--label", "nothing"],
            "there is no column \"nothing\": the data has x, label, name, target",
        ),
    ] {
        let mut command = Command::new(PROGRAM);
        command.args(["fit", "--features", "128", "--scheduler", &two.address, "--out", &model]);
        command.args(options).args(files);
        let (success, said) = run(command, |_| ());
        assert!(!success && said.contains(message), "{message}: {said}");
    }
}
