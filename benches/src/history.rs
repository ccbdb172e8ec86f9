//! What became of the speed, commit by commit: a file with a JSON line for each, a table and a picture of it.
//!
//! A line has the commit, its date, the CPU, the instruction set, the compiler, the peers that took part, and how many times as
//! fast as the best dense one each kernel was on the fastest instruction set (of whole jobs: as random Fourier features). Ratios
//! are compared only where CPU, instruction set and peers are the same.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};
use ternion::Isa;

use crate::cpu::Cpu;
use crate::paper::chart::{Panel, Series, draw};
use crate::peers::Peers;
use crate::report::{Line, Shape};

/// Where [`table`] looks if no file is named.
pub const FILE: &str = "target/history.jsonl";

/// Commits beside each other in a table.
const COLUMNS: usize = 6;
/// Kernels in a picture.
const DRAWN: usize = 10;

/// What was measured on one commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Its hash; with a + behind it if there were changes that were not committed.
    pub commit: String,
    /// Its date.
    pub date: String,
    /// The machine.
    pub cpu: String,
    /// The fastest instruction set there.
    pub isa: String,
    /// The compiler.
    pub rustc: String,
    /// The dense libraries that took part.
    pub peers: Vec<String>,
    /// Times as fast as the best dense one, by call, kernel, input and sizes.
    pub ratios: BTreeMap<String, f64>,
}

impl Record {
    /// The ratios in some lines, of the commit that is checked out.
    ///
    /// # Errors
    ///
    /// If git or rustc cannot be asked.
    pub fn of(lines: &[Line], cpu: &Cpu, peers: &Peers) -> io::Result<Self> {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        let isa = Isa::detect().name();
        Ok(Self {
            commit: output(
                "git",
                &["describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"],
            )?,
            date: output("git", &["log", "-1", "--format=%cs"])?,
            cpu: cpu.name.clone(),
            isa: isa.to_owned(),
            rustc: output(&rustc, &["--version"])?,
            peers: peers.dense.iter().map(|peer| peer.name().to_owned()).collect(),
            ratios: lines.iter().filter_map(|line| ratio(line, isa)).collect(),
        })
    }

    /// Whether two records may be compared.
    fn is_like(&self, other: &Self) -> bool {
        (&self.cpu, &self.isa, &self.peers) == (&other.cpu, &other.isa, &other.peers)
    }
}

/// What a program prints, without the end of the line.
fn output(program: &str, args: &[&str]) -> io::Result<String> {
    let output = Command::new(program).args(args).output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("{program} {}: {}", args.join(" "), output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// The name of a kernel and its ratio, if it is ours and runs on this instruction set.
fn ratio(line: &Line, isa: &str) -> Option<(String, f64)> {
    let Line { id, shape: Shape { inputs, features, samples }, .. } = line;
    let ratio = line.ratio_best_dense.or(line.ratio_rff)?;
    if id.name != "ternion" || id.isa != isa {
        return None;
    }
    let inputs = inputs.map_or(String::new(), |inputs| format!("{inputs}x"));
    let sparsity = id.sparsity.map_or(String::new(), |sparsity| format!("-{sparsity:.2}"));
    let (call, kernel, input) = (id.call, id.kernel, id.input);
    let name = format!("{call}/{kernel}/{input}/{inputs}{features}x{samples}{sparsity}");
    // More digits would be noise.
    Some((name, (ratio * 1e3).round() / 1e3))
}

/// Reads a history.
///
/// # Errors
///
/// If the file cannot be read, or a line is not a record; the message has its number.
pub fn read(path: &Path) -> io::Result<Vec<Record>> {
    parse(&fs::read_to_string(path)?)
        .map_err(|error| io::Error::other(format!("{}, {error}", path.display())))
}

fn parse(text: &str) -> Result<Vec<Record>, String> {
    let record = |(at, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))
    };
    text.lines().enumerate().map(record).collect()
}

/// Adds a record to a file, which need not exist. Commands of one commit that measure different kernels share its line.
///
/// # Errors
///
/// If the file cannot be read or written, or the record has no ratio.
pub fn add(path: &Path, record: Record) -> io::Result<()> {
    if record.ratios.is_empty() {
        return Err(io::Error::other("no kernel was compared with a dense one: nothing to record"));
    }
    let mut records = if path.exists() { read(path)? } else { Vec::new() };
    merge(&mut records, record);
    let line = |record| serde_json::to_string(record).map(|line| line + "\n");
    let text: String = records.iter().map(line).collect::<Result<_, _>>()?;
    // Beside it first: what was measured on earlier commits cannot be measured again.
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(".new");
    fs::write(&fresh, text)?;
    fs::rename(fresh, path)
}

