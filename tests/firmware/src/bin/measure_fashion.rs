//! Tells the instructions and bytes of stack that an inference takes in `predict_fashion`.
#![no_std]
#![no_main]

ternion_firmware::measures!("fashion.trnm");
