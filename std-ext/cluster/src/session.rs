//! [`Session`]: queries with the functions of this crate, in this process or on a cluster, and how far they are.

use crate::{Error, aggregates, rest, scalars};
use ballista::prelude::SessionContextExt;
use ballista_core::config::BALLISTA_CLIENT_PULL;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::extension::SessionConfigExt;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::stats::Precision;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::execution::{FunctionRegistry, SessionStateBuilder};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{CsvReadOptions, ParquetReadOptions, SessionConfig, SessionContext};
use datafusion_proto::protobuf::LogicalPlanNode;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// Bytes of the longest message between the processes of a cluster: the most that gRPC can frame.
///
/// The engine sets 16 MB unless told otherwise. The sums of a query are one message, and those of 4096 features have
/// 34 MB.
pub const MAX_MESSAGE_BYTES: u32 = u32::MAX;

/// Partitions on a cluster that does not say how many cores it has, as the engine has it.
const DEFAULT_PARTITIONS: usize = 16;

/// How often progress is reported.
const TICK: Duration = Duration::from_millis(500);

/// Adds the functions of this crate to a registry of the engine.
///
/// # Errors
///
/// Those of the registry.
pub fn register(registry: &mut dyn FunctionRegistry) -> Result<(), Error> {
    for aggregate in aggregates() {
        registry.register_udaf(aggregate)?;
    }
    for scalar in scalars() {
        registry.register_udf(scalar)?;
    }
    Ok(())
}

/// Where queries run.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use ternion_cluster::Session;
///
/// let session = Session::in_process(4)?;
/// let table = "VALUES ([1.0, 10.0]), ([3.0, 10.0])";
/// let data = session.context().sql(&format!("SELECT ternion_statistics(column1) FROM ({table})")).await?;
/// assert_eq!(data.collect().await?[0].num_rows(), 1);
/// # Ok::<(), ternion_cluster::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Session {
    context: SessionContext,
    /// Plans queries without running them.
    local: SessionContext,
    /// Host and port of the scheduler.
    scheduler: Option<String>,
}

/// How far a query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows that were read. A cluster counts those of finished tasks.
    pub rows: usize,
    /// Rows that there are, if the files say so.
    pub of: Option<usize>,
}

impl Session {
    /// Queries run in this process, in so many partitions.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn in_process(partitions: usize) -> Result<Self, Error> {
        let context = local_context(partitions)?;
        Ok(Self { local: context.clone(), context, scheduler: None })
    }

    /// Queries run on the executors of a scheduler (`host:port`), in so many partitions, or as many as they have cores.
    /// Files must have the same path on all of them.
    ///
    /// # Errors
    ///
    /// Those of the engine, if the address makes no sense. The scheduler must answer only when a query runs.
    pub async fn remote(scheduler: &str, partitions: Option<usize>) -> Result<Self, Error> {
        let partitions = match partitions {
            Some(partitions) => partitions,
            None => rest::cores(scheduler).await.unwrap_or(DEFAULT_PARTITIONS),
        };
        let config = config(SessionConfig::new_with_ballista(), partitions)
            .with_ballista_grpc_client_max_message_size(MAX_MESSAGE_BYTES as usize)
            // Then the number of the job, by which we ask how far it is, is known from the start.
            .set_bool(BALLISTA_CLIENT_PULL, true);
        let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
        let context =
            SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
        register(&mut *context.state_ref().write())?;
        let (local, scheduler) = (local_context(partitions)?, Some(scheduler.to_string()));
        Ok(Self { context, local, scheduler })
    }

    /// The context of the engine, with the functions of this crate.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// A table from files, all of them Parquet (`.parquet`) or all of them CSV with a header (`.csv`).
    ///
    /// # Errors
    ///
    /// [`Error::FileKind`] for other files, and those of the engine.
    pub async fn read(&self, files: &[String]) -> Result<DataFrame, Error> {
        read(&self.context, files).await
    }

    /// The rows of files, if these say how many they have, as Parquet does.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub async fn rows(&self, files: &[String]) -> Result<Option<usize>, Error> {
        let plan = read(&self.local, files).await?.create_physical_plan().await?;
        let statistics = StatisticsContext::new().compute(&*plan, &StatisticsArgs::new())?;
        Ok(match statistics.num_rows {
            Precision::Exact(rows) => Some(rows),
            _ => None,
        })
    }

    /// Runs a query, and reports how far it is twice a second. `of` is the number of rows it will read.
    ///
    /// # Errors
    ///
    /// Those of the engine, with the messages of this crate in them.
    pub async fn run(
        &self,
        query: DataFrame,
        of: Option<usize>,
        report: &dyn Fn(Progress),
    ) -> Result<Vec<RecordBatch>, Error> {
        let context = Arc::new(query.task_ctx());
        let plan = query.create_physical_plan().await?;
        // On another thread, so that long batches do not hold up the ticks.
        let running = SpawnedTask::spawn(collect(Arc::clone(&plan), context));
        let mut done = std::pin::pin!(running.join_unwind());
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                batches = &mut done => return Ok(batches.map_err(|error| DataFusionError::External(error.into()))??),
                _ = ticks.tick() => {
                    if let Some(rows) = self.rows_read(&plan).await {
                        report(Progress { rows, of });
                    }
                }
            }
        }
    }

    /// The rows that a running query has read.
    async fn rows_read(&self, plan: &Arc<dyn ExecutionPlan>) -> Option<usize> {
        let Some(scheduler) = &self.scheduler else { return Some(leaf_rows(plan)) };
        let job = plan.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>()?.job_id()?;
        rest::rows_read(scheduler, job.as_ref()).await
    }
}

fn config(config: SessionConfig, partitions: usize) -> SessionConfig {
    // Files of any size are split: a row takes much longer to compute than to read.
    config.with_target_partitions(partitions.max(1)).with_repartition_file_min_size(0)
}

fn local_context(partitions: usize) -> Result<SessionContext, Error> {
    let context = SessionContext::new_with_config(config(SessionConfig::new(), partitions));
    register(&mut *context.state_ref().write())?;
    Ok(context)
}

async fn read(context: &SessionContext, files: &[String]) -> Result<DataFrame, Error> {
    let all = |extension: &str| files.iter().position(|file| !file.ends_with(extension));
    match (all(".parquet"), all(".csv")) {
        (None, _) => {
            Ok(context.read_parquet(files.to_vec(), ParquetReadOptions::default()).await?)
        }
        (_, None) => Ok(context.read_csv(files.to_vec(), CsvReadOptions::default()).await?),
        (Some(a), Some(b)) => Err(Error::FileKind { path: files[a.max(b)].clone() }),
    }
}

/// The rows that the leaves of a plan have given so far.
fn leaf_rows(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let children = plan.children();
    if children.is_empty() {
        return plan.metrics().and_then(|metrics| metrics.output_rows()).unwrap_or(0);
    }
    children.into_iter().map(leaf_rows).sum()
}
