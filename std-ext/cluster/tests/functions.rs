//! The functions in queries: the results of the library, in any partitions, and refusals with our messages.

use crate::data::{Data, INPUTS};
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Float32Type;
use datafusion::datasource::MemTable;
use std::sync::Arc;
use ternion::fit::{Params, Statistics};
use ternion::learn::{Moments, Ridge, TargetMoments, TernaryClassifier, TernaryRegressor};
use ternion::{Features, Form, Matrix, Samples, TernaryFeatures};
use ternion_cluster::{Labels, Model, Plan, Session};

fn params() -> Params {
    TernaryFeatures::params(200).form(Form::Structured).seed(5)
}

fn ternary(data: &Data) -> TernaryFeatures {
    params().fit_statistics(&statistics(data)).unwrap()
}

fn samples(data: &Data) -> Samples<'_, f32> {
    Samples::new(&data.x, INPUTS).unwrap()
}

fn statistics(data: &Data) -> Statistics {
    let mut statistics = Statistics::new(INPUTS).unwrap();
    statistics.add(&samples(data)).unwrap();
    statistics
}

/// The table `data`, in batches of 100 rows that are dealt to three partitions.
fn session(batch: &RecordBatch) -> Session {
    let session = Session::in_process(3).unwrap();
    let mut partitions = vec![Vec::new(); 3];
    for (k, first) in (0..batch.num_rows()).step_by(100).enumerate() {
        partitions[k % 3].push(batch.slice(first, 100.min(batch.num_rows() - first)));
    }
    let table = MemTable::try_new(batch.schema(), partitions).unwrap();
    session.context().register_table("data", Arc::new(table)).unwrap();
    session
}

async fn query(session: &Session, sql: &str) -> Result<RecordBatch, String> {
    let data = session.context().sql(sql).await.map_err(|error| error.to_string())?;
    let batches = data.collect().await.map_err(|error| error.to_string())?;
    let schema = batches[0].schema();
    Ok(datafusion::arrow::compute::concat_batches(&schema, &batches).unwrap())
}

/// The bytes of the only row.
async fn bytes(session: &Session, sql: &str) -> Vec<u8> {
    let result = query(session, sql).await.unwrap();
    assert_eq!(result.num_rows(), 1, "{sql}");
    result.column(0).as_binary::<i64>().value(0).to_vec()
}

/// Bytes as SQL.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("X'{digits}'")
}

