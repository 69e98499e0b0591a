//! From CUDA text to a program.

use super::{EmulateError, Program};
use crate::Skipped;
use crate::skipped::{content_key, target_directory};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The header and the runtime, by the names under which they include each other.
const FILES: [(&str, &str); 7] = [
    ("cuda_on_cpu.h", include_str!("cuda_on_cpu.h")),
    ("entry.h", include_str!("entry.h")),
    ("fibres.h", include_str!("fibres.h")),
    ("block.h", include_str!("block.h")),
    ("races.h", include_str!("races.h")),
    ("buffers.h", include_str!("buffers.h")),
    ("runtime.cpp", include_str!("runtime.cpp")),
];

/// The one of them that is compiled.
const RUNTIME: (&str, &str) = FILES[6];

/// Bytes of the text's dynamic shared array: what a block may have on compute capability 9.0.
const DYNAMIC_BYTES: usize = 227 * 1024;

/// What a build watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Memory and undefined behaviour.
    Memory,
    /// Of these what is out of bounds: built in half the time.
    Bounds,
    /// Of these what is beyond the ends of buffers: pages that nobody may touch lie there, and what is left of the last
    /// page is looked at afterwards. Nothing is instrumented: built in half the time again.
    Ends,
    /// Races and uninitialised shared memory; counts traffic.
    Races,
}

impl Checks {
    /// The builds that find everything between them.
    pub const ALL: [Checks; 2] = [Checks::Memory, Checks::Races];

    fn name(self) -> &'static str {
        match self {
            Checks::Memory => "memory",
            Checks::Bounds => "bounds",
            Checks::Ends => "ends",
            Checks::Races => "races",
        }
    }

    /// Options for the text. Of undefined behaviour, what the address sanitizer does not find at the access itself:
    /// it sees null pointers and pointers past their objects.
    fn instrumentation(self) -> &'static [&'static str] {
        match self {
            Checks::Memory => &[
                "-O0",
                "-fsanitize=address,bounds,alignment,shift,signed-integer-overflow,integer-divide-by-zero",
                "-fno-sanitize-recover=all",
                "-fno-omit-frame-pointer",
            ],
            Checks::Bounds => &[
                "-O0",
                "-fsanitize=address,bounds",
                "-fno-sanitize-recover=all",
                "-fno-omit-frame-pointer",
            ],
            Checks::Ends => &["-O0"],
            Checks::Races => &["-O0", "-fsanitize=thread"],
        }
    }

    /// Options for the runtime, which is not instrumented itself.
    fn runtime(self) -> &'static [&'static str] {
        match self {
            Checks::Memory | Checks::Bounds => &["-O1", "-DWAVELOOM_ASAN"],
            Checks::Ends => &["-O1", "-DWAVELOOM_ENDS"],
            Checks::Races => &["-O1", "-DWAVELOOM_RACES"],
        }
    }

    /// Options for linking. The runtime takes libtsan's place, so that one is not linked.
    fn linking(self) -> &'static [&'static str] {
        match self {
            Checks::Memory | Checks::Bounds => &["-fsanitize=address,undefined"],
            Checks::Ends | Checks::Races => &[],
        }
    }
}

/// A host C++ compiler that can build emulated programs.
#[derive(Clone, Debug)]
pub struct Emulator {
    compiler: String,
    version: String,
    directory: PathBuf,
}

