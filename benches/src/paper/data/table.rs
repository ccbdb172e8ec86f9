//! Tables of numbers in text: CSV, or the sparse format of LIBSVM.

use core::cmp::Ordering;

use super::{Set, Targets};

/// What to learn from a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The target is a class.
    Classify,
    /// The target is a number.
    Regress,
}

/// What a table holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The samples, all of them for training.
    pub set: Set,
    /// The line, from 1, that is taken as a header, and its words.
    pub header: Option<(usize, String)>,
    /// The classes in the order of their labels; none if targets are numbers.
    pub classes: Vec<Class>,
}

/// A class of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// As its first row has it.
    pub name: String,
    /// Its samples.
    pub rows: usize,
    /// The line of the first of them, from 1.
    pub line: usize,
}

/// Reads a table.
///
/// It is in the format of LIBSVM if the first line with a colon or a comma has no comma. Lines that begin with `#` are
/// comments. CSV: numbers separated by commas, the target last; a first line without a number is a header. LIBSVM: the target,
/// then `index:number` pairs, indices from 1; `#` begins a comment. Classes may be words.
///
/// # Errors
///
/// The line that is wrong, and what was expected.
pub fn read(text: &str, task: Task) -> Result<Table, String> {
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    // A sample whose inputs are all 0 has no colon: it does not decide.
    let decides = |line: &&str| line.contains([':', ',']);
    let sparse = lines.clone().map(|(_, line)| without_comment(line)).find(decides);
    let rows = match sparse.is_some_and(|line| !line.contains(',')) {
        true => read_libsvm(lines)?,
        false => read_csv(lines)?,
    };
    let Rows { x, inputs, targets, header } = rows;
    let train = targets.len();
    if train < 10 {
        return Err(format!("expected at least 10 rows, found {train}"));
    }
    let (targets, classes) = match task {
        Task::Regress => (numbers(&targets)?, Vec::new()),
        Task::Classify => classes(&targets)?,
    };
    let set = Set { name: String::new(), inputs, x, targets, train, picture: None };
    Ok(Table { set, header, classes })
}

fn numbers(targets: &[(&str, usize)]) -> Result<Targets, String> {
    let numbers: Vec<f32> =
        targets.iter().map(|(text, line)| number(text, *line)).collect::<Result<_, _>>()?;
    match numbers.iter().all(|y| *y == numbers[0]) {
        true => Err(format!("all targets are {}: there is nothing to learn", numbers[0])),
        false => Ok(Targets::Numbers(numbers)),
    }
}

fn classes(targets: &[(&str, usize)]) -> Result<(Targets, Vec<Class>), String> {
    if let Some((_, line)) = targets.iter().find(|(text, _)| text.is_empty()) {
        return Err(format!("line {}: expected a class, found nothing", line + 1));
    }
    // Rows of a class stay in order: the first is the one in the file.
    let mut sorted: Vec<usize> = (0..targets.len()).collect();
    sorted.sort_by(|&a, &b| by_number(targets[a].0, targets[b].0));
    let mut labels = vec![0; targets.len()];
    let mut classes = Vec::new();
    for same in sorted.chunk_by(|&a, &b| by_number(targets[a].0, targets[b].0).is_eq()) {
        same.iter().for_each(|&row| labels[row] = classes.len());
        let (name, line) = targets[same[0]];
        classes.push(Class { name: name.to_owned(), rows: same.len(), line: line + 1 });
    }
    let (rows, most) = (targets.len(), targets.len() / 2);
    match classes.len() {
        1 => Err(format!("all {rows} rows have class {}: there is nothing to learn", targets[0].0)),
        count if count > most => Err(format!(
            "{count} classes in {rows} rows, where at most {most} can be learnt; if the target is a number: --task regress"
        )),
        _ => Ok((Targets::Classes(labels), classes)),
    }
}

/// Numbers by their size, then words.
fn by_number(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a + 0.0).total_cmp(&(b + 0.0)), // -0 is 0
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

/// The inputs of all rows, how many there are in a row, and each row's target with its line.
struct Rows<'a> {
    x: Vec<f32>,
    inputs: usize,
    targets: Vec<(&'a str, usize)>,
    header: Option<(usize, String)>,
}

