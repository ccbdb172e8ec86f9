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

/// Reads a table, all of it for training.
///
/// CSV: numbers separated by commas, the target last; a first line without a number is a header. LIBSVM: the target, then
/// `index:number` pairs, indices from 1; `#` begins a comment. Classes may be words.
///
/// # Errors
///
/// The line that is wrong, and what was expected.
pub fn read(text: &str, task: Task) -> Result<Set, String> {
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    let is_sparse = |line: &str| line.contains(':') && !line.contains(',');
    let sparse = lines.clone().next().is_some_and(|(_, line)| is_sparse(line));
    let Rows { x, inputs, targets } = if sparse { read_libsvm(lines)? } else { read_csv(lines)? };
    if targets.len() < 10 || inputs == 0 {
        return Err(format!(
            "expected at least 10 rows of at least 2 numbers, found {} of {}",
            targets.len(),
            inputs + 1
        ));
    }
    let train = targets.len();
    let targets = match task {
        Task::Regress => {
            let numbers: Vec<f32> =
                targets.iter().map(|(text, line)| number(text, *line)).collect::<Result<_, _>>()?;
            if numbers.iter().all(|y| *y == numbers[0]) {
                return Err(format!("all targets are {}: there is nothing to learn", numbers[0]));
            }
            Targets::Numbers(numbers)
        }
        Task::Classify => {
            let mut classes: Vec<&str> = targets.iter().map(|(text, _)| *text).collect();
            classes.sort_by(|a, b| by_number(a, b));
            classes.dedup_by(|a, b| by_number(a, b).is_eq());
            if !(2..=train / 2).contains(&classes.len()) {
                return Err(format!("{} classes in {train} rows: --task regress?", classes.len()));
            }
            let class =
                |text: &str| classes.partition_point(|class| by_number(class, text).is_lt());
            Targets::Classes(targets.iter().map(|(text, _)| class(text)).collect())
        }
    };
    Ok(Set { name: String::new(), inputs, x, targets, train, picture: None })
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
}

fn number(text: &str, line: usize) -> Result<f32, String> {
    let number = text.trim().parse().ok().filter(|x: &f32| x.is_finite());
    number.ok_or_else(|| format!("line {}: expected a finite number, found {text}", line + 1))
}

fn read_csv<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Rows<'a>, String> {
    let (mut x, mut inputs, mut targets) = (Vec::new(), None, Vec::new());
    for (line, text) in lines {
        if line == 0 && text.split(',').all(|text| number(text, line).is_err()) {
            continue; // the header
        }
        let (row, target) = text.rsplit_once(',').unwrap_or(("", text));
        let row = row.split(',').filter(|_| !row.is_empty());
        let row: Vec<f32> = row.map(|text| number(text, line)).collect::<Result<_, _>>()?;
        let expected = *inputs.get_or_insert(row.len());
        if row.len() != expected {
            let (expected, found) = (expected + 1, row.len() + 1);
            return Err(format!("line {}: expected {expected} columns, found {found}", line + 1));
        }
        x.extend(row);
        targets.push((target.trim(), line));
    }
    Ok(Rows { x, inputs: inputs.unwrap_or(0), targets })
}

/// Most numbers of a sparse table once it is dense: 4 GiB of them.
const MOST_NUMBERS: usize = 1 << 30;

fn read_libsvm<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Rows<'a>, String> {
    let (mut entries, mut inputs, mut targets) = (Vec::new(), 0, Vec::new());
    for (line, text) in lines {
        let mut words = text.split('#').next().unwrap_or("").split_whitespace();
        let Some(target) = words.next() else { continue };
        targets.push((target, line));
        for word in words {
            let pair = word.split_once(':').and_then(|(index, x)| Some((index.parse().ok()?, x)));
            let Some((index @ 1usize.., x)) = pair else {
                return Err(format!("line {}: expected index:number, found {word}", line + 1));
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
    Ok(Rows { x, inputs, targets })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_and_libsvm_hold_the_same_table() {
        let csv = "a,b,class\n".to_owned() + &"0,2.5,-1\n1e1,0,3\n".repeat(5);
        let sparse = "-1 2:2.5 # comment\n3\t1:10\n\n".repeat(5);
        for task in [Task::Classify, Task::Regress] {
            let set = read(&csv, task).unwrap();
            assert_eq!(set, read(&sparse, task).unwrap());
            assert_eq!((set.inputs, set.train), (2, 10));
            assert_eq!(set.x[..4], [0.0, 2.5, 10.0, 0.0]);
        }
        let classes = read(&csv, Task::Classify).unwrap();
        assert_eq!(classes.targets, Targets::Classes([0, 1].repeat(5)));
        let numbers = read(&csv, Task::Regress).unwrap();
        assert_eq!(numbers.targets, Targets::Numbers([-1.0, 3.0].repeat(5)));
    }

    #[test]
    fn classes_may_be_words_and_headers_may_have_colons() {
        let csv = "time: start,kind\n".to_owned() + &"1,setosa\n2,iris\n3, setosa\n".repeat(5);
        let set = read(&csv, Task::Classify).unwrap();
        assert_eq!(set.targets, Targets::Classes([1, 0, 1].repeat(5)));
        assert!(read(&csv, Task::Regress).unwrap_err().contains("line 2"));
        let numbers = "1,10\n2,9.0\n3,9\n".repeat(5);
        let set = read(&numbers, Task::Classify).unwrap();
        assert_eq!(set.targets, Targets::Classes([1, 0, 0].repeat(5)));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, words) in [
            ("", "at least 10 rows"),
            ("1,2\n3,4\n", "found 2 of 2"),
            ("1,2\nx,3\n", "line 2: expected a finite number, found x"),
            ("1,2\nNaN,3\n", "line 2"),
            ("1,2\n3,4,5\n", "line 2: expected 2 columns, found 3"),
            ("1,x,3\n1,2,3\n", "line 1: expected a finite number, found x"),
            ("1 1:2\n1 4000000000:2\n", "2 rows of 4000000000 inputs"),
            ("1 1:2\n1 0:2\n", "line 2: expected index:number, found 0:2"),
            ("1 1:2\n1 a\n", "found a"),
        ] {
            let refused = read(text, Task::Regress).unwrap_err();
            assert!(refused.contains(words), "{text}: {refused}");
        }
        let constant = "1,2\n".repeat(20);
        assert!(read(&constant, Task::Regress).unwrap_err().contains("all targets are 2"));
        let all_different: String = (0..20).map(|i| format!("1,{i}\n")).collect();
        assert!(read(&all_different, Task::Classify).unwrap_err().contains("--task regress"));
    }
}
