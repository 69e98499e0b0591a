//! A command that is ended from outside leaves no unfinished file.

#![cfg(unix)]

mod common;

use common::{Folder, noise};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn unfinished(folder: &Folder) -> Vec<String> {
    folder.names().into_iter().filter(|name| name.starts_with(".waveloom-")).collect()
}

#[test]
fn terminated_and_interrupted_commands_clean_up() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[4_000_000]));
    for signal in ["-TERM", "-INT"] {
        let mut child = common::binary()
            .current_dir(folder.path("."))
            .args(["forward", "x.npy", "-o", "c.npz", "--wavelet", "db2", "--device", "cpu"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Once it writes; if it is done before it is seen writing, there is nothing to clean up.
        let patience = Instant::now();
        while unfinished(&folder).is_empty()
            && child.try_wait().unwrap().is_none()
            && patience.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_micros(200));
        }
        let kill = Command::new("kill").args([signal, &child.id().to_string()]).output();
        let ended = child.wait().unwrap();
        assert!(kill.is_ok());
        assert!(matches!(ended.code(), Some(130 | 0)), "{signal}: {ended:?}");
        assert_eq!(unfinished(&folder), Vec::<String>::new(), "{signal}");
    }
}
