//! Times: cases that take turns in one process, and several fresh processes of them.

use crate::library::Kernels;
use crate::samples;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use ternion_core::Line;

const PROCESSES: usize = 7;
/// Every case has its rounds several times, so that no burst of other work meets all of them.
const SWEEPS: usize = 4;
const ROUNDS: usize = 20;
/// A turn is at least this long.
const TURN: Duration = Duration::from_micros(500);

/// Turns by which the old kernels are timed before a share of their time is added to the new ones'.
const CALIBRATION: usize = 40;
/// Steps of other work that are timed for that.
const STEPS: u64 = 20_000;

/// Who takes turns: a library, the number of a case in it, and the share of the time of the old kernels that this one wastes.
#[derive(Clone, Copy)]
struct Player<'a> {
    kernels: &'a Kernels,
    case: usize,
    share: f64,
    /// Steps of [`waste`] per turn.
    steps: u64,
}

impl Player<'_> {
    /// The time of some runs of the case, behind as many that are not timed: another library had its turn before.
    fn turn(&self, x: &[f32], out: &mut [Line], times: usize) -> Duration {
        self.kernels.run(self.case, x, out, times);
        let start = Instant::now();
        self.kernels.run(self.case, x, out, times);
        waste(self.steps);
        start.elapsed()
    }
}

/// Work of a known time that no kernel needs: each step waits for the one before.
fn waste(steps: u64) {
    let mut number = 1_u64;
    for _ in 0..steps {
        number = black_box(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
}

/// Steps of [`waste`] that take as long as a turn. They are timed where they will be, right behind the kernels: elsewhere they
/// were up to a fifth faster.
fn steps(player: Player<'_>, x: &[f32], out: &mut [Line], times: usize) -> f64 {
    let players = [player, Player { steps: STEPS, ..player }];
    let mut shortest = [f64::INFINITY; 2];
    for _ in 0..CALIBRATION {
        for (shortest, player) in shortest.iter_mut().zip(players) {
            *shortest = shortest.min(player.turn(x, out, times).as_secs_f64());
        }
    }
    let [without, with] = shortest;
    STEPS as f64 * without / (with - without).max(1e-9)
}

/// A case in one process.
struct Paired<'a> {
    name: &'a str,
    /// Old, old again, and the new ones.
    players: Vec<Player<'a>>,
    /// Runs per turn.
    times: usize,
    shortest: Vec<Duration>,
    /// Whether old and new compute the same.
    equal: bool,
}

/// What is compared.
#[derive(Clone, Copy)]
pub struct Race<'a> {
    /// The old library and the new one.
    pub paths: [&'a str; 2],
    /// The new kernels take part once for each of these shares, which they waste.
    pub shares: &'a [f64],
    /// Names of cases; all if empty.
    pub only: &'a [&'a str],
}

/// The order of some players in a process: each is in every place, with others before it.
fn order(process: usize, players: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..players).collect();
    order.rotate_left(process / 2 % players);
    if process % 2 == 1 {
        order.reverse();
    }
    order
}

/// One process: a line for each case with its name, whether the values are equal, the time of the old kernels in ns, old again
/// over old, and new over old for each share. The first two of the libraries are the old one, and one follows for each share;
/// each is a file of its own, because what is loaded twice from one file is loaded once.
pub fn measure(
    process: usize,
    shares: &[f64],
    libraries: &[&str],
    only: &[&str],
) -> Result<(), String> {
    let order = order(process, libraries.len());
    let mut loaded: Vec<Option<Kernels>> = libraries.iter().map(|_| None).collect();
    for &which in &order {
        loaded[which] = Some(Kernels::open(libraries[which])?);
    }
    let loaded: Vec<Kernels> = loaded.into_iter().flatten().collect();
    let [old, _, new, ..] = &loaded[..] else { return Err("there is no new library".to_owned()) };
    let absent = |name: &str| !old.names.iter().any(|other| other == name);
    if let Some(name) = only.iter().find(|name| absent(name)) {
        return Err(format!("there is no case {name}"));
    }
    let x = samples();
    let mut out = vec![Line::ZERO; crate::LINES];
    let mut cases = Vec::new();
    for (case, name) in old.names.iter().enumerate() {
        if !only.is_empty() && !only.contains(&name.as_str()) {
            continue;
        }
        let Some(newer) = new.names.iter().position(|other| other == name) else {
            return Err(format!("{name}: the new kernels lack this case"));
        };
        let of = [(case, 0.0); 2].into_iter().chain(shares.iter().map(|&share| (newer, share)));
        let players = loaded.iter().zip(of);
        let player = |(kernels, (case, share))| Player { kernels, case, share, steps: 0 };
        let mut players: Vec<Player<'_>> = players.map(player).collect();
        let mut values = vec![0; players.len()];
        for &which in &order {
            let Player { kernels, case, .. } = players[which];
            values[which] = kernels.value(case, &x, &mut out);
        }
        if values[0] != values[1] {
            return Err(format!("{name}: the old kernels do not give the same twice"));
        }
        let mut times = 1;
        while players[0].turn(&x, &mut out, times) < TURN {
            times *= 2;
        }
        if shares.iter().any(|&share| share > 0.0) {
            let steps = steps(players[0], &x, &mut out, times);
            players.iter_mut().for_each(|p| p.steps = (p.share * steps).round() as u64);
        }
        let (shortest, equal) = (vec![Duration::MAX; players.len()], values[0] == values[2]);
        cases.push(Paired { name, players, times, shortest, equal });
    }
    for _ in 0..SWEEPS {
        for case in &mut cases {
            // Nobody has two turns in a row, which would have the second find its branches predicted.
            let mut turns = order.clone();
            for _ in 0..ROUNDS {
                for &which in &turns {
                    let time = case.players[which].turn(&x, &mut out, case.times);
                    case.shortest[which] = case.shortest[which].min(time);
                }
                turns.rotate_left(1);
            }
        }
    }
    for Paired { name, times, shortest, equal, .. } in cases {
        let old = shortest[0].as_secs_f64();
        print!("{name} {equal} {}", old / times as f64 * 1e9);
        shortest[1..].iter().for_each(|time| print!(" {}", time.as_secs_f64() / old));
        println!();
    }
    Ok(())
}

