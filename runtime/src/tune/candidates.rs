//! What is tried.

use waveloom_codegen::gpu::Strategy;

/// Threads of a block of strips.
const THREADS: [u32; 2] = [64, 128];
/// Groups of columns and pairs of a lane.
const LANES: [(u32, u32); 3] = [(4, 1), (2, 2), (2, 1)];
/// Pairs of rows on their way.
const DEPTHS: [u32; 3] = [0, 3, 4];
/// Pairs of rows that a strip walks.
const ROWS: [u32; 4] = [8, 16, 32, 64];

/// The strategies that tuning tries: every method without splits, with its own shapes, and strips in
/// many shapes.
pub fn candidates() -> Vec<Strategy> {
    let mut all = vec![Strategy::STREAM, Strategy::SHARED, Strategy::TRAPEZOID, Strategy::GLOBAL];
    for threads in THREADS {
        for (groups, pairs) in LANES {
            for depth in DEPTHS {
                all.extend(ROWS.map(|rows| Strategy {
                    threads: Some(threads),
                    groups: Some(groups),
                    pairs: Some(pairs),
                    depth: Some(depth),
                    rows: Some(rows),
                    ..Strategy::STREAM
                }));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_candidate_is_another_and_can_be_spelled() {
        let all = candidates();
        let spelled: BTreeSet<String> = all.iter().map(Strategy::to_string).collect();
        assert_eq!((all.len(), spelled.len()), (76, 76));
        assert!(all.iter().all(|strategy| strategy.to_string().parse() == Ok(*strategy)));
    }
}
