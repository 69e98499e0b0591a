//! What is wrong with definition files: every problem, each with its line, all at once.

mod bad;

use bad::BAD;
use waveloom_wavelets::definition::parse;

fn problems(text: &str) -> Vec<String> {
    match parse(text, "test") {
        Ok(_) => Vec::new(),
        Err(errors) => errors.problems().iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn every_problem_is_reported_with_its_line() {
    for (text, expected) in BAD {
        assert_eq!(problems(text), *expected, "of the definition\n{text}");
    }
}

#[test]
fn all_problems_stand_on_one_line() {
    let errors = parse("name = 3\n[lattice]\n", "test").unwrap_err();
    assert_eq!(
        errors.to_string(),
        "line 1: name: expected a name, got the integer 3; line 2: lattice.final: is missing"
    );
    for (text, _) in BAD {
        assert_eq!(parse(text, "test").unwrap_err().to_string().lines().count(), 1);
    }
}

#[test]
fn problems_beyond_a_hundred_are_counted() {
    let text: String = (0..150).map(|i| format!("key{i} = 1\n")).collect();
    let errors = parse(&text, "test").unwrap_err();
    assert_eq!(errors.problems().len(), 101);
    let last = errors.problems().last().unwrap();
    assert_eq!((last.line, last.message.as_str()), (100, "51 more problems"));
}

#[test]
fn monstrous_definitions_are_refused_without_delay() {
    let nested = problems(&"a=[".repeat(100_000));
    assert!(nested.len() > 1, "{nested:?}");
    let long = problems(&" ".repeat(2 << 20));
    assert_eq!(long, ["line 1: file: has 2097152 bytes; at most 1048576 are read"]);
    let steps = "{ target = \"odd\", taps = [1] }, ".repeat(300);
    let steps = problems(&format!("[lifting]\nsteps = [{steps}]"));
    assert_eq!(steps, ["line 2: lifting.steps: has 300 steps; at most 256 are supported"]);
    let stages = problems(&format!(
        "[lattice]\nfinal = [[1, 0], [0, 1]]\nstages = [{}]",
        "{ degrees = 10 }, ".repeat(300)
    ));
    assert_eq!(stages, ["line 3: lattice.stages: has 300 stages; at most 255 are supported"]);
    let taps = problems(&format!("[taps]\nlo = {{ taps = [{}] }}", "1, ".repeat(513)));
    assert_eq!(taps, ["line 2: taps.lo: has 513 taps; at most 512 are supported"]);
}

#[test]
fn mangled_definitions_never_panic() {
    let good = r#"name = "mine"
default_mode = "jpeg2000"
[lifting]
gains = [1, "1/2"]
advances = [0, 1]
steps = [
    { target = "odd", first = -1, taps = ["1/16", "-9/16", 0.5, 1e-3], offset = 8, shift = 4 },
    { target = "a", taps = [nan, "1/4"] },
]
[lattice]
stages = [{ degrees = 30 }, { t = 1, s = -2 }, [[1, 2], [3, 4]]]
final = [[1, 0], [0, 1]]
lead = { target = "low", first = -1, taps = [1] }
[taps]
dec_lo = [1, 2]
lo = { first = 3, taps = ["1/3"] }
"#;
    // A fixed sequence of deletions, doublings and overwritings.
    let mut state = 12345_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let pieces =
        ["1", "-", "\"", "[", "]", "{", "}", "=", "\n", "e999", "inf", "0x", ",", "\u{e9}", "/"];
    let mut refused = 0;
    for _ in 0..3000 {
        let mut text: Vec<char> = good.chars().collect();
        // Half of the time, keep one form only, so that verification is reached.
        for _ in 0..1 + random(6) {
            let at = random(text.len());
            match random(3) {
                0 => drop(text.drain(at..(at + 1 + random(20)).min(text.len()))),
                1 => drop(text.splice(at..at, pieces[random(pieces.len())].chars())),
                _ => drop(text.splice(at..at + 1, pieces[random(pieces.len())].chars())),
            }
        }
        let text: String = text.into_iter().collect();
        let one_form = text.split("[taps]").next().and_then(|text| text.split("[lattice]").next());
        refused += usize::from(parse(&text, "test").is_err());
        refused += usize::from(parse(one_form.unwrap_or_default(), "test").is_err());
    }
    assert!(refused > 3000, "{refused}");
}

#[test]
fn lines_are_counted_in_files_from_every_system() {
    let windows = "name = \"w\"\r\n\r\n[taps]\r\nlo = { taps = [1, 1] }\r\nhigh = 3\r\n";
    assert_eq!(problems(windows).len(), 1);
    assert!(problems(windows)[0].starts_with("line 5: taps.high: unknown key"));
    let marked = "\u{feff}name = 3\n[taps]\nlo = { taps = [1, 1] }\n";
    assert_eq!(problems(marked), ["line 1: name: expected a name, got the integer 3"]);
}