impl Emulator {
    /// Looks for a compiler: `$CXX` if set, else `c++`, `g++`, `clang++`. Results are kept under
    /// `emulate` in cargo's target directory.
    pub fn find() -> Result<Self, Skipped> {
        const CHECK: &str = "CUDA text run on the CPU";
        if !cfg!(target_os = "linux") {
            return Err(Skipped::new(CHECK, "it is implemented for Linux"));
        }
        let candidates = match std::env::var("CXX") {
            Ok(compiler) if !compiler.is_empty() => vec![compiler],
            _ => ["c++", "g++", "clang++"].map(str::to_owned).to_vec(),
        };
        for compiler in &candidates {
            let Ok(output) = Command::new(compiler).arg("--version").output() else { continue };
            if !output.status.success() {
                continue;
            }
            let version = String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned);
            let emulator = Self {
                compiler: compiler.clone(),
                version: version.unwrap_or_default(),
                directory: target_directory().join("emulate"),
            };
            return match emulator.compile("", &[], Checks::Memory) {
                Ok(_) => Ok(emulator),
                Err(error) => Err(Skipped::new(
                    CHECK,
                    format!("{compiler} cannot build an empty program with sanitizers: {error}"),
                )),
            };
        }
        let reason = format!("no C++ compiler; looked for {}", candidates.join(", "));
        Err(Skipped::new(CHECK, reason))
    }

    /// The compiler's first line about itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Compiles `source` with the kernels named, or takes the result of an earlier compilation of
    /// the same text. Compiling takes longer than running: texts are not optimised.
    ///
    /// # Errors
    ///
    /// The compiler's log, if it refuses the text.
    pub fn compile(
        &self,
        source: &str,
        kernels: &[&str],
        checks: Checks,
    ) -> Result<Program, EmulateError> {
        let dynamic = dynamic_array(source)?;
        let unit = translation_unit(source, kernels, dynamic.as_ref());
        let runtime = self.runtime(checks)?;
        let headers = runtime.parent().unwrap_or(Path::new("."));
        let options = checks.instrumentation().join(" ");
        let key = self.key(&[&unit, checks.name(), &options, &headers.to_string_lossy()]);
        let names = kernels.iter().map(|&name| name.to_owned()).collect();
        let executable = self.directory.join(&key).join("program");
        if executable.is_file() {
            return Ok(Program::new(executable, names));
        }
        let mut command = self.command(headers);
        command.args(checks.instrumentation());
        let sanitized = matches!(checks, Checks::Memory | Checks::Bounds);
        if sanitized && !self.version.contains("clang") {
            // Checks by calls: less code for the compiler than checks in place.
            command.args(["--param", "asan-instrumentation-with-call-threshold=0"]);
        }
        let object = self.build(&key, "text.o", "text.cpp", &unit, |to, from| {
            command.arg("-c").arg(from).arg("-o").arg(to);
            self.output(&mut command, source)
        })?;
        let executable = self.build(&key, "program", "link.txt", &key, |to, _| {
            let mut command = Command::new(&self.compiler);
            command.args(checks.linking()).arg(&object).arg(&runtime).arg("-o").arg(to);
            self.output(&mut command, source)
        })?;
        Ok(Program::new(executable, names))
    }

    /// The compiled runtime, in a directory that also holds the headers.
    fn runtime(&self, checks: Checks) -> Result<PathBuf, EmulateError> {
        let mut parts = vec![checks.name()];
        parts.extend(FILES.iter().map(|(_, text)| *text));
        let key = self.key(&parts);
        let object = self.directory.join(&key).join("runtime.o");
        if object.is_file() {
            return Ok(object);
        }
        let directory = self.directory.join(&key);
        for (name, text) in FILES {
            write(&directory, name, text)?;
        }
        let mut command = self.command(&directory);
        command.args(checks.runtime());
        self.build(&key, "runtime.o", "runtime.cpp", RUNTIME.1, |to, from| {
            command.arg("-c").arg(from).arg("-o").arg(to);
            self.output(&mut command, RUNTIME.1)
        })
    }

    fn command(&self, headers: &Path) -> Command {
        let mut command = Command::new(&self.compiler);
        command
            .args(["-std=c++17", "-g1", "-ffp-contract=off", "-fno-strict-aliasing"])
            .arg("-I")
            .arg(headers);
        if !self.version.contains("clang") {
            command.arg("-fno-extern-tls-init");
        }
        command
    }

    /// Writes `text` as `from`, has `make` produce a file, and moves that to `to`: another process
    /// that builds the same sees all of it or nothing.
    fn build(
        &self,
        key: &str,
        to: &str,
        from: &str,
        text: &str,
        make: impl FnOnce(&Path, &Path) -> Result<(), EmulateError>,
    ) -> Result<PathBuf, EmulateError> {
        let directory = self.directory.join(key);
        write(&directory, from, text)?;
        let scratch = tempfile::tempdir_in(&directory).map_err(EmulateError::io(&directory))?;
        let made = scratch.path().join(to);
        make(&made, &directory.join(from))?;
        let place = directory.join(to);
        std::fs::rename(&made, &place).map_err(EmulateError::io(&place))?;
        Ok(place)
    }

    fn output(&self, command: &mut Command, source: &str) -> Result<(), EmulateError> {
        let output = command.output().map_err(EmulateError::io(&self.compiler))?;
        if output.status.success() {
            return Ok(());
        }
        Err(EmulateError::Compile {
            compiler: self.version.clone(),
            log: String::from_utf8_lossy(&output.stderr).into_owned(),
            source_text: source.to_owned(),
        })
    }

    fn key(&self, parts: &[&str]) -> String {
        content_key(&[&[self.compiler.as_str(), self.version.as_str()], parts].concat())
    }
}

