use super::*;
use crate::bank::Filter;

/// A frame of the given length without symmetry.
fn frame(length: usize) -> Frame {
    Frame { length, symmetry: None, even_lengths: false }
}

/// The 5/3 bank with the low-pass filter centred at position 2.
fn legall() -> FilterBank {
    FilterBank::new(
        Filter::new(-2, &[-0.125, 0.25, 0.75, 0.25, -0.125]),
        Filter::new(0, &[-0.5, 1.0, -0.5]),
        Filter::new(-1, &[0.5, 1.0, 0.5]),
        Filter::new(-1, &[-0.125, -0.25, 0.75, -0.25, -0.125]),
    )
}

fn spans(mode: Mode, frame: &Frame, len: usize, origin: i64) -> [(i64, usize); 3] {
    let axis = AxisGeometry::new(frame, mode, len, origin).unwrap();
    [axis.signal, axis.low, axis.high].map(|span| (span.start, span.len))
}

#[test]
fn expansive_modes_count_as_pywavelets_does() {
    for mode in Mode::PYWAVELETS.into_iter().filter(|mode| mode.is_expansive()) {
        for length in [2, 4, 10, 76] {
            for n in mode.minimum_length()..=40 {
                let count = (n + length - 1) / 2;
                let expected = [(length as i64 - 2, n), (0, count), (0, count)];
                assert_eq!(spans(mode, &frame(length), n, 0), expected);
            }
        }
    }
}

#[test]
fn non_expansive_modes_halve() {
    assert_eq!(spans(Mode::Periodization, &frame(8), 7, 0), [(3, 7), (0, 4), (0, 4)]);
    assert_eq!(spans(Mode::Periodization, &frame(8), 1, 0), [(3, 1), (0, 1), (0, 1)]);
    assert_eq!(spans(Mode::Circular, &frame(8), 6, 0), [(0, 6), (0, 3), (0, 3)]);
}

#[test]
fn jpeg2000_splits_by_coordinate() {
    let symmetric = Frame::of(&legall(), false);
    assert_eq!(symmetric.symmetry.unwrap().centre, 2);
    let split = |len, origin| spans(Mode::Jpeg2000, &symmetric, len, origin);
    assert_eq!(split(5, 0), [(2, 5), (0, 3), (0, 2)]);
    assert_eq!(split(5, 1), [(3, 5), (1, 2), (0, 3)]);
    assert_eq!(split(4, -3), [(-1, 4), (-1, 2), (-2, 2)]);
    assert_eq!(split(1, 0), [(2, 1), (0, 1), (0, 0)]);
    assert_eq!(split(1, 1), [(3, 1), (1, 0), (0, 1)]);
}

#[test]
fn a_single_sample_has_the_gain_of_its_band() {
    let symmetric = Frame::of(&legall(), false);
    let single = |origin| AxisGeometry::new(&symmetric, Mode::Jpeg2000, 1, origin).unwrap().single;
    assert_eq!((single(0), single(1), single(-1)), (Some(1.0), Some(2.0), Some(2.0)));
}

#[test]
fn every_interleaved_index_has_its_coefficient() {
    let symmetric = Frame::of(&legall(), false);
    for len in 2..9 {
        for origin in -3..4 {
            let axis = AxisGeometry::new(&symmetric, Mode::Jpeg2000, len, origin).unwrap();
            assert_eq!(axis.bands(), Span { start: origin, len });
            let found: Vec<_> = (0..len).filter_map(|index| axis.band_sample(index)).collect();
            let lows = found.iter().filter(|(phase, _)| *phase == 0).map(|(_, k)| *k);
            let highs = found.iter().filter(|(phase, _)| *phase == 1).map(|(_, k)| *k);
            assert!(lows.eq(0..axis.low.len) && highs.eq(0..axis.high.len));
            assert_eq!(axis.band_sample(len), None);
        }
    }
}

