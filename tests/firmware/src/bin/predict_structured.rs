//! Only predicts, with a structured W.
#![no_std]
#![no_main]

ternion_firmware::only_predicts!("structured.trnm");
