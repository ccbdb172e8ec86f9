//! Tables of numbers in text: CSV, or the sparse format of LIBSVM.

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
/// CSV: numbers separated by commas, the target last; a first line that is not of numbers is a header. LIBSVM: the target,
/// then `index:number` pairs, indices from 1; `#` begins a comment.
///
/// # Errors
///
/// The line that is wrong, and what was expected.
pub fn read(text: &str, task: Task) -> Result<Set, String> {
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    let sparse = lines.clone().next().is_some_and(|(_, line)| line.contains(':'));
    let (x, inputs, numbers) = if sparse { read_libsvm(lines)? } else { read_csv(lines)? };
    if numbers.len() < 10 || inputs == 0 {
        return Err(format!(
            "expected at least 10 rows of at least 2 numbers, found {} of {}",
            numbers.len(),
            inputs + 1
        ));
    }
    let targets = match task {
        Task::Regress => Targets::Numbers(numbers),
        Task::Classify => {
            let mut classes = numbers.clone();
            classes.sort_by(f32::total_cmp);
            classes.dedup();
            if !(2..=numbers.len() / 2).contains(&classes.len()) {
                let count = classes.len();
                return Err(format!("{count} classes in {} rows: --task regress?", numbers.len()));
            }
            let class = |y: &f32| classes.binary_search_by(|class| class.total_cmp(y));
            Targets::Classes(numbers.iter().map(|y| class(y).unwrap_or(0)).collect())
        }
    };
    let train = x.len() / inputs;
    Ok(Set { name: String::new(), inputs, x, targets, train, picture: None })
}

/// All inputs, how many there are in a row, and the target of each row.
type Rows = (Vec<f32>, usize, Vec<f32>);

fn number(text: &str, line: usize) -> Result<f32, String> {
    let number = text.trim().parse().ok().filter(|x: &f32| x.is_finite());
    number.ok_or_else(|| format!("line {}: expected a finite number, found {text}", line + 1))
}

fn read_csv<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Rows, String> {
    let (mut x, mut inputs, mut targets) = (Vec::new(), None, Vec::new());
    for (line, text) in lines {
        let row: Result<Vec<f32>, _> = text.split(',').map(|text| number(text, line)).collect();
        if row.is_err() && line == 0 {
            continue; // the header
        }
        let mut row = row?;
        targets.extend(row.pop());
        let expected = *inputs.get_or_insert(row.len());
        if row.len() != expected {
            let (expected, found) = (expected + 1, row.len() + 1);
            return Err(format!("line {}: expected {expected} numbers, found {found}", line + 1));
        }
        x.append(&mut row);
    }
    Ok((x, inputs.unwrap_or(0), targets))
}

fn read_libsvm<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Rows, String> {
    let (mut entries, mut inputs, mut targets) = (Vec::new(), 0, Vec::new());
    for (line, text) in lines {
        let mut words = text.split('#').next().unwrap_or("").split_whitespace();
        let Some(target) = words.next() else { continue };
        targets.push(number(target, line)?);
        for word in words {
            let pair = word.split_once(':').and_then(|(index, x)| Some((index.parse().ok()?, x)));
            let Some((index @ 1usize.., x)) = pair else {
                return Err(format!("line {}: expected index:number, found {word}", line + 1));
            };
            inputs = inputs.max(index);
            entries.push((targets.len() - 1, index - 1, number(x, line)?));
        }
    }
    let mut x = vec![0.0; targets.len() * inputs];
    entries.into_iter().for_each(|(row, column, number)| x[row * inputs + column] = number);
    Ok((x, inputs, targets))
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
    fn mistakes_are_named_with_their_line() {
        for (text, words) in [
            ("", "at least 10 rows"),
            ("1,2\n3,4\n", "found 2 of 2"),
            ("1,2\n3,x\n", "line 2: expected a finite number, found x"),
            ("1,2\n3,NaN\n", "line 2"),
            ("1,2\n3,4,5\n", "line 2: expected 2 numbers, found 3"),
            ("1 1:2\n1 0:2\n", "line 2: expected index:number, found 0:2"),
            ("1 1:2\n1 a\n", "found a"),
        ] {
            let refused = read(text, Task::Regress).unwrap_err();
            assert!(refused.contains(words), "{text}: {refused}");
        }
        let all_different: String = (0..20).map(|i| format!("1,{i}\n")).collect();
        assert!(read(&all_different, Task::Classify).unwrap_err().contains("--task regress"));
    }
}
