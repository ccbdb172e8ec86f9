"""Compiles mutants into a copy of the sources, side by side, with a switch at run time that picks one of them."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

# Added to ternion-core, in the copy only. A program takes the mutant of the variable, or writes down all that it reaches.
SWITCH = """
/// The switch between the mutants.
pub mod mutants {
    extern crate std;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

    const COUNT: usize = @COUNT@;
    /// No mutant; all of them are reported; the variable has not been read yet.
    const NONE: usize = usize::MAX;
    const REPORT: usize = usize::MAX - 1;
    const UNREAD: usize = usize::MAX - 2;

    static CHOSEN: AtomicUsize = AtomicUsize::new(UNREAD);
    static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

    /// Whether a mutant is to run in place of the function it was made of.
    #[inline]
    pub fn chosen(mutant: usize) -> bool {
        let chosen = CHOSEN.load(Relaxed);
        if chosen < UNREAD || chosen == NONE { chosen == mutant } else { rarely(mutant) }
    }

    #[cold]
    #[inline(never)]
    fn rarely(mutant: usize) -> bool {
        use std::io::Write;
        if CHOSEN.load(Relaxed) == UNREAD {
            let report = std::env::var_os("TERNION_MUTANT_REPORT").map_or(NONE, |_| REPORT);
            let chosen = std::env::var("TERNION_MUTANT").map_or(report, |text| text.parse().unwrap());
            CHOSEN.store(chosen, Relaxed);
            return self::chosen(mutant);
        }
        if !REACHED[mutant].load(Relaxed) && !REACHED[mutant].swap(true, Relaxed) {
            let report = std::env::var_os("TERNION_MUTANT_REPORT").unwrap();
            let mut to = std::fs::File::options().append(true).create(true).open(report).unwrap();
            to.write_all(std::format!("{mutant}\\n").as_bytes()).unwrap();
        }
        false
    }
}
"""

# The reason to leave out mutants that do not compile: no program can have such a bug.
UNCOMPILABLE = "does not compile"

# What a brace must not be looked for in: comments, strings, and characters (but not lifetimes).
QUIET = re.compile(r"""//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'""", re.DOTALL)


def body_of(text, start, end):
    """Where the body of the function between two offsets lies, without its braces, and what comes before it."""
    at, depth = start, 0
    while at < end:
        quiet = QUIET.match(text, at)
        if quiet:
            at = quiet.end()
            continue
        if text[at] in "([":
            depth += 1
        elif text[at] in ")]":
            depth -= 1
        elif text[at] == "{" and depth == 0:
            return at + 1, text.rindex("}", at, end), text[start:at]
        at += 1
    return None


