//! Only predicts, with a seeded W.
#![no_std]
#![no_main]

ternion_firmware::only_predicts!("seeded.trnm");
