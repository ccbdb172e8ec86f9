//! A scheduler and executors on this machine, in processes of their own that end with their owner.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than anything in the tests takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// A folder that is removed in the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("ternion-{name}-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// The path of something in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A process that is killed in the end.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A scheduler and executors of one core each.
pub struct Cluster {
    /// Of the scheduler.
    pub address: String,
    /// What the scheduler says.
    pub log: String,
    pub executors: Vec<Process>,
    _scheduler: Process,
}

impl Cluster {
    /// Starts them by the program `cluster`, with files in a folder, and waits until all are there.
    pub fn start(program: &Path, folder: &Folder, executors: usize) -> io::Result<Self> {
        let address = free_address()?;
        let log = folder.path(&format!("{address}.log"));
        let mut scheduler = Command::new(program);
        scheduler.args(["scheduler", "--address", &address, "--timeout", "10"]);
        scheduler.env("RUST_LOG", "info").stderr(File::create(&log)?).stdin(Stdio::null());
        let scheduler = Process(scheduler.spawn()?);
        wait_until(|| TcpStream::connect(&address).is_ok())?;
        let executor = |_| {
            let own = free_address()?;
            let work = folder.path(&own);
            fs::create_dir_all(&work)?;
            let mut executor = Command::new(program);
            executor.args(["executor", "--scheduler", &address, "--address", &own, "--cores", "1"]);
            executor.args(["--threads", "1", "--folder", &work]).stdin(Stdio::null());
            executor.spawn().map(Process)
        };
        let executors = (0..executors).map(executor).collect::<io::Result<Vec<_>>>()?;
        let listed =
            || Ok::<_, io::Error>(http(&address, "/api/executors")?.matches("\"vcores\"").count());
        wait_until(|| listed().is_ok_and(|listed| listed == executors.len()))?;
        Ok(Self { address, log, executors, _scheduler: scheduler })
    }
}

/// An address of this machine that nobody uses.
fn free_address() -> io::Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}

fn http(address: &str, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn wait_until(mut done: impl FnMut() -> bool) -> io::Result<()> {
    let start = Instant::now();
    while !done() {
        if start.elapsed() > PATIENCE {
            return Err(io::ErrorKind::TimedOut.into());
        }
        sleep(Duration::from_millis(50));
    }
    Ok(())
}