fn merge(records: &mut Vec<Record>, record: Record) {
    let same = |other: &&mut Record| {
        other.is_like(&record) && (&other.commit, &other.rustc) == (&record.commit, &record.rustc)
    };
    match records.iter_mut().find(same) {
        Some(earlier) => earlier.ratios.extend(record.ratios),
        None => records.push(record),
    }
}

/// The records that may be compared with the last one, in the order in which they were recorded.
fn comparable(records: &[Record]) -> Vec<&Record> {
    let Some(last) = records.last() else { return Vec::new() };
    records.iter().filter(|record| record.is_like(last)).collect()
}

/// The kernels of some records that have one of the words in their name; all if there are no words.
fn kernels<'a>(records: &[&'a Record], only: &[String]) -> Vec<&'a str> {
    let all = records.iter().flat_map(|record| record.ratios.keys().map(String::as_str));
    let mut asked: Vec<&str> =
        all.filter(|name| only.is_empty() || only.iter().any(|word| name.contains(word))).collect();
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// The ratios of the last commits beside each other, on the machine that measured last.
pub fn table(records: &[Record], only: &[String]) -> String {
    let same = comparable(records);
    let Some(last) = same.last() else { return "nothing is recorded\n".into() };
    let shown = &same[same.len().saturating_sub(COLUMNS)..];
    let mut out = String::new();
    let peers = last.peers.join(", ");
    writeln!(out, "{}, {}; times as fast as the best of {peers}", last.cpu, last.isa)
        .expect("a String");
    let others = records.len() - same.len();
    if others > 0 {
        writeln!(out, "left out: {others} of another machine or with other peers")
            .expect("a String");
    }
    let mut heads =
        [String::new(), String::new(), "kernel".to_owned()].map(|head| format!("{head:<52}"));
    for record in shown {
        let version = record.rustc.split(' ').nth(1).unwrap_or("?");
        let commit: String = record.commit.chars().take(7).collect();
        let plus = if record.commit.ends_with('+') { "+" } else { "" };
        for (head, text) in heads.iter_mut().zip([version, &record.date, &(commit + plus)]) {
            write!(head, "{text:>11}").expect("a String");
        }
    }
    heads.iter().for_each(|head| writeln!(out, "{head}").expect("a String"));
    for name in kernels(shown, only) {
        let ratios: Vec<Option<f64>> =
            shown.iter().map(|record| record.ratios.get(name).copied()).collect();
        write!(out, "{name:<52}").expect("a String");
        for ratio in &ratios {
            let text = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            write!(out, "{text:>11}").expect("a String");
        }
        let mut known = ratios.into_iter().flatten().rev();
        if let (Some(last), Some(before)) = (known.next(), known.next()) {
            write!(out, "{:>+8.1} %", 100.0 * (last / before - 1.0)).expect("a String");
        }
        out.push('\n');
    }
    out
}

