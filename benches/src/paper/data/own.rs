//! A user's own data: a table or a folder of pictures, and what its owner should know before it is compared.

use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::path::Path;

use super::super::report::counted;
use super::table::{self, Class, Table};
use super::{Random, Set, Targets, Task, readers};

/// The files of a folder of pictures.
const FILES: [&str; 4] = [
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
];

/// Of a class with fewer rows there is none in a fifth of them, or nearly: it may be a mistake.
const FEW_ROWS: usize = 5;

/// Test samples of which a per cent is less than one.
const FEW_TESTS: usize = 100;

/// Most classes and rare ones that are listed.
const LISTED: (usize, usize) = (10, 3);

/// A table in random order, a fifth of it for the test, or a folder with pictures in the files of MNIST, which are not yet
/// prepared; and notes on how it was read.
///
/// # Errors
///
/// What cannot be read, and of what nothing can be learnt.
pub fn file(path: &Path, task: Task) -> Result<(Set, Vec<String>), Box<dyn Error>> {
    let in_path = |why: &dyn Display| format!("{}: {why}", path.display());
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let (set, mut notes) = if path.is_dir() {
        pictures(path, &name, task).map_err(|why| in_path(&why))?
    } else {
        let text = fs::read_to_string(path).map_err(|error| in_path(&error))?;
        let table = table::read(&text, task).map_err(|why| in_path(&why))?;
        let notes = notes(&name, &table);
        let order = Random::new(0).order(table.set.len());
        let train = order.len() - order.len().div_ceil(5);
        (Set { name: name.into(), ..table.set.select(&order, train) }, notes)
    };
    if let Some(what) = constant(&set) {
        let samples = counted(set.train, "training sample");
        return Err(in_path(&format!("{what} in {samples}: there is nothing to learn")).into());
    }
    notes.extend(few_tests(&set));
    // How pictures are prepared is chosen.
    let set = if set.picture.is_some() { set } else { set.prepared(true) };
    Ok((set, notes))
}

/// What does not vary in the training samples, the only ones that are learnt from.
fn constant(set: &Set) -> Option<&'static str> {
    fn is_constant<T: PartialEq>(mut values: impl Iterator<Item = T>) -> bool {
        let first = values.next();
        values.all(|value| Some(value) == first)
    }
    let targets = match &set.targets {
        Targets::Classes(labels) => is_constant(labels[..set.train].iter()),
        Targets::Numbers(numbers) => is_constant(numbers[..set.train].iter()),
    };
    if is_constant(set.rows(0..set.train).chunks(set.inputs)) {
        Some("no input varies")
    } else {
        targets.then_some("the target does not vary")
    }
}

fn pictures(folder: &Path, name: &str, task: Task) -> Result<(Set, Vec<String>), String> {
    if task == Task::Regress {
        return Err("pictures have classes: --task classify".into());
    }
    let missing: Vec<&str> =
        FILES.into_iter().filter(|file| !folder.join(file).is_file()).collect();
    if !missing.is_empty() {
        return Err(format!(
            "expected pictures in four IDX files, not compressed: {}; missing: {}",
            FILES.join(", "),
            if missing.len() == FILES.len() { "all".to_owned() } else { missing.join(", ") }
        ));
    }
    let pictures = readers::idx::Pictures::read(folder).map_err(|error| error.to_string())?;
    let (height, width) = (pictures.height, pictures.width);
    let set = Set::from_split(name, pictures.into_split(), Some((height, width)));
    let notes = vec![format!("{name}: {} of {height} × {width}", counted(set.len(), "picture"))];
    Ok((set, notes))
}

/// What was read of a table, and classes that may be mistakes.
fn notes(name: &str, table: &Table) -> Vec<String> {
    let Table { set, header, classes } = table;
    let mut notes = Vec::new();
    if let Some((line, words)) = header {
        notes.push(format!("{name}: line {line} is taken as a header: {}", shortened(words, 70)));
    }
    let targets = match &set.targets {
        Targets::Classes(_) => of_classes(classes),
        Targets::Numbers(numbers) => {
            let (least, most) = (f32::INFINITY, f32::NEG_INFINITY);
            let least = numbers.iter().fold(least, |a, b| a.min(*b));
            let most = numbers.iter().fold(most, |a, b| a.max(*b));
            format!("targets from {least} to {most}")
        }
    };
    let (rows, inputs) = (counted(set.len(), "row"), counted(set.inputs, "input"));
    notes.push(format!("{name}: {rows} of {inputs}, {targets}"));
    notes.extend(rare(classes));
    notes
}

