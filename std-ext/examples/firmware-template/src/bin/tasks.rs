//! The same with embassy: a task that samples, and one that classifies, joined by a channel.
#![no_std]
#![no_main]

// Its critical section is what embassy's locks take.
use cortex_m as _;
use embassy_executor::Spawner;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use semihosting::{println, process};
use ternion_firmware_template::{Classifier, MODEL, SAMPLES, Sample};

/// Samples on their way, two at most.
static SAMPLED: Channel<CriticalSectionRawMutex, (Sample, usize), 2> = Channel::new();

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    match sample() {
        Ok(task) => spawner.spawn(task),
        Err(_) => process::exit(2),
    }
    let Ok(mut classifier) = Classifier::new(MODEL) else { process::exit(1) };
    let mut failed = 0;
    for _ in SAMPLES {
        let (sample, class) = SAMPLED.receive().await;
        let predicted = classifier.predict(&sample);
        println!("{sample:?}: class {predicted:?}");
        failed += (predicted != Ok(class)) as i32;
    }
    process::exit(failed)
}

/// Stands for a sensor, and its interrupt or timer.
#[embassy_executor::task]
async fn sample() {
    for sample in SAMPLES {
        SAMPLED.send(sample).await;
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    println!("{info}");
    process::exit(101)
}
