//! `docs/papers.md`: its tables can be filled, and its commands name what there is.

mod common;

#[path = "../examples/papers.rs"]
#[expect(dead_code, reason = "its own main")]
mod papers;

use common::Folder;
use papers::{Block, filled, matches};
use serde_json::json;

const DOCUMENT: &str = include_str!("../../docs/papers.md");

#[test]
fn every_table_of_the_document_has_works() {
    let listed = Folder::new().ok("bench --suite papers --device cuda --list");
    let mut blocks = 0;
    for block in DOCUMENT.lines().filter_map(Block::parse) {
        blocks += 1;
        let (Block::Ratios(pattern) | Block::Times(pattern)) = &block else { continue };
        assert!(listed.lines().any(|name| matches(pattern, name)), "{block:?}");
    }
    assert!(blocks >= 10, "{blocks}");
    // Filled with nothing, then again: the tables are found where they were.
    let empty = filled(DOCUMENT, &[]).unwrap();
    assert_eq!(filled(&empty, &[]).unwrap(), empty);
}

#[test]
fn every_command_of_the_document_selects_something() {
    let folder = Folder::new();
    let mut commands = 0;
    for line in DOCUMENT.lines() {
        let Some(words) = line.strip_prefix("    waveloom bench --suite papers") else { continue };
        commands += 1;
        let only = words.split("--only ").skip(1);
        let only = only.filter_map(|rest| rest.split_whitespace().next());
        let line: String = only.map(|only| format!(" --only {only}")).collect();
        let listed = folder.ok(&format!("bench --suite papers --device cuda --list{line}"));
        assert!(!listed.is_empty(), "{line}");
    }
    assert!(commands >= 6, "{commands}");
}

#[test]
fn tables_show_ratios_times_and_what_is_missing() {
    let spread = |median: f64| json!({ "median": median, "low": median, "high": median });
    let work = |ratio: f64| {
        json!({
            "name": "puchala: 1-D 2^28 db16 circular L1 f32",
            "lines": [
                { "method": "slow", "operation": "forward", "copies": spread(2.0), "gigabytes_per_second": 1000.4 },
                { "method": "fast", "operation": "forward", "not_available": "no | card" },
            ],
            "ratios": [
                { "over": "slow", "under": "fast", "operation": "forward", "measured": spread(ratio), "published": [2.0, 2.0], "source": "Fig. 7" },
                { "over": "slow", "under": "fast", "operation": "inverse", "measured": null, "published": [2.0, 2.0], "source": "Fig. 7" },
                { "over": "a", "under": "b", "operation": "forward", "measured": null, "published": [1.0, null], "source": "x" },
            ],
        })
    };
    let reports = [
        json!({ "works": [work(1.0)], "overtaking": ["early"], "device": "CPU", "version": "1" }),
        json!({ "works": [work(1.88)], "overtaking": ["late"], "device": "H100", "version": "1" }),
    ];
    let text = "# T\n<!-- cards -->\n<!-- end -->\n<!-- ratios puchala*2^28 -->\nold\n<!-- end -->\n<!-- times puchala -->\n<!-- end -->\n<!-- ratios quan -->\n<!-- end -->\n<!-- overtaking -->\n<!-- end -->\nend\n";
    let filled = filled(text, &reports).unwrap();
    for row in [
        "| 1-D 2^28 db16 circular L1 f32 | slow / fast | 2.00 | Fig. 7 | 1.88 (1.88-1.88) | — |",
        "| 1-D 2^28 db16 circular L1 f32 | a / b | 1.00 or more | x | — |  |",
        "| 1-D 2^28 db16 circular L1 f32 | slow | 2.00 (2.00-2.00) |  | 1000 |",
        "| 1-D 2^28 db16 circular L1 f32 | fast | — (no / card) |  |  |",
        "- late",
        "- H100, waveloom 1",
        "end",
    ] {
        assert!(filled.lines().any(|line| line == row), "{row}\n{filled}");
    }
    assert!(
        !filled.contains("old") && !filled.contains("CPU") && !filled.contains("1.00 (1.00"),
        "{filled}"
    );
    assert!(papers::filled("<!-- times x -->\n", &reports).unwrap_err().contains("end"));
}
