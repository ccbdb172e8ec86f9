//! Any bytes as a model, as they are and with the frame made good: refused, or what the oracle reads.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ternion_core::model::Model;
use ternion_tests::model::{PlainModel, fix};

fn any_bytes(bytes: &[u8]) {
    let Ok(model) = Model::from_bytes(bytes) else { return };
    let plain = PlainModel::read(&model);
    assert_eq!(plain.to_bytes(), bytes);
    // The oracle's transforms are matrix products: leave the large ones out.
    if model.inputs() <= 256 {
        let sample: Vec<i16> = (0..model.inputs()).map(|k| bytes[k % bytes.len()].into()).collect();
        plain.check(&model, &sample);
    }
}

fuzz_target!(|input: &[u8]| {
    any_bytes(input);
    // Hardly any bytes pass the magic and the checksum by chance.
    let mut framed = input.to_vec();
    if framed.len() > 5 {
        framed[..5].copy_from_slice(b"TRNM\x01");
    }
    fix(&mut framed);
    any_bytes(&framed);
});
