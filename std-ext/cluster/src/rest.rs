//! What a scheduler of Ballista says of a job over HTTP. It is asked for progress only: whatever fails is no progress.

use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The rows that a job has read in tasks that are finished. Later stages read a row from each partition, so the stage
/// that reads the most rows is the one that reads the files.
pub(crate) async fn rows_read(scheduler: &str, job: &str) -> Option<usize> {
    let stages = get(scheduler, &format!("/api/job/{job}/stages")).await?;
    let rows = stages.get("stages")?.as_array()?.iter();
    rows.filter_map(|stage| stage.get("input_rows")?.as_u64()).max().map(|rows| rows as usize)
}

/// The virtual cores of all executors together.
pub(crate) async fn cores(scheduler: &str) -> Option<usize> {
    let executors = get(scheduler, "/api/executors").await?;
    let cores = |executor: &Value| executor.get("specification")?.get("vcores")?.as_u64();
    executors.as_array()?.iter().map(cores).sum::<Option<u64>>().map(|cores| cores as usize)
}

async fn get(scheduler: &str, path: &str) -> Option<Value> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {scheduler}\r\nConnection: close\r\n\r\n");
    let answer = async {
        let mut stream = TcpStream::connect(scheduler).await.ok()?;
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok()?;
        String::from_utf8(answer).ok()
    };
    let answer = timeout(PATIENCE, answer).await.ok()??;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    serde_json::from_str(body).ok()
}