fn number(text: &str, line: usize) -> Result<f32, String> {
    let text = text.trim();
    let number = text.parse().ok().filter(|x: &f32| x.is_finite());
    number.ok_or_else(|| {
        let found = if text.is_empty() { "nothing" } else { text };
        format!("line {}: expected a finite number, found {found}", line + 1)
    })
}

/// What precedes a comment in a line of LIBSVM.
fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or("")
}

fn read_csv<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Rows<'a>, String> {
    let (mut x, mut columns, mut targets, mut header) = (Vec::new(), None, Vec::new(), None);
    for (at, (line, text)) in lines.enumerate() {
        let cells: Vec<&str> = text.split(',').map(str::trim).collect();
        if cells.len() == 1 && columns.is_none() {
            return Err(format!(
                "line {} has no comma: columns are separated by commas, or index:number by blanks, as in LIBSVM",
                line + 1
            ));
        }
        if at == 0 && cells.iter().all(|cell| number(cell, line).is_err()) {
            // Its columns are not counted: some programs leave one without a name.
            header = Some((line + 1, cells.join(", ")));
            continue;
        }
        let expected = *columns.get_or_insert(cells.len());
        if cells.len() != expected {
            let (line, found) = (line + 1, cells.len());
            return Err(format!("line {line}: expected {expected} columns, found {found}"));
        }
        let (inputs, target) = cells.split_at(expected - 1);
        for cell in inputs {
            x.push(number(cell, line).map_err(|why| match (cell.contains([';', '\t']), at) {
                (true, _) => format!("{why}: columns are separated by commas alone"),
                (false, 0) => format!("{why}; a header has no numbers at all"),
                _ => why,
            })?);
        }
        targets.push((target[0], line));
    }
    Ok(Rows { x, inputs: columns.map_or(0, |columns| columns - 1), targets, header })
}

/// Most numbers of a sparse table once it is dense: 4 GiB of them.
const MOST_NUMBERS: usize = 1 << 30;

