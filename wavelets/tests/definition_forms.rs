//! Definition files that are right: their forms, their options, and what is measured of them.

use waveloom_wavelets::catalogue;
use waveloom_wavelets::definition::{ExportError, Form, parse, to_toml};
use waveloom_wavelets::wavelet::{AxisOrder, Reconstruction, Symmetry};
use waveloom_wavelets::{FilterBank, Mode, Wavelet};

fn good(text: &str) -> Wavelet {
    parse(text, "test").unwrap_or_else(|errors| panic!("{errors} in\n{text}"))
}

/// Largest tap difference of two banks in frames of one length.
fn distance(left: &FilterBank, right: &FilterBank) -> f64 {
    assert_eq!(left.length(), right.length());
    let analysis = left.analysis_polyphase().distance(&right.analysis_polyphase());
    analysis.max(left.synthesis_polyphase().distance(&right.synthesis_polyphase()))
}

/// The 5/3 bank in every way of writing it down exactly.
const LEGALL: [&str; 6] = [
    "[taps]
    dec_lo = [0, '-1/8', '1/4', '3/4', '1/4', '-1/8']
    dec_hi = [0, '-1/2', 1, '-1/2', 0, 0]
    rec_lo = [0, '1/2', 1, '1/2', 0, 0]
    rec_hi = [0, '-1/8', '-1/4', '3/4', '-1/4', '-1/8']",
    "[taps]
    dec_lo = [0, '-0.125', '0.25', '75e-2', '1/4', '-1/8']
    dec_hi = [0, '-1/2', 1, '-1/2', 0, 0]",
    "[taps]
    lo = { first = -2, taps = ['-1/8', '1/4', '3/4', '1/4', '-1/8'] }
    hi = { first = 0, taps = ['-1/2', 1, '-1/2'] }
    rec_lo = { first = -1, taps = ['1/2', 1, '1/2'] }
    rec_hi = { first = -1, taps = ['-1/8', '-1/4', '3/4', '-1/4', '-1/8'] }",
    "[taps]
    lo = { first = -2, taps = ['-1/8', '1/4', '3/4', '1/4', '-1/8'] }
    hi = { taps = ['-1/2', 1, '-1/2'] }",
    "[[lifting.steps]]
    target = 'odd'
    taps = ['-1/2', '-1/2']
    [[lifting.steps]]
    target = 'even'
    first = -1
    taps = ['1/4', '1/4']",
    "[lattice]
    stages = [[[-1, 0], ['-1/2', 1]], [[1, '1/2'], ['2/7', -1]]]
    final = [['7/8', '1/4'], [0, 1]]",
];

#[test]
fn every_form_gives_the_same_exact_taps() {
    let first = good(LEGALL[0]);
    assert_eq!(first.bank().analysis_low().taps(), [-0.125, 0.25, 0.75, 0.25, -0.125]);
    for text in LEGALL {
        let wavelet = good(text);
        assert_eq!(wavelet.bank(), first.bank(), "{text}");
        assert_eq!(wavelet.properties().reconstruction, Reconstruction::Exact, "{text}");
        assert_eq!(wavelet.properties().symmetry, Symmetry::WholeSample);
        assert_eq!(wavelet.default_mode(), Mode::Symmetric);
    }
}

#[test]
fn floats_are_measured_instead_of_proved() {
    let exact = good(LEGALL[3]);
    let floats = good(
        "[taps]
        lo = { first = -2, taps = [-0.125, 0.25, 0.75, 0.25, -0.125] }
        hi = { taps = [-0.5, 1.0, -0.5] }",
    );
    assert_eq!(floats.bank(), exact.bank());
    assert_eq!(floats.properties().reconstruction, Reconstruction::Perfect { defect: 0.0 });
}

