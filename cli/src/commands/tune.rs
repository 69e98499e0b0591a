//! `waveloom tune`: which kernels are fastest on a card.

use crate::args::{TransformOptions, TuneArgs};
use crate::console::{Console, labelled_bar};
use crate::describe;
use crate::error::{End, Failure, Outcome};
use crate::samples::{Number, SampleType};
use crate::session::Session;
use crate::settings::Settings;
use crate::with_element;
use serde_json::{Value, json};
use waveloom::Plan;
use waveloom::device::{CACHE_DIRECTORY, Device, Gpu, Selection};
use waveloom::measure::Spread;
use waveloom::tune::{self, Trial, candidates};

const HEAD: &str = "| strategy | forward, x copy (quartiles) | inverse | mean | launches | registers |\n|---|---|---|---|---|---|";

/// Measures every candidate, tells the times and keeps the best.
pub fn run(args: &TuneArgs, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
    let settings = settings(args, session)?;
    let device = card(session)?;
    let Some(gpu) = device.cuda_context() else {
        // The selection is a card's.
        return Err(Failure::of_option("--device", "is the processor").into());
    };
    let found =
        with_element!(settings.element, T => found::<T>(args, &settings, &device, console))?;
    let kept = found.finding.store(gpu.cache());
    if args.json {
        let path = kept.as_ref().ok().and_then(Option::as_ref);
        let mut object = whole(&found, gpu);
        object["kept"] = json!(path.map(|path| path.display().to_string()));
        console.line(object.to_string())?;
    } else {
        tell(args, &settings, &found, gpu, console)?;
        match &kept {
            Ok(Some(path)) => console.remark(format!(
                "kept in {}: plans for such arrays on such a card take it",
                path.display()
            ))?,
            Ok(None) => console.remark(format!(
                "not kept: there is no cache directory ({CACHE_DIRECTORY} names one)"
            ))?,
            Err(_) => {}
        }
    }
    match kept {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::plain(format!("the finding cannot be kept: {error}")).into()),
    }
}

/// The card that is asked for, or the first.
fn card(session: &mut Session) -> Outcome<Device> {
    match session.device {
        Selection::Cpu => {
            let message = "the processor has no strategies to tune; expected cuda or cuda:N";
            return Err(Failure::of_option("--device", message));
        }
        // What is missing is told, where a plan would go on with the processor.
        Selection::Auto => session.device = Selection::Cuda(0),
        Selection::Cuda(_) => {}
    }
    session.open_device()
}

fn settings(args: &TuneArgs, session: &mut Session) -> Outcome<Settings> {
    let mut options = TransformOptions {
        mode: args.mode,
        levels: Some(args.levels),
        axes: args.axes.clone(),
        dtype: args.dtype,
        scheme: args.scheme,
        ..TransformOptions::default()
    };
    options.wavelet.wavelet = Some(args.wavelet.clone());
    let rounded = session.wavelet(&args.wavelet, None)?.wavelet.is_rounded();
    let kind = if rounded { SampleType::I32 } else { SampleType::F32 };
    let dimensions = args.shape.0.len();
    Settings::of_signal(session, &options, dimensions, dimensions.min(3), kind)
}

fn found<T: Number>(
    args: &TuneArgs,
    settings: &Settings,
    device: &Device,
    console: &Console<'_>,
) -> Outcome<tune::Outcome> {
    let wavelet = &settings.chosen.wavelet;
    let mut builder = Plan::<T>::builder(wavelet, &args.shape.0).axes(&settings.axes);
    builder = builder.levels(settings.levels).mode(settings.mode).device(device);
    if let Some(scheme) = settings.scheme {
        builder = builder.scheme(scheme);
    }
    let strategies = candidates(args.shape.0.len(), &settings.axes, settings.levels);
    let bar = labelled_bar(console, 0);
    let mut best: Option<(f64, String)> = None;
    let outcome = tune::tune(&builder, &strategies, args.seconds, |trial, count| {
        bar.set_length(count as u64);
        bar.inc(1);
        if let Ok(score) = &trial.outcome
            && best.as_ref().is_none_or(|(mean, _)| score.mean() < *mean)
        {
            bar.set_message(format!("{:.2} {}", score.mean(), trial.strategy));
            best = Some((score.mean(), trial.strategy.to_string()));
        }
    });
    bar.finish_and_clear();
    outcome.map_err(Failure::plain)
}

