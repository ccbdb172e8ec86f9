//! Tests of the tests: what is public is tested, what can be refused is refused somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every Rust file below a folder of the workspace, as text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).expect("a folder of the workspace") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("readable");
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder), &mut found);
    assert!(!found.is_empty(), "no sources in {folder}");
    found
}

/// The words of all test files but this one.
fn tested() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for (path, text) in sources("tests/tests").into_iter().chain(sources("tests/src")) {
        if path.file_name().is_none_or(|name| name != "coverage.rs") {
            let word = |c: char| !c.is_alphanumeric() && c != '_';
            words.extend(text.split(word).map(str::to_owned));
        }
    }
    words
}

/// The identifier at the start of a text.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

#[test]
fn every_public_function_is_in_a_test() {
    let tested = tested();
    let mut missing = Vec::new();
    let mut functions = 0;
    for (path, text) in sources("core/src").into_iter().chain(sources("std-ext/src")) {
        for line in text.lines().map(str::trim_start) {
            let public = ["pub fn ", "pub const fn "].iter().find_map(|p| line.strip_prefix(p));
            if let Some(name) = public.map(identifier) {
                functions += 1;
                if !tested.contains(name) {
                    missing.push(format!("{name} in {}", path.display()));
                }
            }
        }
    }
    assert!(functions > 100, "only {functions} functions found: this test has gone blind");
    assert!(missing.is_empty(), "without a test:\n{}", missing.join("\n"));
}

#[test]
fn every_error_is_in_a_test() {
    let tested = tested();
    let mut missing = Vec::new();
    for (file, least) in [("core/src", 12), ("std-ext/src", 9 + 17)] {
        let mut variants = 0;
        for (path, text) in sources(file) {
            if path.file_name().is_none_or(|name| name != "error.rs") {
                continue;
            }
            let mut inside = false;
            for line in text.lines() {
                inside |=
                    line.starts_with("pub enum ") && identifier(&line[9..]).ends_with("Error");
                inside &= line != "}";
                let variant = identifier(line.strip_prefix("    ").unwrap_or_default());
                if inside && variant.starts_with(char::is_uppercase) {
                    variants += 1;
                    if !tested.contains(variant) {
                        missing.push(format!("{variant} in {}", path.display()));
                    }
                }
            }
        }
        assert!(variants >= least, "only {variants} errors in {file}: this test has gone blind");
    }
    assert!(missing.is_empty(), "never refused in a test:\n{}", missing.join("\n"));
}
