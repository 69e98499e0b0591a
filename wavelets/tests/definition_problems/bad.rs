/// Definitions, and all that is wrong with them.
pub const BAD: &[(&str, &[&str])] = &[
    (
        r#"nmae = 3
[taps]
lo = { taps = [1, 2] }
hi = { taps = [1, 1, 1] }
"#,
        &[
            r#"line 1: nmae: unknown key; did you mean 'name'?"#,
            r#"line 2: taps: not a wavelet: Σ lo[n] rec_lo[n+2k] at k=1 is 0.5, expected 0 (defect 5.000e-1; at most 1e-10 is accepted); the synthesis filters were derived from the analysis filters, which have no exact inverse of finite length"#,
        ],
    ),
    (
        r#"[taps]
dec_lo = [1, "x", nan]
dec_hi = [true]
hi = { taps = [0] }
"#,
        &[
            r#"line 1: taps: lo and hi (with positions) and dec_lo and dec_hi (PyWavelets' order) are two ways of saying the same; keep one of them"#,
            r#"line 2: taps.dec_lo[1]: "x" is not a number; expected a fraction such as "9/16" or a decimal such as "-0.5" or "1e-3""#,
            r#"line 2: taps.dec_lo[2]: is nan; every number must be finite"#,
            r#"line 3: taps.dec_hi[0]: expected a number (0.25 or "1/4"), got true"#,
            r#"line 4: taps.hi: is empty; it needs at least one tap that is not zero"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [0.6, 0.8001] }
rec_lo = { taps = ["1/0", 1e400] }
"#,
        &[
            r#"line 1: taps: hi, rec_hi are missing; expected lo alone (orthogonal), lo and hi, or all four filters"#,
            r#"line 3: taps.rec_lo.taps[0]: "1/0" divides by zero"#,
            r#"line 3: taps.rec_lo.taps[1]: is 1e400; every number must be finite"#,
        ],
    ),
    (
        r#"default_mode = "Symmetric"
[taps]
lo = { taps = ["3/5", "4/5"] }
hi = { taps = ["3/5", "4/5", 1] }
"#,
        &[r#"line 1: default_mode: "Symmetric" is not known; did you mean "symmetric"?"#],
    ),
    (
        r#""#,
        &[r#"line 1: definition: is missing; expected a table [taps], [lifting] or [lattice]"#],
    ),
    (
        r#"name = 3
[taps]
"#,
        &[
            r#"line 1: name: expected a name, got the integer 3"#,
            r#"line 2: taps: no analysis filter; expected dec_lo or lo (alone for an orthogonal wavelet), or also dec_hi or hi"#,
        ],
    ),
    (
        r#"[taps]
dec_lo = [1, 1
"#,
        &[r#"line 2: syntax: unclosed array, expected `]`"#],
    ),
    (
        r#"[taps]
dec_lo = [1, 1]
dec_lo = [1, 1]
"#,
        &[r#"line 3: syntax: duplicate key"#],
    ),
    (
        r#"
nmae = "x"
name = ""
default_mode = "symetric"
axis_order = "both"
approximate = 1
even_lengths = "no"
colour = 3

[taps]
dec_lo = [1, "x", nan, inf, "1/0", true]
dec_high = [1]
lo = []
"#,
        &[
            r#"line 2: nmae: unknown key; did you mean 'name'?"#,
            r#"line 3: name: expected a printable name of 1 to 80 bytes"#,
            r#"line 4: default_mode: "symetric" is not known; did you mean "symmetric"?"#,
            r#"line 5: axis_order: expected one of "first-to-last", "last-to-first", got the string "both""#,
            r#"line 6: approximate: expected true or false, got the integer 1"#,
            r#"line 7: even_lengths: expected true or false, got the string "no""#,
            r#"line 8: colour: unknown key; expected one of name, default_mode, axis_order, even_lengths, approximate, taps, lifting, lattice"#,
            r#"line 10: taps: lo and hi (with positions) and dec_lo and dec_hi (PyWavelets' order) are two ways of saying the same; keep one of them"#,
            r#"line 11: taps.dec_lo[1]: "x" is not a number; expected a fraction such as "9/16" or a decimal such as "-0.5" or "1e-3""#,
            r#"line 11: taps.dec_lo[2]: is nan; every number must be finite"#,
            r#"line 11: taps.dec_lo[3]: is inf; every number must be finite"#,
            r#"line 11: taps.dec_lo[4]: "1/0" divides by zero"#,
            r#"line 11: taps.dec_lo[5]: expected a number (0.25 or "1/4"), got true"#,
            r#"line 12: taps.dec_high: unknown key; did you mean 'dec_hi'?"#,
            r#"line 13: taps.lo: expected a table such as { first = -1, taps = [1, 2, 1] }, got an array"#,
        ],
    ),
    (
        r#"[taps]
dec_lo = [1, 2, 3]
dec_hi = [1, 2, 3]
rec_lo = [1, 2, 3]
rec_hi = [1, 2, 3]
"#,
        &[
            r#"line 1: taps: not a wavelet: Σ lo[n] rec_hi[n+2k] at k=0 is 12, expected 0 (defect 1.800e1; at most 1e-10 is accepted)"#,
        ],
    ),
    (
        r#"[taps]
dec_lo = [1, 2, nan]
dec_hi = [1, 2, 3]
rec_lo = [1, inf, 3]
rec_hi = [1, 2, -inf]
"#,
        &[
            r#"line 2: taps.dec_lo[2]: is nan; every number must be finite"#,
            r#"line 4: taps.rec_lo[1]: is inf; every number must be finite"#,
            r#"line 5: taps.rec_hi[2]: is -inf; every number must be finite"#,
        ],
    ),
    (
        r#"[taps]
dec_lo = []
dec_hi = [1, 2, 3]
rec_lo = [0, 0, 0]
rec_hi = [1, 2]
"#,
        &[
            r#"line 2: taps.dec_lo: is empty; it needs at least one tap that is not zero"#,
            r#"line 4: taps.rec_lo: is empty; it needs at least one tap that is not zero"#,
        ],
    ),
    (
        r#"[taps]
dec_lo = [1, 1]
dec_hi = [1, 2, 3]
rec_lo = [0, 0, 2]
rec_hi = [1, 2]
"#,
        &[
            r#"line 1: taps: the filters must be equally long, got lengths 2 (dec_lo), 3 (dec_hi), 3 (rec_lo), 2 (rec_hi); pad the shorter ones with zeros, or give each filter its position (lo, hi, rec_lo, rec_hi)"#,
        ],
    ),
    (
        r#"[taps]
dec_lo = [1, 1]
rec_hi = [1, 2]
"#,
        &[
            r#"line 1: taps: dec_hi, rec_lo are missing; expected dec_lo alone (orthogonal), dec_lo and dec_hi, or all four filters"#,
        ],
    ),
    (
        r#"[taps]
dec_hi = [1, 1]
"#,
        &[
            r#"line 1: taps: dec_lo, rec_lo, rec_hi are missing; expected dec_lo alone (orthogonal), dec_lo and dec_hi, or all four filters"#,
        ],
    ),
    (
        r#"[taps]
rec_lo = [1, 1]
"#,
        &[
            r#"line 1: taps: no analysis filter; expected dec_lo or lo (alone for an orthogonal wavelet), or also dec_hi or hi"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [1, 1] }
dec_hi = [1, 2]
"#,
        &[
            r#"line 1: taps: lo and hi (with positions) and dec_lo and dec_hi (PyWavelets' order) are two ways of saying the same; keep one of them"#,
        ],
    ),
    (
        r#"[taps]
lo = { first = 0.5, taps = [1, 1], tips = 3 }
hi = [1, 2]
rec_lo = { first = 9999, taps = [1] }
rec_hi = { first = 2 }
"#,
        &[
            r#"line 2: taps.lo.first: expected a whole number from -512 to 512, got the float 0.5"#,
            r#"line 2: taps.lo.tips: unknown key; did you mean 'taps'?"#,
            r#"line 3: taps.hi: expected a table such as { first = -1, taps = [1, 2, 1] }, got an array"#,
            r#"line 4: taps.rec_lo.first: expected a whole number from -512 to 512, got the integer 9999"#,
            r#"line 5: taps.rec_hi.taps: is missing"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [1, 2, 3, 4] }
"#,
        &[
            r#"line 1: taps: not a wavelet: Σ lo[n] rec_lo[n+2k] at k=-1 is 0.3666666666666667, expected 0 (defect 3.667e-1; at most 1e-10 is accepted); the other filters were derived from the low-pass filter, which is not orthogonal"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [1, 2, 3, 4] }
hi = { taps = [1, -1] }
"#,
        &[
            r#"line 1: taps: not a wavelet: Σ lo[n] rec_lo[n+2k] at k=1 is 0.42857142857142855, expected 0 (defect 4.286e-1; at most 1e-10 is accepted); the synthesis filters were derived from the analysis filters, which have no exact inverse of finite length"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [1, 2] }
hi = { taps = [2, 4] }
"#,
        &[
            r#"line 1: taps: the low-pass and the high-pass filter say the same: their polyphase determinant is 0, so that they have no inverse"#,
        ],
    ),
    (
        r#"taps = 3
lifting = []
"#,
        &[
            r#"line 1: taps: expected a table with the keys of a form, got the integer 3"#,
            r#"line 2: lifting: a second form; the wavelet is already defined by taps in line 1, keep one of them"#,
            r#"line 2: lifting: expected a table with the keys of a form, got an array"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [0.6, 0.8] }

[lifting]
steps = []
"#,
        &[
            r#"line 4: lifting: a second form; the wavelet is already defined by taps in line 1, keep one of them"#,
        ],
    ),
    (
        r#"[lifting]
gains = [1, 0]
advances = [0, 0.5, 1]
swap = "yes"

[[lifting.steps]]
target = "low"
taps = [1]

[[lifting.steps]]
first = 100000
taps = "x"
offset = 1

[[lifting.steps]]
target = "odd"
taps = [0.5, "1/3"]
shift = 1
round = true

[[lifting.steps]]
target = "even"
taps = [0.25]
shift = 31
"#,
        &[
            r#"line 2: lifting.gains: a gain of 0 could not be inverted"#,
            r#"line 3: lifting.advances: expected 2 numbers, got 3"#,
            r#"line 3: lifting.advances[1]: expected a whole number from -512 to 512, got the float 0.5"#,
            r#"line 4: lifting.swap: expected true or false, got the string "yes""#,
            r#"line 7: lifting.steps[0].target: expected one of "even", "odd", "a", "d", got the string "low""#,
            r#"line 10: lifting.steps[1].target: is missing"#,
            r#"line 11: lifting.steps[1].first: expected a whole number from -512 to 512, got the integer 100000"#,
            r#"line 12: lifting.steps[1].taps: expected an array of numbers, got the string "x""#,
            r#"line 13: lifting.steps[1].offset: an offset needs a shift beside it"#,
            r#"line 17: lifting.steps[2].taps[1]: a rounded step needs multiples of 2^-1 of at most 2147483648/2^1, got 0.3333333333333333"#,
            r#"line 19: lifting.steps[2].round: unknown key; expected one of target, first, taps, shift, offset"#,
            r#"line 24: lifting.steps[3].shift: expected a whole number from 0 to 30, got the integer 31"#,
        ],
    ),
    (
        r#"[lifting]
gains = [2, "1/2"]
steps = [
    { target = "odd", taps = ["-1/2", "-1/2"], shift = 1 },
    { target = "even", taps = [0.3] },
    { target = "odd", taps = [1, "1/3"], shift = 4 },
]
"#,
        &[
            r#"line 2: lifting.gains: a rounded lifting has no final scaling; expected [1, 1]"#,
            r#"line 5: lifting.steps[1]: is not rounded although other steps are; give it a shift, or whole numbers as taps"#,
            r#"line 6: lifting.steps[2].taps[1]: a rounded step needs multiples of 2^-4 of at most 2147483648/2^4, got 0.3333333333333333"#,
        ],
    ),
    (
        r#"[lifting]
"#,
        &[r#"line 1: lifting.steps: is missing"#],
    ),
    (
        r#"[lifting]
steps = [3]
gains = [1]
advances = [0]
"#,
        &[
            r#"line 2: lifting.steps[0]: expected a step such as { target = "odd", first = 0, taps = ["-1/2", "-1/2"] }, got the integer 3"#,
            r#"line 3: lifting.gains: expected 2 numbers, got 1"#,
            r#"line 4: lifting.advances: expected 2 numbers, got 1"#,
        ],
    ),
    (
        r#"[lattice]
stages = [
    { t = 1, s = 1 },
    { t = 1 },
    { degrees = 3, radians = 3 },
    { turns = 1 },
    [[1, 2], [3]],
    [[1, 2, 3]],
    [[0.1, 0.3], [0.2, 0.6]],
    7,
]
lead = { target = "even", first = 0 }
"#,
        &[
            r#"line 1: lattice.final: is missing"#,
            r#"line 3: lattice.stages[0]: has the determinant 0; it could not be inverted"#,
            r#"line 4: lattice.stages[1]: expected { t = …, s = … }, { degrees = … }, { radians = … } or a matrix [[p, q], [r, s]]"#,
            r#"line 5: lattice.stages[2]: expected { t = …, s = … }, { degrees = … }, { radians = … } or a matrix [[p, q], [r, s]]"#,
            r#"line 6: lattice.stages[3]: expected { t = …, s = … }, { degrees = … }, { radians = … } or a matrix [[p, q], [r, s]]"#,
            r#"line 6: lattice.stages[3].turns: unknown key; expected one of t, s, degrees, radians"#,
            r#"line 7: lattice.stages[4][1]: expected 2 numbers, got 1"#,
            r#"line 8: lattice.stages[5]: expected 2 rows of 2 numbers each, got 1"#,
            r#"line 8: lattice.stages[5][0]: expected 2 numbers, got 3"#,
            r#"line 9: lattice.stages[6]: has the determinant 0; it could not be inverted"#,
            r#"line 10: lattice.stages[7]: expected a matrix [[p, q], [r, s]] or a table such as { degrees = 30 }, got the integer 7"#,
            r#"line 12: lattice.lead.taps: is missing"#,
            r#"line 12: lattice.lead.target: expected one of "low", "high", got the string "even""#,
        ],
    ),
    (
        r#"[lattice]
final = [[1, 0], [0, 1]]
lead = 3
stages = 3
"#,
        &[
            r#"line 3: lattice.lead: expected a table such as { target = "low", first = -1, taps = ["1/8", "1/8"] }, got the integer 3"#,
            r#"line 4: lattice.stages: expected an array of stages, got the integer 3"#,
        ],
    ),
    (
        r#"default_mode = "jpeg2000"
[lifting]
steps = [
    { target = "odd", taps = ["-1/2"], shift = 1 },
    { target = "odd", first = 1, taps = ["-1/2"], shift = 1 },
]
"#,
        &[
            r#"line 1: default_mode: mode jpeg2000 needs whole-sample symmetric filters (and steps, if these round), the high-pass one centred one sample after the low-pass one (such as bior2.2, bior4.4, rev53)"#,
        ],
    ),
    (
        r#"default_mode = "jpeg2000"
[taps]
dec_lo = [0.6, 0.8]
"#,
        &[
            r#"line 1: default_mode: mode jpeg2000 needs whole-sample symmetric filters (and steps, if these round), the high-pass one centred one sample after the low-pass one (such as bior2.2, bior4.4, rev53)"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [0.6, 0.8001] }
hi = { taps = [0.8, -0.6] }
rec_lo = { taps = [0.6, 0.8] }
rec_hi = { taps = [0.8, -0.6] }
"#,
        &[
            r#"line 1: taps: not a wavelet: Σ lo[n] rec_lo[n+2k] at k=0 is 1.00008, expected 1 (defect 8.000e-5; at most 1e-10 is accepted); a bank that is meant to be approximate must say so: write approximate = true above [taps] if that is meant"#,
        ],
    ),
    (
        r#"[taps]
lo = { first = 1, taps = [0.8, 0.6] }
hi = { first = -1, taps = [0.8, -0.6] }
rec_lo = { taps = [0.6, 0.8] }
rec_hi = { taps = [0.8, -0.6] }
"#,
        &[
            r#"line 1: taps: not a wavelet: Σ hi[n] rec_hi[n+2k] at k=0 is -0.48, expected 1 (defect 1.480e0; at most 1e-10 is accepted)"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [1e300, 1e300] }
"#,
        &[
            r#"line 1: taps: the energy of the low-pass filter, the sum of its squares, exceeds the range of 64-bit floating point numbers; expected smaller taps"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [1e-200, 1e-200] }
"#,
        &[
            r#"line 1: taps: the energy of the low-pass filter, the sum of its squares, falls below the range of 64-bit floating point numbers; expected larger taps"#,
        ],
    ),
    (
        r#"[taps]
lo = { taps = [1e200, 1e200] }
hi = { taps = [1e200, -1e200] }
"#,
        &[
            r#"line 1: taps: the determinant of the two filters' polyphase matrix exceeds the range of 64-bit floating point numbers; expected smaller taps"#,
        ],
    ),
    (
        r#"[lifting]
steps = [
    { target = "odd", taps = ["1e200"] },
    { target = "even", taps = ["1e200"] },
]
"#,
        &[
            r#"line 1: lifting: the factors have an inverse, but lo[0], a tap of their product, exceeds the largest 64-bit floating point number (1.8e308); expected smaller coefficients"#,
        ],
    ),
];
