//! The `cluster` program: fits and predictions on files, in this process or on a cluster, and the processes of one.

#![forbid(unsafe_code)]

use datafusion::dataframe::DataFrameWriteOptions;
use lexopt::Parser;
use lexopt::prelude::*;
use std::fs;
use std::io::{IsTerminal, Write, stderr};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use ternion::fit::Params;
use ternion::learn::Ridge;
use ternion::{Form, TernaryFeatures};
use ternion_cluster::{
    ExecutorOptions, Fit, Model, Outcome, Progress, Session, Step, executor, predict, scheduler,
};

const HELP: &str = "\
cluster fit FILE… --label COLUMN --out MODEL     fit a classifier
cluster fit FILE… --value COLUMN --out MODEL     fit a regressor
  FILE is .parquet, or .csv with a header. Options:
  --inputs A,B,…      columns of the samples: one of vectors, or one of numbers for each input
                      (default: the only column of vectors, or else all other columns of numbers)
  --features N        features (default: 2048)
  --form FORM         of W: stored, seeded, structured, boxes:28x28 or subsets (default: structured)
  --kernel NAME       what the features imitate, as gaussian_gamma2 or relu (default: Gaussian, width of the data)
  --policy NAME       which ternary function imitates it (default: automatic)
  --seed N            of W (default: 0)
  --ridge R           ridge parameter, in units of the mean eigenvalue (default: 0.3)
  --scheduler H:P     compute on the executors of this scheduler (default: in this process)
  --partitions N      compute so many parts at a time (default: the cores there are)
cluster predict FILE… --model MODEL --out FOLDER  write predictions as Parquet
  --inputs, --scheduler, --partitions as above; --label or --value COLUMN is no input
cluster scheduler [--address H:P] [--timeout S]   run a scheduler (default: 127.0.0.1:50050, 30 s)
cluster executor [--scheduler H:P] [--address H:P] [--cores N] [--threads N] [--folder F]
                                                  run an executor (default: 127.0.0.1:50051)
  --cores N           compute so many parts at a time (default: the cores there are)
  --threads N         threads that the parts share (default: the cores there are)
  --folder F          for results until they are fetched (default: a temporary one)
";