#[test]
fn one_low_pass_filter_defines_an_orthogonal_wavelet() {
    let db2 = catalogue::wavelet("db2").unwrap();
    let [dec_lo, dec_hi, rec_lo, rec_hi] = db2.bank().to_pywavelets();
    let alone = good(&format!("[taps]\ndec_lo = {dec_lo:?}"));
    assert!(alone.properties().orthogonal);
    assert_eq!(alone.bank(), db2.bank());
    let pair = good(&format!("[taps]\ndec_lo = {dec_lo:?}\ndec_hi = {dec_hi:?}"));
    assert!(distance(pair.bank(), db2.bank()) < 1e-15);
    let all = good(&format!(
        "[taps]\ndec_lo = {dec_lo:?}\ndec_hi = {dec_hi:?}\nrec_lo = {rec_lo:?}\nrec_hi = {rec_hi:?}"
    ));
    assert_eq!(all.bank(), db2.bank());
    let placed = good(&format!("[taps]\nlo = {{ first = -6, taps = {rec_lo:?} }}"));
    assert_eq!(placed.bank(), db2.bank());
    let rotations = good("[lattice]\nstages = [{ degrees = -30 }]\nfinal = { degrees = 15 }");
    assert!(distance(rotations.bank(), db2.bank()) < 1e-15, "{:?}", rotations.bank());
    let angles = format!(
        "[lattice]\nstages = [{{ radians = {:?} }}]\nfinal = {{ radians = {:?} }}",
        -30_f64.to_radians(),
        15_f64.to_radians()
    );
    assert_eq!(good(&angles).bank(), rotations.bank());
}

#[test]
fn an_orthogonal_filter_of_any_energy_is_accepted_and_said_to_be_unnormalised() {
    let sums = good("[taps]\nlo = { taps = [1, 1] }");
    assert_eq!(sums.properties().reconstruction, Reconstruction::Exact);
    assert_eq!(sums.bank().synthesis_low().taps(), [0.5, 0.5]);
    assert_eq!(sums.bank().synthesis_high().taps(), [0.5, -0.5]);
    let said =
        "not normalised: low-pass gain 2, high-pass gain 2 (normalised: 1.41421 and 1.41421)";
    assert_eq!(sums.properties().remarks, [said]);
}

#[test]
fn lattice_stages_have_several_spellings() {
    let spellings =
        ["{ t = '3/4', s = '-3/4' }", "[[1, '3/4'], ['-3/4', 1]]", "[[1.0, 0.75], [-0.75, 1.0]]"];
    let last = "[['1/2', 0], [0, '1/2']]";
    let banks = spellings.map(|stage| {
        good(&format!("[lattice]\nstages = [{stage}]\nfinal = {last}")).bank().clone()
    });
    assert_eq!(banks[0], banks[1]);
    assert_eq!(banks[0], banks[2]);
    // Rows of a quarter turn are exact.
    let turn = good("[lattice]\nstages = [{ degrees = 90 }]\nfinal = { degrees = 0 }");
    assert_eq!(turn.bank().analysis_low().taps(), [-1.0]);
}

#[test]
fn a_leading_lifting_is_the_last_step() {
    let lead = good(
        "[lattice]
        final = [['1/2', '1/2'], [-1, 1]]
        lead = { target = 'high', first = -1, taps = ['1/4', 0, '-1/4'] }",
    );
    let steps = good(
        "[lifting]
        steps = [
            { target = 'd', taps = [-1] },
            { target = 'a', taps = ['1/2'] },
            { target = 'd', first = -1, taps = ['1/4', 0, '-1/4'] },
        ]",
    );
    assert_eq!(lead.bank(), steps.bank());
    let high = [0.125, 0.125, -1.0, 1.0, -0.125, -0.125];
    assert_eq!(lead.bank().analysis_high().taps(), high);
}

#[test]
fn gains_advances_and_swap_read_the_bands_off() {
    let plain = "{ target = 'odd', taps = ['-1/2', '-1/2'] }, { target = 'even', first = -1, taps = ['1/4', '1/4'] }";
    let changed = good(&format!(
        "[lifting]\nsteps = [{plain}]\ngains = [2, '-1/2']\nadvances = [5, 6]\nswap = true"
    ));
    let (low, high) = (changed.bank().analysis_low(), changed.bank().analysis_high());
    assert_eq!(low.taps(), [-1.0, 2.0, -1.0]);
    assert_eq!(high.taps(), [0.0625, -0.125, -0.375, -0.125, 0.0625]);
    // Low is centred on an odd sample five pairs on, high on an even one six pairs on.
    assert_eq!(high.first() + 2 - (low.first() + 1), 12 - 11);
    let Some(lifting) = changed.lifting() else { panic!("the lifting given is kept") };
    assert_eq!(lifting.high.advance - lifting.low.advance, 1);
}

