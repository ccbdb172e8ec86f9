"""Mutation testing: switches mutants on one after the other, runs the tests that reach each, and lists what survives.

Run by .ci/mutants, which says how. Standard input is what `cargo mutants --list --json` prints, the first argument a file
with the same for all of both crates. Survivors must be in explained.txt, and only mutants that survive may be: one that is there fails
once all that its line may mean were tried and caught.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from switches import UNCOMPILABLE, Switches

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "mutants"
EXPLAINED = Path(__file__).with_name("explained.txt")
# Read the sources, which differ in the copy.
SKIPPED = ("coverage::", "lists::")
# A mutant may ask for all memory, or never end: it has some seconds of the CPU beside a multiple of what the test takes.
# What sleeps takes none, but may wait long for a busy machine.
MEMORY = 8 << 30
SECONDS, TIMES = 30, 10
ASLEEP = 3600


def name_of(mutant):
    """What a mutant is, and the line that it is in: no numbers of lines, which change with every edit above."""
    lines = (ROOT / mutant["file"]).read_text().splitlines()
    line = lines[mutant["span"]["start"]["line"] - 1].strip()
    what = mutant["name"].split(": ", 1)[1]
    return f"{mutant['file']}: {what}: {line}"


def cpu_seconds():
    """Of all processes that have ended: what a test takes, however busy the machine is."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def explanations():
    """The mutants that may survive: a line each, with the reason in lines that are indented below it."""
    explained, name = {}, None
    for line in EXPLAINED.read_text().splitlines():
        if line.startswith(" ") and name:
            explained[name] += line.strip() + " "
        elif line and not line.startswith("#"):
            name = line
            explained[name] = ""
    bare = [name for name, reason in explained.items() if not reason]
    if bare:
        sys.exit("explained.txt does not say why: " + "\n".join(bare))
    return explained


class Tests:
    """Every test of some programs, run in a process of its own."""

    def __init__(self, programs, environment):
        self.environment = environment
        self.all = []
        for program, folder in programs:
            listed = subprocess.run(
                [program, "--list", "--format=terse"], cwd=folder, check=True, capture_output=True, text=True
            ).stdout.splitlines()
            names = [line.removesuffix(": test") for line in listed if line.endswith(": test")]
            self.all += [(program, folder, name) for name in names if not name.startswith(SKIPPED)]
        self.seconds, self.reached = {}, {}
        # How often a test caught a mutant of a file.
        self.caught = Counter()

    def run(self, test, variables, seconds):
        """Whether a test passes; None if it does not end."""
        program, folder, name = test

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))

        process = subprocess.Popen(
            [program, "--exact", name], cwd=folder, env=self.environment | variables, preexec_fn=limit,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            status = process.wait(ASLEEP + seconds)
            return None if status in (-signal.SIGXCPU, -signal.SIGKILL) else status == 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None

    def baseline(self):
        """Runs all of them without a mutant, and notes which mutants each would reach."""
        report = WORK / "reached"
        for test in self.all:
            report.write_text("")
            start = cpu_seconds()
            if not self.run(test, {"TERNION_MUTANT_REPORT": str(report)}, 3600):
                sys.exit(f"{test[2]} fails without a mutant")
            self.seconds[test] = cpu_seconds() - start
            for number in set(map(int, report.read_text().split())):
                self.reached.setdefault(number, []).append(test)

    def judge(self, number, file):
        """The fate of a mutant, and the test that caught it. Tests come first that caught others, and then short ones."""
        order = lambda test: (-self.caught[test, file], self.seconds[test])
        for test in sorted(self.reached.get(number, []), key=order):
            passed = self.run(test, {"TERNION_MUTANT": str(number)}, SECONDS + TIMES * self.seconds[test])
            if not passed:
                self.caught[test, file] += 1
                return ("caught" if passed is False else "timeout"), test[2]
        return ("survived" if number in self.reached else "unreached"), ""


def main():
    listed = json.loads(Path(sys.argv[1]).read_text())
    mutants = json.load(sys.stdin)
    explained = explanations()
    wrong = [f"explained, but there is no such mutant: {name}" for name in explained.keys() - set(map(name_of, listed))]
    if sys.argv[2:] == ["again"]:
        before = set((WORK / "survivors").read_text().splitlines())
        if not before:
            print("nothing survived the last run")
            return
        mutants = [mutant for mutant in mutants if name_of(mutant) in before]
    if not mutants:
        sys.exit("there is no such mutant: another file, or another part than that of the last run?")

    copy = WORK / "copy"
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(WORK / "build"),
        "CARGO_PROFILE_DEV_DEBUG": "0",
        "RUSTFLAGS": "--cap-lints=allow",
        # Models that are changed at random are tests of the reader, of which few do.
        "TERNION_MUTATIONS": os.environ.get("TERNION_MUTATIONS", "1000"),
    }
    start = time.monotonic()
    switches = Switches(ROOT, copy, mutants, environment)
    tests = Tests(switches.build(), environment)
    print(f"{len(tests.all)} tests, built after {time.monotonic() - start:.0f} s", flush=True)
    tests.baseline()
    print(f"run once after {time.monotonic() - start:.0f} s", flush=True)

    fates, caught, survivors = Counter(), Counter(), []
    with open(WORK / "fates", "w") as log:
        for number, mutant in enumerate(mutants):
            name = name_of(mutant)
            if number in switches.left_out:
                reason = switches.left_out[number]
                fates["uncompilable" if reason == UNCOMPILABLE else "not switchable"] += 1
                print(f"left out, {reason}: {mutant['name']}", file=log, flush=True)
                continue
            fate, test = tests.judge(number, mutant["file"])
            print(f"{fate} {test}: {mutant['name']}", file=log, flush=True)
            if fate in ("survived", "unreached"):
                survivors.append(name)
                fate = "explained" if name in explained else fate
                if fate != "explained":
                    wrong.append(f"{fate}: {mutant['name']}")
                    print(wrong[-1], flush=True)
            elif name in explained:
                print(f"explained, but {fate} by {test}: {mutant['name']}", flush=True)
                caught[name] += fate == "caught"
            fates[fate] += 1
    # Of several in one line, one that was not tried may be the one that survives.
    all_of = Counter(map(name_of, listed))
    wrong += [f"explained, but caught: {name}" for name, count in caught.items() if count == all_of[name]]
    (WORK / "survivors").write_text("".join(f"{name}\n" for name in survivors))
    if not fates.keys() - {"uncompilable", "not switchable"}:
        wrong.append("none of these mutants could be tried")
    counts = ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items()))
    print(f"of {len(listed)} mutants {len(mutants)} in {time.monotonic() - start:.0f} s: {counts}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