fn tell(
    args: &TuneArgs,
    settings: &Settings,
    found: &tune::Outcome,
    gpu: &Gpu,
    console: &mut Console<'_>,
) -> std::io::Result<()> {
    let size = describe::size(&args.shape.0);
    console.line(format!(
        "{}: {size} {}, {} {}, {} in {}; multiples of a copy of the same bytes",
        gpu.name(),
        settings.element.name(),
        settings.chosen.name,
        settings.mode,
        found.finding.key.scheme,
        found.finding.key.shape
    ))?;
    console.line("")?;
    console.line(HEAD)?;
    for trial in &found.trials {
        console.line(row(trial))?;
    }
    console.line("")?;
    let untuned = found.trials.iter().find(|trial| trial.strategy == found.untuned);
    let untuned = untuned.and_then(|trial| trial.outcome.as_ref().ok());
    let untuned = untuned.map_or(String::new(), |score| format!("; untuned {:.2}", score.mean()));
    let [forward, inverse] = found.finding.copies;
    let mean = (forward + inverse) / 2.0;
    console.line(format!("best: {} ({mean:.2}{untuned})", found.finding.strategy))
}

fn row(trial: &Trial) -> String {
    let spread = |of: Spread| format!("{:.2} ({:.2}-{:.2})", of.median, of.low, of.high);
    match &trial.outcome {
        Ok(score) => format!(
            "| `{}` | {} | {} | {:.2} | {} | {} |",
            trial.strategy,
            spread(score.forward),
            spread(score.inverse),
            score.mean(),
            score.launches,
            score.registers
        ),
        Err(reason) => format!(
            "| `{}` | not measured: {} | | | | |",
            trial.strategy,
            reason.split_whitespace().collect::<Vec<_>>().join(" ")
        ),
    }
}

fn whole(found: &tune::Outcome, gpu: &Gpu) -> Value {
    let spread = |of: Spread| json!({ "median": of.median, "low": of.low, "high": of.high });
    let trial = |trial: &Trial| {
        let mut object = json!({ "strategy": trial.strategy.to_string() });
        match &trial.outcome {
            Ok(score) => {
                object["forward"] = spread(score.forward);
                object["inverse"] = spread(score.inverse);
                object["launches"] = json!(score.launches);
                object["registers"] = json!(score.registers);
            }
            Err(reason) => object["not_measured"] = json!(reason),
        }
        object
    };
    json!({
        "device": gpu.name(),
        "strategy": found.finding.strategy.to_string(),
        "copies": found.finding.copies,
        "untuned": found.untuned.to_string(),
        "scheme": found.finding.key.scheme,
        "shape_class": found.finding.key.shape,
        "element": found.finding.key.element,
        "trials": found.trials.iter().map(trial).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom::codegen::gpu::Strategy;
    use waveloom::tune::Score;

    #[test]
    fn rows_tell_the_choice_as_options() {
        let spread = |median: f64| Spread { low: median - 0.01, median, high: median + 0.01 };
        let (forward, inverse) = (spread(1.25), spread(1.15));
        let score = Score { forward, inverse, registers: 60, launches: 2 };
        let strategy = Strategy { threads: Some(64), depth: Some(2), ..Strategy::STREAM };
        assert_eq!(
            row(&Trial { strategy, outcome: Ok(score) }),
            "| `--strategy stream --block 64 --depth 2` | 1.25 (1.24-1.26) | 1.15 (1.14-1.16) | 1.20 | 2 | 60 |"
        );
        let failed = row(&Trial { strategy, outcome: Err("two\nlines".to_owned()) });
        assert!(failed.contains("not measured: two lines"), "{failed}");
    }
}