/// A picture of the kernels that moved most on the machine that measured last, each relative to its first ratio.
pub fn picture(records: &[Record], only: &[String]) -> String {
    let same = comparable(records);
    let mut series: Vec<Series> = kernels(&same, only)
        .into_iter()
        .map(|name| {
            let ratios = same.iter().zip(1u32..);
            let known =
                ratios.filter_map(|(record, at)| Some((f64::from(at), *record.ratios.get(name)?)));
            let mut points: Vec<(f64, f64)> = known.collect();
            let first = points[0].1;
            points.iter_mut().for_each(|point| point.1 /= first);
            Series { name: name.to_owned(), points }
        })
        .collect();
    let moved = |series: &Series| series.points.last().map_or(0.0, |last| last.1.ln().abs());
    series.sort_by(|a, b| moved(b).total_cmp(&moved(a)));
    series.truncate(DRAWN);
    let cpu = same.last().map_or("nothing is recorded", |last| &last.cpu);
    let panel = Panel {
        x: "commits, in the order recorded",
        y: "times as fast as a dense library, first commit = 1",
        log: false,
        series,
    };
    draw(&format!("What moved most: {cpu}"), &[panel])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Id;

    fn record(commit: &str, cpu: &str, ratios: &[(&str, f64)]) -> Record {
        Record {
            commit: commit.into(),
            date: "2026-01-02".into(),
            cpu: cpu.into(),
            isa: "avx2".into(),
            rustc: "rustc 1.89.0 (abc 2025-01-01)".into(),
            peers: vec!["gemm".into()],
            ratios: ratios.iter().map(|&(name, ratio)| (name.to_owned(), ratio)).collect(),
        }
    }

    #[test]
    fn ratios_are_those_of_our_kernels_on_the_fastest_set() {
        let id = Id {
            kernel: "row-lanes",
            name: "ternion".into(),
            call: "featurize",
            input: "f32",
            isa: "avx2".into(),
            sparsity: Some(2.0 / 3.0),
            macs: 1.0,
        };
        let shape = Shape { inputs: Some(3), features: 4, samples: 5 };
        let mut line = Line {
            id,
            shape,
            seconds: 1.0,
            seconds_min: 1.0,
            spread: 0.0,
            rounds: 3,
            best_dense: Some("gemm".into()),
            ratio_best_dense: Some(2.345_67),
            ratio_rff: Some(9.0),
            ratio_int8: None,
        };
        let name = "featurize/row-lanes/f32/3x4x5-0.67".to_owned();
        assert_eq!(ratio(&line, "avx2"), Some((name.clone(), 2.346)));
        assert_eq!(ratio(&line, "sse2"), None);
        line.ratio_best_dense = None;
        assert_eq!(ratio(&line, "avx2"), Some((name, 9.0)));
        line.id.name = "gemm".into();
        assert_eq!(ratio(&line, "avx2"), None);
    }

    #[test]
    fn a_commit_has_one_line_and_lines_are_read_again() {
        let mut records = vec![record("a", "x", &[("gram", 2.0)])];
        merge(&mut records, record("a", "x", &[("dots", 3.0), ("gram", 2.5)]));
        assert_eq!(records, [record("a", "x", &[("dots", 3.0), ("gram", 2.5)])]);
        merge(&mut records, record("b", "x", &[("gram", 2.0)]));
        merge(&mut records, record("b", "y", &[("gram", 2.0)]));
        assert_eq!(records.len(), 3);

        let path = std::env::temp_dir().join(format!("ternion-history-{}", std::process::id()));
        records.iter().for_each(|record| add(&path, record.clone()).expect("a folder for files"));
        let found = read(&path);
        assert_eq!(fs::read_to_string(&path).expect("just written").lines().count(), 3);
        fs::remove_file(&path).expect("just written");
        assert_eq!(found.expect("just written"), records);
        assert!(add(&path, record("c", "x", &[])).is_err() && !path.exists());
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let good = serde_json::to_string(&record("a", "x", &[])).expect("strings");
        assert_eq!(parse("").expect("no lines"), []);
        let refused = parse(&format!("{good}\n{{}}\n")).expect_err("no fields");
        assert!(refused.starts_with("line 2: missing field"), "{refused}");
        assert!(parse(&good.replace("\"isa\"", "\"set\"")).is_err());
    }

    #[test]
    fn tables_compare_what_is_comparable() {
        let records = [
            record("aaaaaaaaaaaa", "x", &[("dots", 4.0), ("gram", 2.0)]),
            record("bbbbbbbbbbbb", "y", &[("dots", 400.0)]),
            record("cccccccccccc+", "x", &[("gram", 1.9)]),
        ];
        let text = table(&records, &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "x, avx2; times as fast as the best of gemm");
        assert_eq!(lines[1], "left out: 1 of another machine or with other peers");
        assert!(lines[2].ends_with("     1.89.0     1.89.0"), "{text}");
        assert!(lines[4].ends_with("    aaaaaaa   ccccccc+"), "{text}");
        assert!(
            lines[5].starts_with("dots ") && lines[5].ends_with("       4.00          -"),
            "{text}"
        );
        assert!(lines[6].ends_with("       2.00       1.90    -5.0 %"), "{text}");
        assert_eq!(table(&records, &["dot".into()]).lines().count(), 6);
        assert_eq!(table(&[], &[]), "nothing is recorded\n");
    }

    #[test]
    fn what_moved_most_is_drawn() {
        let names: Vec<String> = (0..DRAWN + 1).map(|k| format!("kernel {k:02}")).collect();
        let of = |commit, moved: f64| {
            let ratios =
                names.iter().zip(0..).map(|(n, k)| (n.as_str(), 2.0 + moved * f64::from(k)));
            record(commit, "a & b", &ratios.collect::<Vec<_>>())
        };
        let picture = picture(&[of("a", 0.0), of("b", 0.1)], &[]);
        assert!(!picture.contains("kernel 00") && picture.contains("a &amp; b"), "{picture}");
        assert!(names[1..].iter().all(|name| picture.contains(name.as_str())), "{picture}");
        assert_eq!(picture.matches("<circle").count(), 2 * DRAWN);
        assert!(super::picture(&[], &[]).contains("nothing is recorded"));
    }
}
