//! Tables of results, and what they say in words.

use std::fmt::Write;

/// The mean of some numbers and their standard deviation, which one number does not have.
pub fn mean_and_deviation(numbers: &[f64]) -> (f64, Option<f64>) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (numbers.len() > 1).then(|| (squares / (count - 1.0)).sqrt()))
}

/// The mean ± the standard deviation.
pub fn spread(numbers: &[f64]) -> String {
    match mean_and_deviation(numbers) {
        (mean, Some(deviation)) => format!("{mean:.4} ± {deviation:.4}"),
        (mean, None) => format!("{mean:.4} (one seed)"),
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
        assert_eq!(spread(&[1.0, 3.0]), "2.0000 ± 1.4142");
        assert_eq!(spread(&[0.5]), "0.5000 (one seed)");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["é".to_owned(), "12".to_owned()], vec!["long".to_owned(), "3".to_owned()]];
        let expected = "| a    | b  |\n| ---- | -- |\n| é    | 12 |\n| long | 3  |\n";
        assert_eq!(table(&["a", "b"], &rows), expected);
        assert_eq!([0.01234, 1.234, 12.34, 123.4].map(seconds), ["0.012", "1.23", "12.3", "123"]);
    }
}
