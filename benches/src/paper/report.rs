//! Tables of results, and what they say in words.

use std::fmt::Write;

/// The mean of some numbers and their standard deviation, which one number does not have.
pub fn mean_and_deviation(numbers: &[f64]) -> (f64, Option<f64>) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (numbers.len() > 1).then(|| (squares / (count - 1.0)).sqrt()))
}

/// The mean ± the standard deviation, and how many seeds it is of if not of all of them.
pub fn spread(numbers: &[f64], seeds: u64) -> String {
    match mean_and_deviation(numbers) {
        (mean, Some(deviation)) => {
            let spread = format!("{mean:.4} ± {deviation:.4}");
            let count = numbers.len();
            if count as u64 == seeds { spread } else { format!("{spread} ({count} seeds)") }
        }
        (mean, None) => format!("{mean:.4} (one seed)"),
    }
}

/// Which others a score beats, to which it loses, and with which it is level, by their means as far as they are shown.
pub fn verdict<'a>(
    ours: f64,
    others: impl Iterator<Item = (&'a str, f64)> + Clone,
    is_better: impl Fn(f64, f64) -> bool,
) -> String {
    let shown = |score: f64| (score * 1e4).round();
    let is_better = |a: f64, b: f64| is_better(shown(a), shown(b));
    let names = |matching: &dyn Fn(f64) -> bool| {
        let names: Vec<String> = others
            .clone()
            .filter(|(_, theirs)| matching(*theirs))
            .map(|(name, theirs)| format!("{name} ({theirs:.4})"))
            .collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let beats = names(&|theirs| is_better(ours, theirs));
    let loses = names(&|theirs| is_better(theirs, ours));
    let words = format!("It beats {beats}. It loses to {loses}.");
    match names(&|theirs| shown(theirs) == shown(ours)).as_str() {
        "none" => words,
        level => format!("{words} It is level with {level}."),
    }
}

/// A table in Markdown with aligned columns.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let cells =
        |column: usize| rows.iter().map(move |row| row[column].as_str()).chain([header[column]]);
    let widths: Vec<usize> = (0..header.len())
        .map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        for (cell, width) in cells.zip(&widths) {
            // Writing to a `String` cannot fail.
            _ = write!(out, "| {cell:width$} ");
        }
        out.push_str("|\n");
    };
    line(&mut header.iter().copied());
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    line(&mut rules.iter().map(String::as_str));
    rows.iter().for_each(|row| line(&mut row.iter().map(String::as_str)));
    out
}

/// A number of things, in the singular if it is one.
pub fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

/// Seconds with three digits.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        0.0..1.0 => format!("{seconds:.3}"),
        1.0..10.0 => format!("{seconds:.2}"),
        10.0..100.0 => format!("{seconds:.1}"),
        _ => format!("{seconds:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_those_of_a_sample() {
        assert_eq!(spread(&[1.0, 3.0], 2), "2.0000 ± 1.4142");
        assert_eq!(spread(&[1.0, 3.0], 5), "2.0000 ± 1.4142 (2 seeds)");
        assert_eq!(spread(&[0.5], 5), "0.5000 (one seed)");
    }

    #[test]
    fn losses_are_named() {
        let others = [("a", 0.5), ("b", 0.7), ("c", 0.6)].into_iter();
        let words = verdict(0.6, others.clone(), |ours, theirs| ours > theirs);
        assert_eq!(
            words,
            "It beats a (0.5000). It loses to b (0.7000). It is level with c (0.6000)."
        );
        let words = verdict(0.4, others, |ours, theirs| ours < theirs);
        assert!(words.ends_with("It loses to none."), "{words}");
    }

    #[test]
    fn what_looks_equal_is_level() {
        let words = verdict(0.60001, [("a", 0.59996)].into_iter(), |ours, theirs| ours > theirs);
        assert!(words.ends_with("beats none. It loses to none. It is level with a (0.6000)."));
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["é".to_owned(), "12".to_owned()], vec!["long".to_owned(), "3".to_owned()]];
        let expected = "| a    | b  |\n| ---- | -- |\n| é    | 12 |\n| long | 3  |\n";
        assert_eq!(table(&["a", "b"], &rows), expected);
        assert_eq!([0, 1, 2].map(|count| counted(count, "row")), ["0 rows", "1 row", "2 rows"]);
        assert_eq!([0.01234, 1.234, 12.34, 123.4].map(seconds), ["0.012", "1.23", "12.3", "123"]);
    }
}
