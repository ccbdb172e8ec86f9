//! Tells the instructions and bytes of stack that an inference takes in `predict_mnist`.
#![no_std]
#![no_main]

ternion_firmware::measures!("mnist.trnm");