/// Writes a file atomically, unless it is there already with the same content.
fn write(directory: &Path, name: &str, text: &str) -> Result<(), EmulateError> {
    let place = directory.join(name);
    if std::fs::read_to_string(&place).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::create_dir_all(directory).map_err(EmulateError::io(directory))?;
    let file = tempfile::NamedTempFile::new_in(directory).map_err(EmulateError::io(directory))?;
    std::fs::write(file.path(), text).map_err(EmulateError::io(&place))?;
    file.persist(&place).map_err(|error| EmulateError::Io { path: place, error: error.error })?;
    Ok(())
}

/// Type and name of the text's `extern __shared__` array.
struct DynamicArray {
    element: String,
    name: String,
}

/// Finds the `extern __shared__ [__align__(N)] TYPE NAME[];` of a text. It may be repeated, but all
/// must agree: the array needs one definition.
fn dynamic_array(source: &str) -> Result<Option<DynamicArray>, EmulateError> {
    let mut found: Option<DynamicArray> = None;
    for (number, line) in source.lines().enumerate() {
        let Some((_, rest)) = line.split_once("extern __shared__ ") else { continue };
        let bad = || EmulateError::SharedDeclaration { line: number + 1, found: line.to_owned() };
        let declaration = rest.split_once("[]").ok_or_else(bad)?.0.trim();
        let declaration = match declaration.strip_prefix("__align__(") {
            Some(aligned) => aligned.split_once(')').ok_or_else(bad)?.1.trim(),
            None => declaration,
        };
        let (element, name) = declaration.rsplit_once(' ').ok_or_else(bad)?;
        let array = DynamicArray { element: element.trim().to_owned(), name: name.to_owned() };
        match &found {
            Some(other) if other.name != array.name || other.element != array.element => {
                return Err(bad());
            }
            _ => found = Some(array),
        }
    }
    Ok(found)
}

/// The text between the header and the table of its kernels.
fn translation_unit(source: &str, kernels: &[&str], dynamic: Option<&DynamicArray>) -> String {
    let mut unit = format!(
        "#include \"cuda_on_cpu.h\"\n#line 1 \"kernel.cu\"\n{source}\n#line 1 \"entries\"\n\
         #include \"entry.h\"\n"
    );
    // Defined in assembly: the compiler then knows no size by which an access could be proved good.
    if let Some(DynamicArray { element, name }) = dynamic {
        let _ = writeln!(
            unit,
            "asm(\".pushsection .tbss,\\\"awT\\\",@nobits\\n.globl {name}\\n.balign 128\\n\"\n    \
             \"{name}: .zero {DYNAMIC_BYTES}\\n.popsection\");\n\
             extern thread_local {element} {name}[];"
        );
    }
    unit.push_str("namespace waveloom {\nconst Entry entries[] = {\n");
    for kernel in kernels {
        let _ = writeln!(unit, "    Call<::{kernel}>::entry(\"{kernel}\"),");
    }
    let region = dynamic.map_or_else(
        || "nullptr, 0".to_owned(),
        |array| format!("reinterpret_cast<char*>(::{}), {DYNAMIC_BYTES}", array.name),
    );
    let _ = write!(
        unit,
        "    {{\"\", 0, nullptr, nullptr}}}};\nconst size_t entry_count = {};\n\
         Region dynamic_shared() {{ return {{{region}}}; }}\n}}\n",
        kernels.len()
    );
    unit
}
