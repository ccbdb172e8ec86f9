//! Only predicts MNIST.
#![no_std]
#![no_main]

ternion_firmware::only_predicts!("mnist.trnm");