fn of_classes(classes: &[Class]) -> String {
    let class = |class: &Class| format!("{} ({})", shortened(&class.name, 20), class.rows);
    let count = classes.len();
    match classes.iter().min_by_key(|class| class.rows) {
        Some(smallest) if classes.len() > LISTED.0 => {
            format!("{count} classes, the smallest is {}", class(smallest))
        }
        _ => {
            format!("{count} classes: {}", classes.iter().map(class).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Warnings of classes with few rows, the smallest first.
fn rare(classes: &[Class]) -> Vec<String> {
    let mut rare: Vec<&Class> = classes.iter().filter(|class| class.rows < FEW_ROWS).collect();
    rare.sort_by_key(|class| class.rows);
    let warning = |class: &&Class| {
        let (name, line) = (shortened(&class.name, 20), class.line);
        match class.rows {
            1 => format!("Warning: class {name} has one row (line {line}): is it a mistake?"),
            rows => format!(
                "Warning: class {name} has {rows} rows (the first is line {line}): is it a mistake?"
            ),
        }
    };
    let mut warnings: Vec<String> = rare.iter().take(LISTED.1).map(warning).collect();
    if let more @ 1.. = rare.len().saturating_sub(LISTED.1) {
        warnings
            .push(format!("Warning: classes with fewer than {FEW_ROWS} rows beside these: {more}"));
    }
    warnings
}

/// Warns of a test that is too small to tell methods apart.
fn few_tests(set: &Set) -> Option<String> {
    let tests = set.len() - set.train;
    let samples = counted(tests, "sample");
    // Of n samples √(a(1 − a)/n), which is largest at an accuracy a of 1/2.
    let deviation = 0.5 / (tests as f64).sqrt();
    let noise = match set.targets {
        Targets::Classes(_) => format!(
            "the deviation of an accuracy is up to {deviation:.2}: differences below that are noise"
        ),
        Targets::Numbers(_) => "small differences are noise".to_owned(),
    };
    (tests < FEW_TESTS).then(|| format!("Warning: the test has only {samples}; {noise}"))
}

/// The beginning of a text that is too long.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes_of(text: &str, task: Task) -> Vec<String> {
        notes("own.csv", &table::read(text, task).unwrap())
    }

    #[test]
    fn what_was_read_is_said_and_mistakes_are_suspected() {
        let text = "a,class\n".to_owned() + &"1,0\n2,1\n".repeat(300) + "3,cat\n4,7\n5,7\n";
        let expected = [
            "own.csv: line 1 is taken as a header: a, class",
            "own.csv: 603 rows of 1 input, 4 classes: 0 (300), 1 (300), 7 (2), cat (1)",
            "Warning: class cat has one row (line 602): is it a mistake?",
            "Warning: class 7 has 2 rows (the first is line 603): is it a mistake?",
        ];
        assert_eq!(notes_of(&text, Task::Classify), expected);
        let numbers = "1,2,-0.5\n2,3,7\n".repeat(5);
        let expected = ["own.csv: 10 rows of 2 inputs, targets from -0.5 to 7"];
        assert_eq!(notes_of(&numbers, Task::Regress), expected);
    }

    #[test]
    fn many_classes_and_long_headers_are_shortened() {
        let header = ["name"; 30].join(",") + "\n";
        let text: String = (0..12)
            .map(|k| format!("{}{k}", "1,".repeat(29)))
            .fold(header, |t, row| t + &(row + "\n").repeat(4));
        let notes = notes_of(&text, Task::Classify);
        assert!(
            notes[0].ends_with(
                ": name, name, name, name, name, name, name, name, name, name, name, name…"
            ),
            "{}",
            notes[0]
        );
        assert_eq!(notes[1], "own.csv: 48 rows of 29 inputs, 12 classes, the smallest is 0 (4)");
        assert_eq!(notes.len(), 2 + LISTED.1 + 1);
        assert_eq!(notes[5], "Warning: classes with fewer than 5 rows beside these: 9");
    }

    #[test]
    fn a_small_test_is_called_noisy() {
        let set = |targets| {
            let x = vec![0.0; 180];
            Set { name: String::new(), inputs: 1, x, targets, train: 144, picture: None }
        };
        let note = few_tests(&set(Targets::Classes(vec![0; 180]))).unwrap();
        assert!(note.contains("only 36 samples") && note.contains("up to 0.08"), "{note}");
        let note = few_tests(&set(Targets::Numbers(vec![0.0; 180]))).unwrap();
        assert!(note.ends_with("36 samples; small differences are noise"), "{note}");
        let large = Set { train: 80, ..set(Targets::Classes(vec![0; 180])) };
        assert_eq!(few_tests(&large), None);
    }

    #[test]
    fn files_of_which_nothing_can_be_learnt_are_named() {
        let folder = std::env::temp_dir().join(format!("paper-own-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let refused = |path: &Path| file(path, Task::Classify).unwrap_err().to_string();
        let table = folder.join("const.csv");
        fs::write(&table, "1,0\n1,1\n".repeat(10)).unwrap();
        let words = "const.csv: no input varies in 16 training samples: there is nothing to learn";
        assert!(refused(&table).ends_with(words), "{}", refused(&table));

        let table = folder.join("rare.csv");
        // The one row of another target is in the test.
        fs::write(&table, "1,5\n2,5\n3,5\n4,6\n5,5\n6,5\n7,5\n8,5\n9,5\n10,5\n").unwrap();
        let found = file(&table, Task::Regress).unwrap_err().to_string();
        assert!(found.contains("the target does not vary in 8 training samples"), "{found}");

        // A training and a test picture of one pixel, but for the last file.
        let idx = |dimensions: u8, value: u8| {
            let mut bytes = vec![0, 0, 8, dimensions];
            bytes.extend([0, 0, 0, 1].repeat(dimensions.into()));
            bytes.push(value);
            bytes
        };
        for (at, (name, dimensions)) in FILES.into_iter().zip([3, 1, 3, 1]).enumerate() {
            let found = refused(&folder);
            let missing = if at == 0 { "all".to_owned() } else { FILES[at..].join(", ") };
            assert!(
                found.contains(&format!("four IDX files, not compressed: {}", FILES.join(", ")))
            );
            assert!(found.ends_with(&format!("; missing: {missing}")), "{found}");
            fs::write(folder.join(name), idx(dimensions, 1)).unwrap();
        }
        // All are there, so that they are read: a single picture is too few.
        assert!(refused(&folder).contains("no input varies in 1 training sample"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
