//! The nearest of a list of names.

/// The candidate that is closest to what was typed, unless more than half of it would have to change.
///
/// ```
/// use waveloom_codegen::hint::nearest;
///
/// assert_eq!(nearest("symetric", ["zero", "symmetric"]), Some("symmetric"));
/// assert_eq!(nearest("banana", ["zero", "symmetric"]), None);
/// ```
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed: String = typed.chars().take(60).collect::<String>().to_ascii_lowercase();
    let distances = candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&typed, candidate), candidate));
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    (2 * distance <= candidate.len()).then_some(candidate)
}
