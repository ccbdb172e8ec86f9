//! Arrays and views of `ndarray` against the same numbers in rows.

use ndarray::{Array2, Axis, s};
use ternion::batch::Batch;
use ternion::learn::{Ridge, TernaryRegressor};
use ternion::{Error, Matrix, Samples, TernaryFeatures};
use ternion_core::{Error as CoreError, Size};
use ternion_tests::data::Random;

#[test]
fn arrays_of_any_strides_get_the_features_of_their_rows() {
    let mut random = Random::new(95);
    let rows: Vec<f32> = (0..290 * 7).map(|_| random.normal() as f32).collect();
    let samples = Samples::new(&rows, 7).unwrap();
    let ternary = TernaryFeatures::params(200).standardise(true).fit(&samples).unwrap();
    let expected = ternary.transform(&samples).unwrap();

    let array = Array2::from_shape_vec((290, 7), rows.clone()).unwrap();
    let columns = array.t().as_standard_layout().into_owned(); // 7 × 290
    let mut wide = Array2::from_elem((290, 9), f32::NAN);
    wide.slice_mut(s![.., 1..8]).assign(&array);
    let mut backwards = array.clone();
    backwards.invert_axis(Axis(1));
    let backwards = backwards.as_standard_layout().into_owned();
    let doubles = array.mapv(f64::from);
    let views: [(&str, &dyn Batch); 6] = [
        ("rows", &array),
        ("view", &array.view()),
        ("columns", &columns.t()),
        ("gaps", &wide.slice(s![.., 1..8])),
        ("backwards", &backwards.slice(s![.., ..;-1])),
        ("f64", &doubles),
    ];
    for (name, view) in views {
        assert_eq!((view.samples(), view.inputs()), (290, 7));
        assert_eq!(view.as_samples().is_some(), ["rows", "view"].contains(&name), "{name}");
        let fitted = TernaryFeatures::params(200).standardise(true).fit(view).unwrap();
        assert_eq!(fitted.fingerprint(), ternary.fingerprint(), "{name}");
        assert_eq!(fitted.transform(view).unwrap(), expected, "{name}");
    }
    let integers = array.mapv(|x| (100.0 * x) as i16);
    let floats = integers.mapv(f32::from);
    assert_eq!(ternary.transform(&integers).unwrap(), ternary.transform(&floats).unwrap());
}

#[test]
fn matrices_come_from_arrays_and_become_arrays() {
    let mut random = Random::new(96);
    let x = Array2::from_shape_fn((80, 5), |_| random.normal());
    let y = x.slice(s![.., ..2]).mapv(|x| x as f32);
    let targets = Matrix::try_from(y.view()).unwrap();
    assert_eq!(targets.as_slice(), y.as_standard_layout().as_slice().unwrap());
    let params = TernaryFeatures::params(256);
    let model = TernaryRegressor::fit(params, Ridge::default(), &x, &targets).unwrap();
    let predicted = model.predict(&x).unwrap();
    let array = Array2::from(predicted.clone());
    assert_eq!(array.dim(), (80, 2));
    assert_eq!(array.as_slice().unwrap(), predicted.as_slice());

    let none = Array2::<f32>::zeros((0, 3));
    let zero = |size| Error::from(CoreError::ZeroSize { size });
    assert_eq!(Matrix::try_from(none.view()).unwrap_err(), zero(Size::Rows));
    assert_eq!(TernaryFeatures::params(64).fit(&none).unwrap_err(), zero(Size::Samples));
    let none = Array2::<f64>::zeros((3, 0));
    assert_eq!(TernaryFeatures::params(64).fit(&none).unwrap_err(), zero(Size::Inputs));
}
