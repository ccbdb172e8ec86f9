//! Only predicts, with subsets.
#![no_std]
#![no_main]

ternion_firmware::only_predicts!("subsets.trnm");
