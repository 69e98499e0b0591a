//! Transforms a smooth image with an edge, keeps the largest coefficients, and shows the loss.

use custom_wavelet::{FromBuild, FromMacro, OnCard};
use std::error::Error;
use waveloom::device::Device;

const SHAPE: [usize; 2] = [120, 161];

/// A cubic hill with a step: details vanish away from the step.
fn image() -> Vec<f32> {
    let height = |i: usize, j: usize| {
        let (y, x) = (i as f32 / 120.0, j as f32 / 161.0);
        let step = if x + y > 1.0 { 0.5 } else { 0.0 };
        x * x * (1.0 - x) + y * y * y + step
    };
    (0..SHAPE[0] * SHAPE[1]).map(|at| height(at / SHAPE[1], at % SHAPE[1])).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut transform = FromMacro::new(SHAPE)?;
    let image = image();
    let mut coefficients = vec![0.0; transform.coefficient_len()];
    transform.forward(&image, &mut coefficients)?;

    for band in transform.bands() {
        let values = &coefficients[band.offset..][..band.len];
        let largest = values.iter().fold(0.0_f32, |m, v| m.max(v.abs()));
        println!(
            "{:>4} {:>3} x {:<3} largest {largest:.6}",
            band.key, band.shape[0], band.shape[1]
        );
    }

    let kept = coefficients.iter().filter(|v| v.abs() > 1e-3).count();
    coefficients.iter_mut().filter(|v| v.abs() <= 1e-3).for_each(|v| *v = 0.0);
    let mut back = vec![0.0; transform.signal_len()];
    transform.inverse(&coefficients, &mut back)?;
    let error = image.iter().zip(&back).fold(0.0_f32, |m, (a, b)| m.max((a - b).abs()));
    println!("{kept} of {} coefficients kept, largest error {error:.5}", coefficients.len());

    // The build script's type is the same code.
    let mut other = FromBuild::new(SHAPE)?;
    let mut again = vec![0.0; other.signal_len()];
    other.inverse(&coefficients, &mut again)?;
    println!("macro and build script agree: {}", back == again);

    // The CUDA that the build script wrote, on a card; without one the same plan runs on the CPU.
    let device = Device::cuda(0).unwrap_or_else(|missing| {
        println!("no card: {missing}; the plan of the CUDA kernels runs on the CPU");
        Device::cpu()
    });
    let plan = OnCard::plan(&SHAPE)?.device(&device).build()?;
    let mut workspace = plan.workspace();
    let mut on_card = vec![0.0; plan.coefficient_len()];
    plan.forward(&image, &mut on_card, &mut workspace)?;
    transform.forward(&image, &mut coefficients)?;
    let difference =
        on_card.iter().zip(&coefficients).fold(0.0_f32, |m, (a, b)| m.max((a - b).abs()));
    println!(
        "{device}: {} lines of CUDA, largest difference {difference:.1e}",
        OnCard::SOURCE.lines().count()
    );
    if let Some(card) = plan.on_card() {
        println!("the card runs this very text: {}", card.source() == OnCard::SOURCE);
    }
    Ok(())
}
