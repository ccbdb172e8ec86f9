//! What is compared: the kernels that users wait for, through public entries that seldom change.

use std::hint::black_box;
use ternion::export::{Bits, Export, IntegerFeatures, Readout};
use ternion::learn::{LinearModel, Predictor, Ridge};
use ternion::{Features, Form, Grid, Isa, Matrix, Samples, TernaryFeatures, TritMatrix, dispatch};
use ternion_core::model::Model;
use ternion_core::{
    Element, IndexLists, Line, Local, Projection, RowLanes, Seeded, Sparsity, Structured,
    Thresholds, View, featurize, plane_words, scratch_lines,
};

/// One run on samples, with output into the caller's memory. If the last argument asks for it, which it does not while time or
/// instructions count, returns all that came out elsewhere, in one number.
pub type Run = Box<dyn FnMut(&[f32], &mut [Line], bool) -> u64>;

/// Something to be timed.
pub struct Case {
    pub name: &'static str,
    /// Fits and allocates whatever does not belong to a run.
    pub prepare: fn(&[f32]) -> Run,
}

const INPUTS: usize = 256;
const FEATURES: usize = 1024;
const BATCH: usize = 128;

/// Numbers in one: another bit in any of them makes another one, but for an unlucky hash.
fn hash(numbers: impl IntoIterator<Item = u64>) -> u64 {
    let step = |hash: u64, number: u64| {
        (hash.rotate_left(23) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    numbers.into_iter().fold(0, step)
}

const fn case(name: &'static str, prepare: fn(&[f32]) -> Run) -> Case {
    Case { name, prepare }
}

/// Names are `KERNEL/FORM/INPUT/SIZES`, as in the benches of criterion.
pub const CASES: &[Case] = &[
    case("featurize/row-lanes/f32/1024x256x128", |x| transform(x, Form::Stored, 2.0 / 3.0, BATCH)),
    case("featurize/index-lists/f32/1024x256x128", |x| transform(x, Form::Stored, 0.9, BATCH)),
    case("featurize/seeded/f32/1024x256x128", |x| transform(x, Form::Seeded, 2.0 / 3.0, BATCH)),
    case("featurize/structured/f32/1024x256x128", |x| transform(x, Form::Structured, 0.0, BATCH)),
    case("featurize/boxes/f32/1024x256x128", |x| transform(x, BOXES, 0.0, BATCH)),
    case("featurize/subsets/f32/1024x256x128", |x| transform(x, Form::SUBSETS, 0.0, BATCH)),
    case("featurize/planes/f32/1024x256x128", |x| core_featurize(weights(2.0 / 3.0), floats(x))),
    case("featurize/planes/i8/1024x256x128", |x| core_featurize(weights(2.0 / 3.0), bytes(x))),
    case("featurize/row-lanes/i8/1024x256x128", |x| core_featurize(row_lanes(), bytes(x))),
    case("featurize/row-lanes/bits/1024x256x128", |x| core_featurize(row_lanes(), bits(x))),
    case("featurize/index-lists/i8/1024x256x128", |x| core_featurize(index_lists(), bytes(x))),
    case("featurize/seeded/i8/1024x256x128", |x| core_featurize(seeded(2.0 / 3.0), bytes(x))),
    case("featurize/structured/i8/1024x256x128", |x| core_featurize(structured(), bytes(x))),
    case("featurize/boxes/i8/1024x256x128", |x| core_featurize(local(VIEW), bytes(x))),
    case("featurize/subsets/i8/1024x256x128", |x| core_featurize(local(View::SUBSETS), bytes(x))),
    case("featurize/row-lanes/f32/1024x256x1", |x| transform(x, Form::Stored, 2.0 / 3.0, 1)),
    case("featurize/structured/f32/1024x256x1", |x| transform(x, Form::Structured, 0.0, 1)),
    case("predictor/structured/f32/1024x256x10", predictor),
    case("dots/trits/1024x128", |x| products(x, dots)),
    case("gram/trits/1024x128", |x| products(x, gram)),
    case("moments/trits/1024x128", moments),
    case("ridge/by-samples/1024x128", ridge),
    case("model/structured/i8/256x64x2", |x| model(x, Form::Structured)),
    case("model/seeded/i8/256x64x2", |x| model(x, Form::Seeded)),
    case("sampling/seeded/1024x256", |_| sampling()),
];

const BOXES: Form = Form::Boxes(Grid::image(16, 16));
const VIEW: View = View::Boxes(Grid::image(16, 16));

fn samples(x: &[f32], count: usize) -> Samples<'_, f32> {
    Samples::new(&x[..count * INPUTS], INPUTS).expect("whole samples")
}

fn fit(x: &[f32], form: Form, sparsity: f64) -> TernaryFeatures {
    let params = TernaryFeatures::params(FEATURES).form(form).sparsity(sparsity);
    params.fit(&samples(x, BATCH)).expect("samples that differ")
}

fn features(x: &[f32]) -> Features {
    fit(x, Form::Structured, 0.0).transform(&samples(x, BATCH)).expect("samples of the fit")
}

/// The planes of the features of some samples, in the caller's memory.
fn planes(out: &mut [Line], count: usize) -> (&mut [u64], &mut [u64]) {
    let words = plane_words(count, FEATURES).expect("sizes in range");
    bytemuck::cast_slice_mut(out)[..2 * words].split_at_mut(words)
}

fn transform(x: &[f32], form: Form, sparsity: f64, count: usize) -> Run {
    let fitted = fit(x, form, sparsity);
    Box::new(move |x, out, _| {
        let (sign, mask) = planes(out, count);
        fitted.transform_into(&samples(x, count), sign, mask).expect("samples of the fit");
        0
    })
}

fn seeded(sparsity: f64) -> Seeded {
    let sparsity = Sparsity::new(sparsity).expect("a probability");
    Seeded::new(1, sparsity, INPUTS, FEATURES).expect("sizes in range")
}

/// W in two planes.
fn weights(sparsity: f64) -> TritMatrix<Vec<u64>> {
    let words = plane_words(FEATURES, INPUTS).expect("sizes in range");
    let planes = TritMatrix::zeroed(FEATURES, INPUTS, vec![0; words], vec![0; words]);
    let mut planes = planes.expect("planes of the right length");
    seeded(sparsity).fill(&mut planes).expect("equal sizes");
    planes
}

fn row_lanes() -> RowLanes<Vec<Line>> {
    let planes = weights(2.0 / 3.0);
    let lines = vec![Line::ZERO; RowLanes::lines(&planes)];
    RowLanes::new(&planes, lines).expect("enough storage")
}

fn index_lists() -> IndexLists<Vec<u32>> {
    let planes = weights(0.9);
    let words = vec![0; IndexLists::words(&planes)];
    IndexLists::new(&planes, words).expect("enough storage")
}

fn local(view: View) -> Local {
    Local::new(1, view, INPUTS, FEATURES).expect("sizes in range")
}

fn structured() -> Structured {
    Structured::new(1, INPUTS, FEATURES).expect("sizes in range")
}

fn floats(x: &[f32]) -> Vec<f32> {
    x[..BATCH * INPUTS].to_vec()
}

fn bytes(x: &[f32]) -> Vec<i8> {
    x[..BATCH * INPUTS].iter().map(|x| (32.0 * x) as i8).collect()
}

fn bits(x: &[f32]) -> Vec<u64> {
    let word = |x: &[f32]| x.iter().rev().fold(0, |word, &x| word << 1 | u64::from(x > 0.0));
    x[..BATCH * INPUTS].chunks(64).map(word).collect()
}

/// The kernels of core on forms that no fit has, and on integers, which fits turn to floats first.
fn core_featurize<W, T>(w: W, data: Vec<T>) -> Run
where
    W: Projection + 'static,
    T: Element + 'static,
{
    let mut scratch = vec![Line::ZERO; scratch_lines(&w, BATCH)];
    let thresholds = Thresholds::two(-4.0, 6.0).expect("ascending");
    let isa = Isa::detect();
    Box::new(move |_, out, _| {
        let (sign, mask) = planes(out, BATCH);
        let mut out = TritMatrix::zeroed(BATCH, FEATURES, sign, mask).expect("planes of the sizes");
        let samples = Samples::new(&data, INPUTS).expect("whole samples");
        let scratch = &mut scratch[..];
        dispatch!(isa, simd => featurize(simd, &w, &thresholds, &samples, scratch, &mut out))
            .expect("sizes that agree");
        0
    })
}

fn predictor(x: &[f32]) -> Run {
    let fitted = fit(x, Form::Structured, 0.0);
    let weights = x[..FEATURES * 10].iter().map(|x| (100.0 * x).round()).collect();
    let weights = Matrix::from_vec(FEATURES, 10, weights).expect("equal sizes");
    let model = LinearModel::new(weights, vec![0.0; 10]).expect("finite weights");
    let mut predictor = Predictor::new(fitted, &model).expect("equal sizes");
    Box::new(move |x, _, asked| {
        black_box(predictor.class(&x[..INPUTS]).expect("a sample of the fit"));
        if !asked {
            return 0;
        }
        hash(x.chunks(INPUTS).map(|x| {
            let scores = predictor.scores(x).expect("samples like those of the fit");
            hash(scores.iter().map(|score| score.to_bits().into()))
        }))
    })
}

fn dots(isa: Isa, rows: &TritMatrix<Vec<u64>>, out: &mut [i32]) {
    let done = dispatch!(isa, simd => ternion_core::dots(simd, rows, rows, out));
    done.expect("room for all pairs");
}

fn gram(isa: Isa, rows: &TritMatrix<Vec<u64>>, out: &mut [i32]) {
    let done = dispatch!(isa, simd => ternion_core::gram(simd, rows, out));
    done.expect("room for all pairs");
}

fn products(x: &[f32], call: fn(Isa, &TritMatrix<Vec<u64>>, &mut [i32])) -> Run {
    let features = features(x);
    let isa = Isa::detect();
    Box::new(move |_, out, _| {
        let out = &mut bytemuck::cast_slice_mut(out)[..BATCH * BATCH];
        call(isa, black_box(features.trits()), out);
        0
    })
}

fn moments(x: &[f32]) -> Run {
    let features = features(x);
    Box::new(move |_, _, asked| {
        let moments = black_box(&features).second_moments().expect("it fits in memory");
        let moments = black_box(moments.as_slice());
        if asked { hash(moments.iter().map(|&moment| moment as u64)) } else { 0 }
    })
}

fn ridge(x: &[f32]) -> Run {
    let features = features(x);
    let targets = Matrix::from_vec(BATCH, 1, x[..BATCH].to_vec()).expect("equal sizes");
    Box::new(move |_, _, asked| {
        let model = Ridge::default().fit(black_box(&features), &targets).expect("sizes that agree");
        let model = black_box(&model);
        let numbers = model.weights().as_slice().iter().chain(model.bias());
        if asked { hash(numbers.map(|number| number.to_bits().into())) } else { 0 }
    })
}

fn model(x: &[f32], form: Form) -> Run {
    const INPUTS: usize = 64;
    let x: Vec<i8> = x[..256 * INPUTS].iter().map(|x| (32.0 * x) as i8).collect();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let labels: Vec<usize> = x.chunks(INPUTS).map(|x| (x[0] > x[1]) as usize).collect();
    let samples = Samples::new(&floats, INPUTS).expect("whole samples");
    let fitted = TernaryFeatures::params(256).form(form).fit(&samples).expect("varied samples");
    let integer = IntegerFeatures::new(&fitted, &x).expect("features in integers");
    let features = integer.transform(&x).expect("samples of the fit");
    let ridge = Ridge::default();
    let classifier = ridge.fit_classes(&features, &labels).expect("two classes");
    let readout = Readout::fit(&classifier, &features, ridge, Bits::Two).expect("finite weights");
    let export = Export::new(&integer, &readout).expect("sizes of a model");
    let scratch = Model::from_bytes(export.bytes()).expect("a model").scratch_words();
    let mut scratch = vec![0; scratch];
    Box::new(move |_, _, asked| {
        let model = Model::from_bytes(export.bytes()).expect("a model");
        for x in x.chunks(INPUTS).take(64) {
            black_box(model.predict(x, &mut scratch).expect("numbers in range"));
        }
        if !asked {
            return 0;
        }
        hash(x.chunks(INPUTS).flat_map(|x| {
            let class = model.predict(x, &mut scratch).expect("numbers in range");
            let scores = model.scores(x, &mut scratch).expect("numbers in range");
            [class as u64, hash(scores.iter().map(|&score| score as u64))]
        }))
    })
}

fn sampling() -> Run {
    let seeded = seeded(2.0 / 3.0);
    let words = plane_words(FEATURES, INPUTS).expect("sizes in range");
    Box::new(move |_, out, _| {
        let planes = &mut bytemuck::cast_slice_mut(out)[..2 * words];
        let (sign, mask) = planes.split_at_mut(words);
        let mut w = TritMatrix::zeroed(FEATURES, INPUTS, sign, mask).expect("planes of the sizes");
        black_box(&seeded).fill(&mut w).expect("equal sizes");
        0
    })
}