#[test]
fn rounded_steps_are_kept() {
    let text = "default_mode = 'jpeg2000'
        [lifting]
        steps = [
            { target = 'odd', taps = ['-1/2', '-1/2'], offset = 1, shift = 1 },
            { target = 'even', first = -1, taps = [0.25, 0.25], offset = 2, shift = 2 },
        ]";
    let (mine, rev53) = (good(text), catalogue::wavelet("rev53").unwrap());
    assert!(mine.is_rounded());
    assert_eq!(mine.lifting(), rev53.lifting());
    assert_eq!(mine.bank(), rev53.bank());
    assert_eq!(mine.properties().reconstruction, Reconstruction::Exact);
    // A step of whole numbers rounds nothing away and fits among rounded ones.
    let whole = good(
        "[lifting]
        steps = [
            { target = 'odd', taps = [-1] },
            { target = 'even', taps = ['1/2'], shift = 1 },
        ]",
    );
    assert!(whole.lifting().unwrap().steps.iter().all(|step| step.rounding.is_some()));
}

#[test]
fn options_are_read() {
    let all = good(
        "name = ' my wavelet '
        default_mode = 'jpeg2000'
        even_lengths = true
        axis_order = 'last-to-first'
        approximate = true
        [taps]
        lo = { taps = [-0.1251, 0.25, 0.75, 0.25, -0.1251] }
        hi = { first = 2, taps = [-0.5, 1.0, -0.5] }",
    );
    assert_eq!(all.name(), "my wavelet");
    let options = all.options();
    assert_eq!(options.default_mode, Mode::Jpeg2000);
    assert_eq!(options.axis_order, AxisOrder::LastToFirst);
    assert!(options.even_lengths && options.approximate);
    assert!(matches!(all.properties().reconstruction, Reconstruction::Approximate { .. }));
    assert!(all.lifting().is_none() && all.lattice().is_none());
    assert_eq!(good(LEGALL[0]).name(), "test");
}

#[test]
fn every_catalogue_wavelet_is_read_back() {
    for name in catalogue::names() {
        let wavelet = catalogue::wavelet(name).unwrap();
        for form in Form::ALL {
            let text = match to_toml(&wavelet, form) {
                Ok(text) => text,
                Err(ExportError::Rounded { .. }) => {
                    assert!(wavelet.is_rounded() && form == Form::Taps);
                    continue;
                }
                Err(ExportError::Missing { .. }) => {
                    let missing = match form {
                        Form::Taps => false,
                        Form::Lifting => wavelet.lifting().is_none(),
                        Form::Lattice => wavelet.lattice().is_none(),
                    };
                    assert!(missing, "{name} {form}");
                    continue;
                }
            };
            let back = good(&text);
            assert_eq!((back.name(), back.options()), (name, wavelet.options()));
            let limit = if form == Form::Taps { 0.0 } else { 5e-15 };
            let defect = distance(back.bank(), wavelet.bank());
            assert!(defect <= limit, "{name} as {form}: {defect:e}\n{text}");
            if wavelet.is_rounded() {
                assert_eq!(back.lifting(), wavelet.lifting());
            }
        }
    }
}

#[test]
fn exact_wavelets_are_written_exactly() {
    for text in LEGALL {
        let wavelet = good(text);
        for form in [Form::Taps, Form::Lifting] {
            let written = to_toml(&wavelet, form).unwrap();
            let back = good(&written);
            assert_eq!(back.properties().reconstruction, Reconstruction::Exact, "{written}");
            assert_eq!(back.bank(), wavelet.bank());
        }
    }
    let written = to_toml(&catalogue::wavelet("ccsds97m").unwrap(), Form::Lifting).unwrap();
    let expected = "name = \"ccsds97m\"
default_mode = \"jpeg2000\"
even_lengths = true
axis_order = \"last-to-first\"

[lifting]
advances = [2, 2]
steps = [
    { target = \"odd\", first = -1, taps = [\"1/16\", \"-9/16\", \"-9/16\", \"1/16\"], offset = 7, shift = 4 },
    { target = \"even\", first = -1, taps = [\"1/4\", \"1/4\"], offset = 1, shift = 2 },
]
";
    assert_eq!(written, expected);
}

#[test]
fn forms_that_do_not_exist_are_refused_with_the_reason() {
    let message = |name: &str, form| {
        to_toml(&catalogue::wavelet(name).unwrap(), form).unwrap_err().to_string()
    };
    assert_eq!(
        message("rev53", Form::Taps),
        "rev53 rounds in its lifting steps, which filters cannot express; use the form lifting"
    );
    assert!(
        message("dmey", Form::Lattice).starts_with("dmey has no lattice: it reconstructs only")
    );
}
