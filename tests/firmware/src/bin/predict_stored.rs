//! Only predicts, with a stored W.
#![no_std]
#![no_main]

ternion_firmware::only_predicts!("stored.trnm");
