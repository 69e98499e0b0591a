//! The manual's chapter on definition files: its examples load and are what it says they are.

use std::path::PathBuf;
use waveloom_wavelets::definition::parse;
use waveloom_wavelets::geometry::Frame;
use waveloom_wavelets::wavelet::{Reconstruction, Symmetry};
use waveloom_wavelets::{Mode, Wavelet, catalogue};

fn read(name: &str) -> String {
    let manual = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/manual");
    let path = manual.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn example(name: &str) -> Wavelet {
    let text = read(&format!("examples/{name}.toml"));
    let wavelet = parse(&text, "?").unwrap_or_else(|errors| panic!("{name}: {errors}"));
    assert_eq!(wavelet.name(), name);
    assert!(catalogue::wavelet(name).is_err());
    wavelet
}

/// The fenced blocks of the chapter: what stands after the fence, the text, and the line before.
fn blocks() -> Vec<(String, String, String)> {
    let chapter = read("definition-files.md");
    let mut blocks = Vec::new();
    let mut lines = chapter.lines();
    let mut before = String::new();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((info.to_owned(), text.join("\n") + "\n", before.clone()));
        } else if !line.is_empty() {
            before = line.to_owned();
        }
    }
    blocks
}

#[test]
fn every_printed_definition_loads() {
    let mut files = 0;
    for (info, text, before) in blocks().into_iter().filter(|(info, ..)| info == "toml") {
        parse(&text, "?").unwrap_or_else(|errors| panic!("{errors} in the {info}\n{text}"));
        let name = text.lines().find_map(|line| line.strip_prefix("name = ")).unwrap();
        let file = format!("examples/{}.toml", name.trim_matches('"'));
        if before.contains("examples/") || text.starts_with('#') {
            assert_eq!(text, read(&file));
            files += 1;
        }
    }
    assert_eq!(files, 4);
}

#[test]
fn every_printed_mistake_is_reported_as_printed() {
    let blocks = blocks();
    let broken: Vec<usize> =
        (0..blocks.len()).filter(|index| blocks[*index].0 == "toml broken").collect();
    assert_eq!(broken.len(), 2);
    for index in broken {
        let errors = parse(&blocks[index].1, "?").unwrap_err();
        let lines: String =
            errors.problems().iter().map(|problem| format!("{problem}\n")).collect();
        assert_eq!(
            ("text", lines.as_str()),
            (blocks[index + 1].0.as_str(), blocks[index + 1].1.as_str())
        );
    }
}

#[test]
fn the_same_wavelet_three_times() {
    let names = ["by-its-taps", "by-lifting", "by-a-lattice"];
    let blocks = blocks();
    let wavelets = names.map(|name| {
        let text =
            blocks.iter().find(|(_, text, _)| text.contains(&format!("\"{name}\""))).unwrap();
        parse(&text.1, "?").unwrap()
    });
    let first = wavelets[0].bank();
    assert_eq!(first, example("three-six-two").bank());
    for wavelet in &wavelets {
        assert_eq!(wavelet.properties().reconstruction, Reconstruction::Exact);
        assert_eq!(wavelet.bank().length(), 4);
        let analysis = wavelet.bank().analysis_polyphase().distance(&first.analysis_polyphase());
        let synthesis = wavelet.bank().synthesis_polyphase().distance(&first.synthesis_polyphase());
        assert_eq!((analysis, synthesis), (0.0, 0.0));
    }
}

#[test]
fn examples_have_the_properties_that_the_text_claims() {
    let orthogonal = example("three-six-two");
    assert_eq!(orthogonal.properties().reconstruction, Reconstruction::Exact);
    assert_eq!(orthogonal.bank().synthesis_low().taps(), [0.6, 1.2, 0.4, -0.2]);
    assert_eq!(orthogonal.properties().remarks.len(), 1);

    let pair = example("five-eleven");
    assert_eq!(pair.properties().reconstruction, Reconstruction::Exact);
    assert_eq!(pair.properties().symmetry, Symmetry::WholeSample);
    assert_eq!(pair.properties().vanishing_moments_analysis, 4);
    let lengths = [pair.bank().analysis_low(), pair.bank().analysis_high()];
    assert_eq!(lengths.map(|filter| filter.taps().len()), [5, 11]);

    let integers = example("thirteen-seven");
    assert!(integers.is_rounded());
    assert_eq!(integers.default_mode(), Mode::Jpeg2000);
    assert_eq!(integers.properties().vanishing_moments_analysis, 4);
    let lengths = [integers.bank().analysis_low(), integers.bank().analysis_high()];
    assert_eq!(lengths.map(|filter| filter.taps().len()), [13, 7]);

    let rotations = example("whole-degrees");
    assert!(rotations.properties().orthogonal);
    assert_eq!(rotations.properties().vanishing_moments_analysis, 1);
    assert_eq!(rotations.properties().remarks, [] as [&str; 0]);
    assert_eq!(rotations.bank().length(), 6);
    assert!(matches!(rotations.frame(), Frame { symmetry: None, even_lengths: false, .. }));
}

#[test]
fn angles_that_fit_together_make_details_of_a_constant_vanish() {
    for angles in [&[10.0, 55.0][..], &[10.0, 20.0, 55.0], &[10.0, 20.0, 70.0, 105.0]] {
        let (last, stages) = angles.split_last().unwrap();
        let stages: String = stages.iter().map(|a| format!("{{ degrees = {a} }}, ")).collect();
        let text = format!("[lattice]\nstages = [{stages}]\nfinal = {{ degrees = {last} }}\n");
        let wavelet = parse(&text, "?").unwrap();
        assert!(wavelet.properties().vanishing_moments_analysis >= 1, "{angles:?}");
    }
}