impl Race<'_> {
    /// Fresh processes, each with an order and with copies of the libraries: the pages of a file that stays in memory would be
    /// the same for all of them.
    pub fn processes(self) -> Result<Vec<Measured>, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let shares: Vec<String> = self.shares.iter().map(f64::to_string).collect();
        let mut all: Vec<Measured> = Vec::new();
        for process in 0..PROCESSES {
            eprint!("\rprocess {} of {PROCESSES} ", process + 1);
            let [old, new] = self.paths;
            let copies = Copies::of([old; 2].into_iter().chain(self.shares.iter().map(|_| new)))?;
            let output = Command::new(&program)
                .args(["measure", &process.to_string(), &shares.join(",")])
                .args(&copies.paths)
                .args(self.only)
                .stderr(Stdio::inherit())
                .output()
                .map_err(|error| error.to_string())?;
            if !output.status.success() {
                return Err(format!("a process failed: {}", output.status));
            }
            for line in String::from_utf8_lossy(&output.stdout).lines() {
                let wrong = || format!("a line that is not a measurement: {line}");
                let (name, equal, numbers) = parse(line).ok_or_else(wrong)?;
                let [ns, own, ref new @ ..] = numbers[..] else { return Err(wrong()) };
                let at = all.iter().position(|result| result.name == name).unwrap_or_else(|| {
                    all.push(Measured::nothing(name, new.len()));
                    all.len() - 1
                });
                let result = &mut all[at];
                result.equal &= equal;
                result.ns = result.ns.min(ns);
                result.own.push(own);
                result.ratios.iter_mut().zip(new).for_each(|(ratios, &ratio)| ratios.push(ratio));
            }
        }
        eprint!("\r");
        Ok(all)
    }
}

/// Copies of libraries in a folder that is removed with them.
struct Copies {
    folder: PathBuf,
    paths: Vec<PathBuf>,
}

impl Copies {
    fn of<'a>(libraries: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("ternion-paired-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut copies = Self { folder, paths: Vec::new() };
        for library in libraries {
            let copy = copies.folder.join(format!("{}.so", copies.paths.len()));
            fs::copy(library, &copy).map_err(|error| format!("{library}: {error}"))?;
            copies.paths.push(copy);
        }
        Ok(copies)
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        // What cannot be removed stays in a folder for temporary files.
        _ = fs::remove_dir_all(&self.folder);
    }
}

/// A name, whether values are equal, and numbers.
fn parse(line: &str) -> Option<(&str, bool, Vec<f64>)> {
    let mut fields = line.split(' ');
    let (name, equal) = (fields.next()?, fields.next()?.parse().ok()?);
    Some((name, equal, fields.map(str::parse).collect::<Result<_, _>>().ok()?))
}

/// What all processes say about one case.
pub struct Measured {
    /// The name of the case.
    pub name: String,
    /// New over old, a list of processes for each share.
    pub ratios: Vec<Vec<f64>>,
    /// Old again over old.
    pub own: Vec<f64>,
    /// Whether both compute the same.
    pub equal: bool,
    /// The shortest time of the old kernels.
    pub ns: f64,
}

impl Measured {
    fn nothing(name: &str, shares: usize) -> Self {
        let ratios = vec![Vec::new(); shares];
        Self { name: name.to_owned(), ratios, own: Vec::new(), equal: true, ns: f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::{order, parse};

    #[test]
    fn three_players_are_in_every_order() {
        let mut orders: Vec<_> = (0..6).map(|process| order(process, 3)).collect();
        orders.sort();
        let all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        assert_eq!(orders, all);
    }

    #[test]
    fn lines_of_processes_are_read_or_refused() {
        let expected = ("gram/trits/1x2", true, vec![10.0, 1.001, 0.99]);
        assert_eq!(parse("gram/trits/1x2 true 10 1.001 0.99"), Some(expected));
        for line in ["", "a", "a maybe 1 2 3", "a true 1 two 3"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