#[test]
fn impossible_axes_are_refused() {
    let new = |mode, len, origin| AxisGeometry::new(&frame(4), mode, len, origin).unwrap_err();
    assert_eq!(new(Mode::Zero, 0, 0), GeometryError::Empty);
    let short = GeometryError::TooShort { mode: Mode::Reflect, len: 1, minimum: 2 };
    assert_eq!(short.to_string(), "length must exceed 1 for reflect, got 1");
    assert_eq!(new(Mode::Reflect, 1, 0), short);
    assert_eq!(
        new(Mode::Circular, 3, 0),
        GeometryError::OddLength { mode: Mode::Circular, len: 3 }
    );
    assert_eq!(new(Mode::Jpeg2000, 3, 0), GeometryError::NotWholeSample);
    let zero = Mode::Zero;
    assert_eq!(new(zero, 3, 1), GeometryError::OriginNeedsJpeg2000 { mode: zero });
    assert_eq!(new(zero, usize::MAX, 0), GeometryError::TooLong { len: usize::MAX });
    let origin = i64::MIN;
    assert_eq!(new(Mode::Jpeg2000, 3, origin), GeometryError::OriginTooFar { origin });
    let even = Frame { even_lengths: true, ..Frame::of(&legall(), false) };
    let odd = AxisGeometry::new(&even, Mode::Jpeg2000, 5, 0).unwrap_err();
    assert_eq!(odd, GeometryError::OddLength { mode: Mode::Jpeg2000, len: 5 });
}

#[test]
fn levels_follow_the_approximation() {
    let levels = |mode, length, lengths: &[usize], levels| {
        let all = Decomposition::new(&frame(length), mode, lengths, &[], levels).unwrap();
        let lens = all.levels().iter();
        lens.map(|l| l.axes.iter().map(|a| a.low.len).collect()).collect::<Vec<Vec<usize>>>()
    };
    assert_eq!(levels(Mode::Symmetric, 4, &[23], 3), [[13], [8], [5]]);
    assert_eq!(levels(Mode::Symmetric, 2, &[1, 3], 3), [[1, 2], [1, 1], [1, 1]]);
    assert_eq!(levels(Mode::Periodization, 2, &[10], 3), [[5], [3], [2]]);
    assert!(levels(Mode::Zero, 8, &[5], 0).is_empty());
}

#[test]
fn origins_are_halved_upwards_and_may_leave_nothing() {
    let symmetric = Frame::of(&legall(), false);
    let all = Decomposition::new(&symmetric, Mode::Jpeg2000, &[7, 1], &[5, 3], 3).unwrap();
    let starts = all.levels().iter().map(|level| {
        level.axes.iter().map(|axis| (axis.signal.start, axis.signal.len)).collect::<Vec<_>>()
    });
    // Axis 0: coordinates 5..12, then 3..6, then 2..3. Axis 1: coordinate 3, then none.
    let expected = [[(7, 7), (5, 1)], [(5, 3), (2, 0)], [(4, 1), (1, 0)]];
    assert_eq!(starts.collect::<Vec<_>>(), expected);
}

#[test]
fn impossible_decompositions_are_refused() {
    let new = |origins: &[i64], levels| {
        Decomposition::new(&frame(4), Mode::Zero, &[8, 8], origins, levels).unwrap_err()
    };
    assert_eq!(new(&[], 65), GeometryError::TooManyLevels { levels: 65 });
    let count = GeometryError::Count { what: "origin", expected: 2, got: 1 };
    assert_eq!(count.to_string(), "expected 2 values of origin, one per transformed axis, got 1");
    assert_eq!(new(&[0], 1), count);
    let empty = Decomposition::new(&frame(4), Mode::Zero, &[8, 0], &[], 1).unwrap_err();
    assert_eq!(empty, GeometryError::Empty);
}

#[test]
fn deeper_levels_name_themselves_and_their_axis() {
    let new = |lengths: &[usize], levels| {
        Decomposition::new(&frame(10), Mode::Circular, lengths, &[], levels).unwrap_err()
    };
    let reason = "an even length is needed here (mode circular), got 3";
    let error = new(&[64, 48], 5);
    assert_eq!(error.to_string(), format!("axis 1 has length 3 at level 5: {reason}"));
    let placed = error.on_axes(&[0, 2]);
    assert_eq!(placed.to_string(), format!("axis 2 has length 3 at level 5: {reason}"));
    let short = new(&[2], 3).to_string();
    assert_eq!(short, "axis 0 has length 1 at level 2: length must exceed 1 for circular, got 1");
    // At the first level the shape itself says it.
    let first = new(&[3, 4], 2);
    assert_eq!(first.to_string(), reason);
    assert_eq!(first.clone().on_axes(&[1, 2]), first);
}