def offsets(text):
    """A function from a line and a column, both from 1, to an offset."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    return lambda place: lines[place["line"] - 1] + place["column"] - 1


class Switches:
    """The copy of the sources, and the mutants in it. Those that cannot be switched are in `left_out`, with the reason."""

    def __init__(self, root, copy, mutants, environment):
        self.root, self.copy, self.environment = root, copy, environment
        self.mutants = mutants
        self.left_out = {}
        self.functions = {}
        self.regions = {}
        self._find_functions()

    def _find_functions(self):
        for number, mutant in enumerate(self.mutants):
            function = mutant.get("function")
            if not function:
                self.left_out[number] = "not in a function"
                continue
            span = function["span"]
            place = tuple((span[end]["line"], span[end]["column"]) for end in ("start", "end"))
            self.functions.setdefault(mutant["file"], {}).setdefault(place, []).append(number)
        for file, functions in self.functions.items():
            for inner in list(functions):
                if any(outer[0] <= inner[0] and inner[1] <= outer[1] and outer != inner for outer in functions):
                    for number in functions.pop(inner):
                        self.left_out[number] = "in a function within another that has mutants"

    def _with_switches(self, file):
        """The text of a file with all of its mutants, and the lines on which each is."""
        text = (self.root / file).read_text()
        at = offsets(text)
        path = "crate" if file.startswith("core/") else "::ternion_core"
        for (start, end), numbers in sorted(self.functions.get(file, {}).items(), reverse=True):
            start, end = (at({"line": line, "column": column}) for line, column in (start, end))
            found = body_of(text, start, end)
            numbers = [number for number in numbers if number not in self.left_out]
            reason = None
            if found is None:
                reason = "no body"
            elif re.search(r"\bconst\s+(unsafe\s+)?fn\b", found[2]):
                reason = "in a constant function"
            elif re.search(r"->\s*impl\b", found[2]):
                reason = "in a function that returns `impl`"
            if reason:
                self.left_out.update((number, reason) for number in numbers)
                continue
            first, last, _ = found
            bodies = []
            for number in numbers:
                span = self.mutants[number]["span"]
                low, high = at(span["start"]), at(span["end"])
                if not first <= low <= high <= last:
                    self.left_out[number] = "outside the body of its function"
                    continue
                mutated = text[first:low] + self.mutants[number]["replacement"] + text[high:last]
                bodies.append(f"if {path}::mutants::chosen({number}) {{ //@ {number}\n{mutated}\n}} //@\nelse ")
            if bodies:
                new = "\n" + "".join(bodies) + "{" + text[first:last] + "}\n"
                text = text[:first] + new + text[last:]
        regions, number = [], None
        for line in text.splitlines():
            opened = re.search(r"//@ (\d+)$", line)
            number = int(opened[1]) if opened else number
            regions.append(number)
            number = None if line.endswith("} //@") else number
        self.regions[file] = regions
        return text

    def write(self):
        """Writes the copy; only files that differ, so that cargo compiles no more than it must."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, check=True, capture_output=True, text=True,
        ).stdout.split("\0")
        for file in filter(None, listed):
            source, target = self.root / file, self.copy / file
            if not source.is_file():
                continue
            if file in self.functions:
                new = self._with_switches(file).encode()
            else:
                new = source.read_bytes()
            if file == "core/src/lib.rs":
                new += SWITCH.replace("@COUNT@", str(len(self.mutants))).encode()
            if not target.is_file() or target.read_bytes() != new:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(new)

    def _blamed(self, message):
        """The mutants that an error of the compiler is about, and those of all files that it is in."""
        spans = list(message["spans"])
        for child in message["children"]:
            spans += child["spans"]
        blamed, files = set(), set()
        for span in spans:
            while span:
                file = span["file_name"]
                if file in self.regions:
                    files.add(file)
                    lines = self.regions[file][span["line_start"] - 1 : span["line_end"]]
                    blamed.update(number for number in lines if number is not None)
                span = (span.get("expansion") or {}).get("span")
        beside = {n for file in files for numbers in self.functions[file].values() for n in numbers}
        return blamed - self.left_out.keys(), beside - self.left_out.keys()

    def cargo(self, *arguments):
        """Runs cargo on the copy and returns its messages."""
        run = subprocess.run(
            ["cargo", *arguments, "--message-format=json"],
            cwd=self.copy, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        messages = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
        return run.returncode, messages, run.stderr

    def build(self):
        """Builds all tests, without the mutants that do not compile, and returns the programs with their folders."""
        self.write()
        for command in (["check", "-p", "ternion-core", "-p", "ternion"],
                        ["test", "--no-run", "-p", "ternion-core", "-p", "ternion", "-p", "ternion-tests", "--lib", "--tests"]):
            while True:
                status, messages, output = self.cargo(*command, "--locked", "--all-features")
                if status == 0:
                    break
                errors = [m["message"] for m in messages if m["reason"] == "compiler-message" and m["message"]["level"] == "error"]
                found, reason = [self._blamed(error) for error in errors], UNCOMPILABLE
                blamed = set().union(*(blamed for blamed, _ in found))
                if not blamed:
                    # In a function as it was, as if its two branches had different types: all of its file, to be sure.
                    blamed, reason = set().union(*(beside for _, beside in found)), "in a file with one that cannot be switched"
                if not blamed:
                    sys.exit(output + "".join(error["rendered"] or "" for error in errors))
                self.left_out.update((number, reason) for number in blamed)
                print(f"{len(blamed)} mutants left out: {reason}", flush=True)
                self.write()
        programs = [(m["executable"], Path(m["manifest_path"]).parent) for m in messages
                    if m["reason"] == "compiler-artifact" and m.get("executable") and m["profile"]["test"]]
        return sorted(set(programs))