type AnyError = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("error")).init();
    let run = || -> Result<(), AnyError> {
        tokio::runtime::Runtime::new()?.block_on(command(Parser::from_env()))
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn command(mut parser: Parser) -> Result<(), AnyError> {
    let command = match parser.next()? {
        Some(Value(command)) => command.string()?,
        Some(Long("help") | Short('h')) | None => "help".into(),
        Some(other) => return Err(other.unexpected().into()),
    };
    let options = Options::parse(parser)?;
    match command.as_str() {
        "fit" => options.fit().await,
        "predict" => options.predict().await,
        "scheduler" => {
            let address = options.address.unwrap_or(loopback(50050));
            Ok(scheduler(address, options.timeout).await?)
        }
        "executor" => {
            let cores = options.partitions.unwrap_or(cores());
            let scheduler = options.scheduler.unwrap_or_else(|| loopback(50050).to_string());
            let (host, port) = scheduler.rsplit_once(':').ok_or("--scheduler takes HOST:PORT")?;
            let scheduler = (host.to_string(), port.parse()?);
            let address = options.address.unwrap_or(loopback(50051));
            let (threads, folder) = (options.threads.unwrap_or(self::cores()), options.folder);
            let options = ExecutorOptions { address, scheduler, cores, threads, folder };
            Ok(executor(options).await?)
        }
        "help" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no command {other:?}: see cluster --help").into()),
    }
}

fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// The options of all commands.
struct Options {
    files: Vec<String>,
    outcome: Option<Outcome>,
    inputs: Option<Vec<String>>,
    out: Option<String>,
    model: Option<String>,
    params: Params,
    ridge: Ridge,
    scheduler: Option<String>,
    partitions: Option<usize>,
    threads: Option<usize>,
    address: Option<SocketAddr>,
    timeout: Duration,
    folder: Option<String>,
}

impl Options {
    fn parse(mut parser: Parser) -> Result<Self, AnyError> {
        let mut features = 2048;
        // What was chosen, in the order of the options; the number of features makes the parameters.
        let mut choices: Vec<Box<dyn FnOnce(Params) -> Params>> = Vec::new();
        let mut options = Self {
            files: Vec::new(),
            outcome: None,
            inputs: None,
            out: None,
            model: None,
            params: TernaryFeatures::params(features),
            ridge: Ridge::default(),
            scheduler: None,
            partitions: None,
            threads: None,
            address: None,
            timeout: Duration::from_secs(30),
            folder: None,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Value(file) => options.files.push(file.string()?),
                Long("label") => options.outcome = Some(Outcome::Label(parser.value()?.string()?)),
                Long("value") => options.outcome = Some(Outcome::Value(parser.value()?.string()?)),
                Long("inputs") => {
                    let names = parser.value()?.string()?;
                    options.inputs = Some(names.split(',').map(String::from).collect());
                }
                Long("out") => options.out = Some(parser.value()?.string()?),
                Long("model") => options.model = Some(parser.value()?.string()?),
                Long("features") => features = parser.value()?.parse()?,
                Long("form") => {
                    let form = parser.value()?.parse()?;
                    choices.push(Box::new(move |params| params.form(form)));
                }
                Long("kernel") => {
                    let target = parser.value()?.parse()?;
                    choices.push(Box::new(move |params| params.target(target)));
                }
                Long("policy") => {
                    let policy = parser.value()?.parse()?;
                    choices.push(Box::new(move |params| params.policy(policy)));
                }
                Long("seed") => {
                    let seed = parser.value()?.parse()?;
                    choices.push(Box::new(move |params| params.seed(seed)));
                }
                Long("ridge") => options.ridge = Ridge::new(parser.value()?.parse()?)?,
                Long("scheduler") => options.scheduler = Some(parser.value()?.string()?),
                Long("partitions" | "cores") => options.partitions = Some(parser.value()?.parse()?),
                Long("threads") => options.threads = Some(parser.value()?.parse()?),
                Long("address") => options.address = Some(parser.value()?.parse()?),
                Long("timeout") => options.timeout = Duration::from_secs(parser.value()?.parse()?),
                Long("folder") => options.folder = Some(parser.value()?.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        let params = TernaryFeatures::params(features).form(Form::Structured);
        options.params = choices.into_iter().fold(params, |params, choice| choice(params));
        Ok(options)
    }

    async fn session(&self) -> Result<Session, AnyError> {
        Ok(match &self.scheduler {
            Some(scheduler) => Session::remote(scheduler, self.partitions).await?,
            None => Session::in_process(self.partitions.unwrap_or(cores()))?,
        })
    }

    async fn fit(self) -> Result<(), AnyError> {
        let session = self.session().await?;
        let out = self.out.ok_or("fit needs --out MODEL")?;
        let outcome = self.outcome.ok_or("fit needs --label COLUMN or --value COLUMN")?;
        let Self { files, inputs, params, ridge, .. } = self;
        let fit = Fit { files, outcome, inputs, params, ridge };
        let steps = Steps { start: Instant::now() };
        let model = fit.run(&session, &|step| steps.report(step)).await?;
        steps.end();
        let bytes = model.to_bytes();
        fs::write(&out, &bytes)?;
        eprintln!("{out}: {} bytes", bytes.len());
        Ok(())
    }

    async fn predict(self) -> Result<(), AnyError> {
        let session = self.session().await?;
        let model = fs::read(self.model.ok_or("predict needs --model MODEL")?)?;
        let model = Model::from_bytes(&model)?;
        let out = self.out.ok_or("predict needs --out FOLDER")?;
        let data = session.read(&self.files).await?;
        let except = self.outcome.as_ref().map_or("", Outcome::column);
        let data = predict(&session, data, self.inputs.as_deref(), except, &model)?;
        data.write_parquet(&out, DataFrameWriteOptions::new(), None).await?;
        Ok(())
    }
}

/// Progress on standard error: one line that changes on a terminal, a line for each report elsewhere.
struct Steps {
    start: Instant,
}

impl Steps {
    fn report(&self, step: Step) {
        let text = match step {
            Step::Statistics(progress) => format!("statistics: {}", rows(progress)),
            Step::Moments(progress) => format!("moments: {}", rows(progress)),
            Step::Solve => "solving".to_string(),
        };
        let line = format!("{:6.1} s  {text}", self.start.elapsed().as_secs_f64());
        if stderr().is_terminal() {
            eprint!("\r{line:<70}");
            // What cannot be shown is not worth an error.
            let _ = stderr().flush();
        } else {
            eprintln!("{line}");
        }
    }

    fn end(&self) {
        if stderr().is_terminal() {
            eprintln!();
        }
    }
}

fn rows(progress: Progress) -> String {
    match progress.of {
        Some(of) => format!("{} of {of} rows", progress.rows),
        None => format!("{} rows", progress.rows),
    }
}
