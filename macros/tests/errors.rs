//! Everything that is wrong with an input is reported at once, each at the token to blame.

#[test]
fn errors_point_at_their_tokens() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
