//! The lists that tests, fuzz targets and benches take their forms and inputs from are complete.

use crate::coverage::Declared;
use std::collections::{BTreeSet, HashSet};
use ternion_tests::data::Random;
use ternion_tests::forms::{Forms, name_in_fits, of_fits};
use ternion_tests::inputs::InputType;
use ternion_tests::model::PlainProjection;

/// A form or a type of input of core that the lists of this crate lack would be neither tested, fuzzed nor timed.
#[test]
fn every_form_and_input_of_core_is_in_the_lists() {
    let (core, lists) = (Declared::by("core/src"), Declared::by("tests/src"));
    let forms = core.implementors(&["Projection", "Rows"]);
    assert!(forms.contains("Structured") && forms.contains("TritMatrix"), "{forms:?}");
    let mut all = vec![Forms::iid(1, ternion_core::Sparsity::DENSE, 3, 2)];
    all.extend(Forms::transforms(1, 3, 2));
    let kinds: HashSet<_> = all.iter().flatten().map(std::mem::discriminant).collect();
    let listed = kinds.len();
    assert_eq!(listed, forms.len(), "Forms does not build all of {forms:?}");
    let variants = |of: &Declared, name| of.variants.iter().filter(|(of, _)| of == name).count();
    assert_eq!(listed, variants(&lists, "Form"), "Forms does not build every variant of Form");

    let fits: HashSet<_> = of_fits(3).iter().map(std::mem::discriminant).collect();
    let parameters = Declared::by("std-ext/src/fit");
    assert_eq!(fits.len(), variants(&parameters, "Form"), "of_fits lacks a form of ternion::Form");
    let models = PlainProjection::all(&mut Random::new(1), 3, 2, 0.5);
    let kinds: HashSet<_> = models.iter().map(std::mem::discriminant).collect();
    let plain = variants(&lists, "PlainProjection");
    assert_eq!(kinds.len(), plain, "PlainProjection::all lacks one of its variants");
    let names = |names: &mut dyn Iterator<Item = String>| names.collect::<BTreeSet<_>>();
    assert_eq!(
        names(&mut models.iter().map(|form| form.name().to_owned())),
        names(&mut of_fits(3).into_iter().map(name_in_fits)),
        "a model is exported from a fit of the same name"
    );

    let (inputs, listed) = (core.implementors(&["Element"]), lists.implementors(&["Input"]));
    assert_eq!(inputs, listed, "types of core, and types that implement Input");
    assert_eq!(InputType::ALL.len(), inputs.len(), "InputType::ALL lacks one of {inputs:?}");
}
