//! Only predicts Fashion-MNIST.
#![no_std]
#![no_main]

ternion_firmware::only_predicts!("fashion.trnm");
