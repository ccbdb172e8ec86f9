//! Tells the instructions and bytes of stack that an inference takes in `predict_digits`.
#![no_std]
#![no_main]

ternion_firmware::measures!("digits.trnm");
