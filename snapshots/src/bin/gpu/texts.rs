//! Every kind of text through the compilers, without a card: how long each takes, and what its
//! kernels use.

use crate::options::Options;
use crate::table::{guarded, say};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use waveloom_codegen::emit::cuda::{self, CudaRequest};
use waveloom_codegen::gpu::Strategy;
use waveloom_codegen::kernel::Element;
use waveloom_snapshots::compile::Toolchain;
use waveloom_wavelets::{SchemeKind, catalogue};

const WAVELETS: [&str; 9] =
    ["haar", "db2", "db4", "db16", "bior4.4", "bior6.8", "irr97", "rev53", "ccsds97m"];

struct Item {
    wavelet: &'static str,
    dims: usize,
    scheme: SchemeKind,
    element: Element,
    strategy: (&'static str, Strategy),
}

impl Item {
    fn name(&self) -> String {
        let (element, strategy) = (self.element.name(), self.strategy.0);
        format!("{} {}-D {} {element} {strategy}", self.wavelet, self.dims, self.scheme)
    }
}

/// Compiles what `--only` and `--skip` leave, and prints a table.
pub fn run(options: &Options) -> Result<(), String> {
    let toolchain = Toolchain::find().map_err(|skipped| skipped.to_string())?;
    let mut items = Vec::new();
    for name in WAVELETS {
        let wavelet = catalogue::wavelet(name).map_err(|error| error.to_string())?;
        let elements: &[Element] = match wavelet.is_rounded() {
            true => &[Element::I16, Element::I32, Element::I64],
            false => &[Element::F32, Element::F64],
        };
        for dims in 1..=3 {
            for scheme in wavelet.scheme_kinds(dims) {
                for (element, strategy) in
                    elements.iter().flat_map(|e| Strategy::NAMED.map(|strategy| (*e, strategy)))
                {
                    items.push(Item { wavelet: name, dims, scheme, element, strategy });
                }
            }
        }
    }
    items.retain(|item| options.wants(&item.name()));
    if options.list {
        items.iter().for_each(|item| say(&item.name()));
        return Ok(());
    }
    say("| text | KiB | ms | registers | stack, bytes | spilled, bytes |");
    say("|---|---|---|---|---|---|");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = guarded(|| row(&toolchain, item));
                    let Err(message) = row.map(|line| say(&line)) else { continue };
                    say(&format!("| {} | {message} | | | | |", item.name()));
                    if let Ok(mut failed) = failed.lock() {
                        failed.push(item.name());
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_default();
    match failed.len() {
        0 => Ok(()),
        count => Err(format!("{count} of {} texts: {}", items.len(), failed.join("; "))),
    }
}

fn row(toolchain: &Toolchain, item: &Item) -> Result<String, String> {
    let wavelet = catalogue::wavelet(item.wavelet).map_err(|error| error.to_string())?;
    let request = CudaRequest {
        scheme: item.scheme,
        element: item.element,
        strategy: item.strategy.1,
        ..CudaRequest::new(&wavelet, item.dims)
    };
    let text = match cuda::module(&request) {
        Ok(source) => source.text,
        Err(error) => return Ok(format!("| {} | {error} | | | | |", item.name())),
    };
    let begin = Instant::now();
    let kernels = toolchain
        .resources(&text, "text", 90)
        .map_err(|error| error.to_string().lines().take(3).collect::<Vec<_>>().join(" "))?;
    let seconds = begin.elapsed().as_secs_f64();
    let most = |of: fn(&waveloom_snapshots::compile::Resources) -> u32| {
        kernels.iter().map(of).max().unwrap_or(0)
    };
    let spilled = most(|kernel| kernel.spill_stores.max(kernel.spill_loads));
    let line = format!(
        "| {} | {:.0} | {:.0} | {} | {} | {spilled} |",
        item.name(),
        text.len() as f64 / 1024.0,
        seconds * 1e3,
        most(|kernel| kernel.registers),
        most(|kernel| kernel.stack_bytes),
    );
    if spilled > 0 { Err(format!("SPILLS {line}")) } else { Ok(line) }
}