fn plan(data: &Data) -> Plan {
    let labels = Labels::of(data.batch().column_by_name("label").unwrap()).unwrap();
    Plan::new(ternary(data), Some(labels))
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_are_those_of_the_library_for_vectors_and_columns_of_every_type() {
    let data = Data::new(1000);
    let expected = statistics(&data).to_bytes();
    let vectors = session(&data.batch());
    for x in [
        "x",
        "arrow_cast(x, 'FixedSizeList(12, Float64)')",
        "arrow_cast(x, 'List(Float32)')",
        "arrow_cast(x, 'LargeList(Float64)')",
    ] {
        let sql = format!("SELECT ternion_statistics({x}) FROM data");
        assert_eq!(bytes(&vectors, &sql).await, expected, "{x}");
    }
    let columns = session(&data.table());
    let names: Vec<String> = (0..INPUTS).map(|input| format!("x{input}")).collect();
    let doubles: Vec<String> = names.iter().map(|name| format!("{name}::double")).collect();
    for names in [names, doubles] {
        let sql = format!("SELECT ternion_statistics({}) FROM data", names.join(", "));
        assert_eq!(bytes(&columns, &sql).await, expected, "{names:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_group_have_sums_of_their_own() {
    let data = Data::new(700);
    let sql = "SELECT label, ternion_statistics(x) FROM data GROUP BY label ORDER BY label";
    let found = query(&session(&data.batch()), sql).await.unwrap();
    assert_eq!(found.num_rows(), 3);
    for (row, label) in [2, 7, 10].into_iter().enumerate() {
        let rows = (0..700).filter(|&sample| data.labels[sample] == label);
        let x: Vec<f32> = rows.flat_map(|k| &data.x[k * INPUTS..][..INPUTS]).copied().collect();
        let mut expected = Statistics::new(INPUTS).unwrap();
        expected.add(&Samples::new(&x, INPUTS).unwrap()).unwrap();
        assert_eq!(found.column(1).as_binary::<i64>().value(row), expected.to_bytes());
    }
}

/// A name tells calls apart, and does not spell out plans of kilobytes.
#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_function_are_told_apart() {
    let data = Data::new(400);
    let session = session(&data.batch());
    let [a, b] = [1, 2].map(|seed| {
        let ternary = params().seed(seed).fit_statistics(&statistics(&data)).unwrap();
        hex(&ternary.to_bytes())
    });
    let sql = format!(
        "SELECT ternion_statistics(x), ternion_statistics(x) FILTER (WHERE label = 7), \
         ternion_target_moments(x, target, {a}), ternion_target_moments(x, target, {b}), \
         max(ternion_features(x, {a})), max(ternion_features(x, {b})) FROM data"
    );
    let found = query(&session, &sql).await.unwrap();
    for pair in [[0, 1], [2, 3], [4, 5]] {
        let [first, second] = pair.map(|column| found.column(column).to_data());
        assert_ne!(first, second);
    }
    assert!(found.schema().fields().iter().all(|field| field.name().len() < 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn moments_are_those_of_the_library() {
    let data = Data::new(1000);
    let session = session(&data.batch());
    let ternary = ternary(&data);
    let features = ternary.transform(&samples(&data)).unwrap();

    let plan = plan(&data);
    assert_eq!(plan.labels().unwrap().texts(), ["2", "7", "10"]);
    let classes: Vec<usize> = data
        .labels
        .iter()
        .map(|label| [2, 7, 10].iter().position(|l| l == label).unwrap())
        .collect();
    let mut expected = Moments::new(&ternary, 3).unwrap();
    expected.add(&features, &classes).unwrap();
    let sql = format!("SELECT ternion_moments(x, label, {}) FROM data", hex(&plan.to_bytes()));
    assert_eq!(bytes(&session, &sql).await, expected.to_bytes());
    // Any type of integer will do.
    let sql = sql.replace("label,", "label::smallint,");
    assert_eq!(bytes(&session, &sql).await, expected.to_bytes());

    let labels =
        Labels::from_bytes(&bytes(&session, "SELECT ternion_labels(name) FROM data").await);
    let labels = labels.unwrap();
    assert_eq!(labels.texts(), ["class 10", "class 2", "class 7"]);
    let plan = Plan::new(ternary.clone(), Some(labels));
    let classes: Vec<usize> = data
        .labels
        .iter()
        .map(|label| [10, 2, 7].iter().position(|l| l == label).unwrap())
        .collect();
    let mut expected = Moments::new(&ternary, 3).unwrap();
    expected.add(&features, &classes).unwrap();
    let sql = format!("SELECT ternion_moments(x, name, {}) FROM data", hex(&plan.to_bytes()));
    assert_eq!(bytes(&session, &sql).await, expected.to_bytes());

    let targets = Matrix::from_vec(1000, 1, data.targets.clone()).unwrap();
    let mut expected = TargetMoments::new(&ternary, 1).unwrap();
    expected.add(&features, &targets).unwrap();
    let fit = hex(&ternary.to_bytes());
    let sql = format!("SELECT ternion_target_moments(x, target, {fit}) FROM data");
    assert_eq!(bytes(&session, &sql).await, expected.to_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn features_and_predictions_are_those_of_the_library() {
    let data = Data::new(500);
    let session = session(&data.batch());
    let (ternary, samples) = (ternary(&data), samples(&data));
    // Joined by the sample itself, since the rows come in any order.
    let row = |numbers: &[f32]| data.x.chunks(INPUTS).position(|x| x == numbers).unwrap();
    let rows = |result: &RecordBatch| -> Vec<usize> {
        let vectors = result.column(0).as_fixed_size_list();
        (0..result.num_rows())
            .map(|k| row(vectors.value(k).as_primitive::<Float32Type>().values()))
            .collect()
    };

    let sql = format!("SELECT x, ternion_features(x, {}) FROM data", hex(&ternary.to_bytes()));
    let found = query(&session, &sql).await.unwrap();
    assert_eq!(found.num_rows(), 500);
    let packed = found.column(1).as_binary::<i32>();
    let features = ternary.transform(&samples).unwrap();
    for (k, sample) in rows(&found).into_iter().enumerate() {
        assert_eq!(packed.value(k), packed_row(&features, sample));
    }

    let integers =
        TernaryClassifier::fit(params(), Ridge::default(), &samples, &data.labels).unwrap();
    let names: Vec<String> = data.labels.iter().map(|label| format!("class {label}")).collect();
    let texts = TernaryClassifier::fit(params(), Ridge::default(), &samples, &names).unwrap();
    let as_text = |labels: Vec<i64>| labels.iter().map(i64::to_string).collect();
    for (bytes, expected) in [
        (integers.to_bytes(), as_text(integers.predict(&samples).unwrap())),
        (texts.to_bytes(), texts.predict(&samples).unwrap()),
    ] {
        let sql = format!("SELECT x, ternion_predict(x, {}) FROM data", hex(&bytes));
        let found = query(&session, &sql).await.unwrap();
        let expected: Vec<String> = expected;
        for (k, sample) in rows(&found).into_iter().enumerate() {
            assert_eq!(found.column(1).as_string::<i32>().value(k), expected[sample]);
        }
    }

    for outputs in [1, 2] {
        let targets = data.targets.iter().flat_map(|&y| (0..outputs).map(move |k| y + k as f32));
        let targets = Matrix::from_vec(500, outputs, targets.collect()).unwrap();
        let model = TernaryRegressor::fit(params(), Ridge::default(), &samples, &targets).unwrap();
        let sql = format!("SELECT x, ternion_predict(x, {}) FROM data", hex(&model.to_bytes()));
        let found = query(&session, &sql).await.unwrap();
        let expected = model.predict(&samples).unwrap();
        let column = found.column(1);
        let numbers = column.as_fixed_size_list_opt().map_or(column, |lists| lists.values());
        let numbers = numbers.as_primitive::<Float32Type>().values();
        for (numbers, sample) in numbers.chunks(outputs).zip(rows(&found)) {
            assert_eq!(numbers, expected.row(sample).unwrap());
        }
    }
}

fn packed_row(features: &Features, sample: usize) -> Vec<u8> {
    let words = features.trits().sign().len() / features.len();
    let planes = [features.trits().sign(), features.trits().mask()];
    planes
        .iter()
        .flat_map(|plane| &plane[sample * words..][..words])
        .flat_map(|w| w.to_le_bytes())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_rows_have_no_sums() {
    let data = Data::new(100);
    let session = session(&data.batch());
    let plan = hex(&plan(&data).to_bytes());
    for call in [
        "ternion_statistics(x)",
        "ternion_labels(label)",
        &format!("ternion_moments(x, label, {plan})"),
    ] {
        let found = query(&session, &format!("SELECT {call} FROM data WHERE label > 10")).await;
        assert!(found.unwrap().column(0).is_null(0));
    }
    let sql = format!("SELECT ternion_features(x, {plan}) FROM data WHERE label > 10");
    let data = session.context().sql(&sql).await.unwrap();
    assert_eq!(data.count().await.unwrap(), 0);
}

/// Every refusal comes with our message, at the latest when the first batch is read.
#[tokio::test(flavor = "multi_thread")]
async fn bad_input_is_refused_with_our_message() {
    let data = Data::new(300);
    let session = session(&data.batch());
    let plan = plan(&data);
    let (labelled, bare) = (hex(&plan.to_bytes()), hex(&plan.ternary().to_bytes()));
    let mut changed = plan.to_bytes();
    changed[40] ^= 1;
    let changed = hex(&changed);
    let mut truncated = plan.to_bytes();
    truncated.pop();
    let truncated = hex(&truncated);
    let mut wrong = Vec::new();
    let null_row = "CASE WHEN label = 7 THEN NULL ELSE";
    for (select, message) in [
        // Samples.
        ("ternion_statistics()", "ternion_statistics takes samples, found 0 arguments"),
        (
            "ternion_statistics(name)",
            "samples are one column of lists of numbers, or columns of numbers; found Utf8",
        ),
        ("ternion_statistics(x, target)", "found FixedSizeList"),
        (
            &format!("ternion_statistics({null_row} x END)"),
            "has a null vector: leave such rows out with WHERE",
        ),
        (&format!("ternion_statistics(target, {null_row} target END)"), "has a null number"),
        (&format!("ternion_statistics([1.0, {null_row} target END])"), "has a null number"),
        (
            "ternion_statistics(CASE WHEN label = 7 THEN [1.0, 2.0] ELSE [1.0] END)",
            "all samples need as many",
        ),
        ("ternion_statistics(target, target / 0 * 0)", "is NaN, infinite or too large"),
        ("ternion_statistics(target::double * 1e300)", "is NaN, infinite or too large"),
        (
            "ternion_statistics(DISTINCT x), ternion_labels(label)",
            "ternion_statistics does not take DISTINCT",
        ),
        // Labels and targets.
        ("ternion_labels(target)", "labels are integers, booleans or text; found Float32"),
        ("ternion_labels(x)", "labels are integers, booleans or text; found FixedSizeList"),
        (&format!("ternion_labels({null_row} label END)"), "has a null label"),
        (&format!("ternion_moments(x, {null_row} label END, {labelled})"), "has a null label"),
        (
            &format!("ternion_moments(x, target, {labelled})"),
            "labels are integers, booleans or text; found Float32",
        ),
        (&format!("ternion_moments(x, name, {labelled})"), "labels are integers, found text"),
        (
            &format!("ternion_moments(x, label + 1, {labelled})"),
            "which is not among the 3 of the plan",
        ),
        (&format!("ternion_target_moments(x, name, {bare})"), "targets are numbers, found Utf8"),
        (&format!("ternion_target_moments(x, {null_row} target END, {bare})"), "has a null target"),
        (&format!("ternion_target_moments(x, target / 0, {bare})"), "the target of sample"),
        // Plans and models.
        (
            "ternion_moments(x, label)",
            "ternion_moments takes samples, a label and a plan, found 2 arguments",
        ),
        (&format!("ternion_moments(x, label, {bare})"), "the plan has no labels"),
        (&format!("ternion_moments(x, label, {changed})"), "the bytes have the CRC-32"),
        (&format!("ternion_moments(x, label, {truncated})"), "the bytes are no labels"),
        ("ternion_moments(x, label, X'00112233')", "saved objects start with the bytes TRNS"),
        ("ternion_moments(x, label, 7)", "the plan must be one constant of bytes"),
        (
            "ternion_moments(x, label, arrow_cast(name, 'Binary'))",
            "the plan must be one constant of bytes",
        ),
        (&format!("ternion_moments(target, label, {labelled})"), "inputs"),
        ("ternion_features(x)", "ternion_features takes samples and a plan, found 1 arguments"),
        (&format!("max(ternion_features(target, {labelled}))"), "inputs"),
        (&format!("max(ternion_features(target / 0, {labelled}))"), "inputs"),
        (
            "max(ternion_features(x, arrow_cast(name, 'Binary')))",
            "the plan must be one constant of bytes",
        ),
        (&format!("max(ternion_features({null_row} x END, {labelled}))"), "has a null vector"),
        (&format!("max(ternion_predict(x, {bare}))"), "the bytes should hold TernaryClassifier"),
        (
            "max(ternion_predict(x, arrow_cast(name, 'Binary')))",
            "the model must be one constant of bytes",
        ),
    ] {
        let found = query(&session, &format!("SELECT {select} FROM data")).await;
        if !found.as_ref().is_err_and(|error| error.contains(message)) {
            let select: String = select.chars().take(60).collect();
            wrong.push(format!("{select}: {message}, found {:?}", found.map(|_| ())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn labels_and_models_that_were_changed_are_refused() {
    let data = Data::new(60);
    let labels = Labels::of(data.batch().column_by_name("name").unwrap()).unwrap();
    let bytes = labels.to_bytes();
    assert_eq!(Labels::from_bytes(&bytes).unwrap(), labels);
    for length in 0..bytes.len() {
        assert!(Labels::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(Labels::from_bytes(&changed).is_err(), "{at}");
    }
    let model =
        TernaryClassifier::fit(params(), Ridge::default(), &samples(&data), &data.labels).unwrap();
    let mut bytes = model.to_bytes();
    assert_eq!(Model::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    bytes[30] ^= 1;
    assert!(Model::from_bytes(&bytes).unwrap_err().to_string().contains("CRC-32"));
}