fn read_libsvm<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Rows<'a>, String> {
    let (mut entries, mut inputs, mut targets) = (Vec::new(), 0, Vec::new());
    for (line, text) in lines {
        let wrong = |what: &str, found: &str| format!("line {}: {what}, found {found}", line + 1);
        let mut words = without_comment(text).split_whitespace();
        let Some(target) = words.next() else { continue };
        if target.contains(':') {
            return Err(wrong("expected the target before all index:number", target));
        }
        targets.push((target, line));
        for word in words {
            let pair = word.split_once(':').and_then(|(index, x)| Some((index.parse().ok()?, x)));
            let (index, x) = match pair {
                Some((0usize, _)) => return Err(wrong("indices begin at 1", word)),
                Some(pair) => pair,
                None => return Err(wrong("expected index:number", word)),
            };
            inputs = inputs.max(index);
            entries.push((targets.len() - 1, index - 1, number(x, line)?));
        }
    }
    let rows = targets.len();
    let count = rows.checked_mul(inputs).filter(|count| *count <= MOST_NUMBERS);
    let count = count.ok_or_else(|| {
        format!("{rows} rows of {inputs} inputs: at most {MOST_NUMBERS} numbers fit in memory")
    })?;
    let mut x = vec![0.0; count];
    entries.into_iter().for_each(|(row, column, number)| x[row * inputs + column] = number);
    Ok(Rows { x, inputs, targets, header: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_and_libsvm_hold_the_same_table() {
        let csv = "a,b,class\n".to_owned() + &"0,2.5,-1\n1e1,0,3\n".repeat(5);
        let sparse = "-1 2:2.5 # comment\n3\t1:10\n\n".repeat(5);
        for task in [Task::Classify, Task::Regress] {
            let set = read(&csv, task).unwrap().set;
            assert_eq!(set, read(&sparse, task).unwrap().set);
            assert_eq!((set.inputs, set.train), (2, 10));
            assert_eq!(set.x[..4], [0.0, 2.5, 10.0, 0.0]);
        }
        let classes = read(&csv, Task::Classify).unwrap();
        assert_eq!(classes.set.targets, Targets::Classes([0, 1].repeat(5)));
        let class = |name: &str, line| Class { name: name.into(), rows: 5, line };
        assert_eq!(classes.classes, [class("-1", 2), class("3", 3)]);
        assert_eq!(classes.header, Some((1, "a, b, class".into())));
        let numbers = read(&csv, Task::Regress).unwrap();
        assert_eq!(numbers.set.targets, Targets::Numbers([-1.0, 3.0].repeat(5)));
        assert_eq!(numbers.classes, []);
    }

    #[test]
    fn lines_that_tell_nothing_do_not_decide_the_format() {
        for before in ["1\n", "# a, comment: of words\n", "\n1 # a, b\n\n"] {
            let sparse = before.to_owned() + &"-1 2:2.5\n1 1:10\n".repeat(5);
            let Table { set, header, .. } = read(&sparse, Task::Classify).unwrap();
            assert_eq!((set.inputs, header), (2, None), "{before}");
        }
        let csv = "# by: me\n\na,b\n".to_owned() + &"1,2\n2,3\n".repeat(5);
        let Table { set, header, .. } = read(&csv, Task::Classify).unwrap();
        assert_eq!((set.inputs, set.train), (1, 10));
        assert_eq!(header, Some((3, "a, b".into())));
    }

    #[test]
    fn classes_may_be_words_and_headers_may_have_colons() {
        let csv = "time: start,kind\n".to_owned() + &"1,setosa\n2,iris\n3, setosa\n".repeat(5);
        let set = read(&csv, Task::Classify).unwrap().set;
        assert_eq!(set.targets, Targets::Classes([1, 0, 1].repeat(5)));
        assert!(read(&csv, Task::Regress).unwrap_err().contains("line 2"));
        let numbers = "1,10\n2,9.0\n3,9\n".repeat(5);
        let Table { set, classes, .. } = read(&numbers, Task::Classify).unwrap();
        assert_eq!(set.targets, Targets::Classes([1, 0, 0].repeat(5)));
        assert_eq!(classes[0], Class { name: "9.0".into(), rows: 10, line: 2 });
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, words) in [
            ("", "at least 10 rows"),
            ("1,2\n3,4\n", "at least 10 rows, found 2"),
            ("1,2\nx,3\n", "line 2: expected a finite number, found x"),
            ("1,2\nNaN,3\n", "line 2"),
            ("1,2\n3,4,5\n", "line 2: expected 2 columns, found 3"),
            ("1,2\n3\n", "line 2: expected 2 columns, found 1"),
            ("1,2\n,4\n", "line 2: expected a finite number, found nothing"),
            ("a;b\n1;2\n", "line 1 has no comma: columns are separated by commas"),
            ("a,b\n1\t2\n", "line 2 has no comma"),
            ("1 2\n3 4\n", "line 1 has no comma"),
            ("1,5;2,5\n", "found 5;2: columns are separated by commas alone"),
            (
                "a,1,c\n1,2,3\n",
                "line 1: expected a finite number, found a; a header has no numbers",
            ),
            ("1 1:2\n1 4000000000:2\n", "2 rows of 4000000000 inputs"),
            ("1 1:2\n1 0:2\n", "line 2: indices begin at 1, found 0:2"),
            ("1 1:2\n1 a\n", "expected index:number, found a"),
            ("1 1:2\n1:2 2:3\n", "line 2: expected the target before all index:number, found 1:2"),
        ] {
            let refused = read(text, Task::Regress).unwrap_err();
            assert!(refused.contains(words), "{text}: {refused}");
        }
    }

    #[test]
    fn targets_of_which_nothing_can_be_learnt_are_refused() {
        let constant = "1,2\n".repeat(20);
        assert!(read(&constant, Task::Regress).unwrap_err().contains("all targets are 2"));
        let gap = constant.clone() + "1,\n";
        let refused = read(&gap, Task::Regress).unwrap_err();
        assert_eq!(refused, "line 21: expected a finite number, found nothing");
        let refused = read(&gap, Task::Classify).unwrap_err();
        assert_eq!(refused, "line 21: expected a class, found nothing");
        let refused = read(&constant, Task::Classify).unwrap_err();
        assert_eq!(refused, "all 20 rows have class 2: there is nothing to learn");
        let all_different: String = (0..20).map(|i| format!("1,{i}\n")).collect();
        let refused = read(&all_different, Task::Classify).unwrap_err();
        assert!(refused.starts_with("20 classes in 20 rows, where at most 10"), "{refused}");
        assert!(refused.ends_with("--task regress"), "{refused}");
    }
}
