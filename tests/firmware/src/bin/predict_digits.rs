//! Only predicts digits.
#![no_std]
#![no_main]

ternion_firmware::only_predicts!("digits.trnm");
