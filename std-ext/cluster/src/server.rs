//! The processes of a cluster: a scheduler of Ballista and its executors, with the functions of this crate.

use crate::session::{MAX_MESSAGE_BYTES, register};
use crate::{aggregates, scalars};
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::Result as ClusterResult;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::utils::default_session_builder;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The shortest time after which an executor may be given up: one whose cores are all busy reports every 5 seconds.
pub const MIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs a scheduler until it is stopped. Executors that have not been heard of for `timeout` (at least
/// [`MIN_TIMEOUT`]) are given up, and others do their work again.
///
/// # Errors
///
/// Those of Ballista, if the address is taken for example.
pub async fn scheduler(address: SocketAddr, timeout: Duration) -> ClusterResult<()> {
    let timeout = timeout.max(MIN_TIMEOUT).as_secs();
    let config = SchedulerConfig {
        bind_host: address.ip().to_string(),
        external_host: address.ip().to_string(),
        bind_port: address.port(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: timeout,
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: timeout,
        grpc_server_max_decoding_message_size: MAX_MESSAGE_BYTES,
        grpc_server_max_encoding_message_size: MAX_MESSAGE_BYTES,
        override_session_builder: Some(Arc::new(|config| {
            let mut state = default_session_builder(config)?;
            register(&mut state)?;
            Ok(state)
        })),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, address, Arc::new(config)).await
}

/// An executor: where it is, and how much it does at a time.
#[derive(Clone, Debug)]
pub struct ExecutorOptions {
    /// Where others fetch its results.
    pub address: SocketAddr,
    /// Host and port of the scheduler.
    pub scheduler: (String, u16),
    /// Partitions at a time. Each has sums of its own in memory, and sends them.
    pub cores: usize,
    /// Threads that partitions share.
    pub threads: usize,
    /// Where results are kept until they are fetched; a temporary folder unless given.
    pub folder: Option<String>,
}

/// Runs an executor until it is stopped.
///
/// # Errors
///
/// Those of Ballista, if the scheduler cannot be reached for example.
pub async fn executor(options: ExecutorOptions) -> ClusterResult<()> {
    // Fails if the process has started its threads already, which then are as many as it wanted.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global();
    let (scheduler_host, scheduler_port) = options.scheduler;
    start_executor_process(Arc::new(ExecutorProcessConfig {
        bind_host: options.address.ip().to_string(),
        external_host: Some(options.address.ip().to_string()),
        port: options.address.port(),
        scheduler_host,
        scheduler_port,
        // Waits for a scheduler that is still starting.
        scheduler_connect_timeout_seconds: 30,
        vcores: options.cores,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: options.folder,
        grpc_max_decoding_message_size: MAX_MESSAGE_BYTES,
        grpc_max_encoding_message_size: MAX_MESSAGE_BYTES,
        override_function_registry: Some(Arc::new(functions())),
        ..ExecutorProcessConfig::default()
    }))
    .await
}

/// The functions of the engine and of this crate, by name.
fn functions() -> BallistaFunctionRegistry {
    let mut functions = BallistaFunctionRegistry::default();
    for aggregate in aggregates() {
        functions.aggregate_functions.insert(aggregate.name().to_string(), aggregate);
    }
    for scalar in scalars() {
        functions.scalar_functions.insert(scalar.name().to_string(), scalar);
    }
    functions
}
