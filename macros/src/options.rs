//! The keys of the macro, their values, and the request that they amount to.

use crate::definition::InPlace;
use crate::input::{Field, Input, Value};
use crate::report::Report;
use quote::ToTokens;
use std::path::PathBuf;
use waveloom_codegen::emit::cuda::{CudaRequest, Definition, ItemsError, ItemsRequest};
use waveloom_codegen::emit::names;
use waveloom_codegen::emit::rust::{EmitError, Request, vectorised_scheme};
use waveloom_codegen::gpu::{ProgramError, Strategy};
use waveloom_codegen::hint::nearest;
use waveloom_codegen::pipeline::PipelineError;
use waveloom_codegen::{Element, kernel::LowerError};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet, catalogue, definition};

const KEYS: [&str; 12] = [
    "wavelet",
    "file",
    "definition",
    "target",
    "dims",
    "levels",
    "mode",
    "element",
    "scheme",
    "strategy",
    "views",
    "alloc",
];

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A type that transforms on the CPU.
    Rust,
    /// A type that carries CUDA text and plans with it.
    Cuda,
}

const ELEMENTS: [Element; 5] =
    [Element::F32, Element::F64, Element::I16, Element::I32, Element::I64];

/// Where the wavelet comes from.
pub struct Origin {
    pub wavelet: Wavelet,
    /// How the command line would name it.
    pub source: String,
    /// The definition file, so that the compiler watches it.
    pub file: Option<PathBuf>,
    /// The definition as text, unless the catalogue has it.
    pub definition: Definition,
}

/// The values of the keys, each with its field.
pub struct Options<'a> {
    input: &'a Input,
    pub origin: Option<Origin>,
    pub dims: Option<usize>,
    pub levels: Option<usize>,
    pub mode: Option<Mode>,
    pub element: Option<Element>,
    pub scheme: Option<SchemeKind>,
    pub views: bool,
    /// Whether memory is allocated.
    pub allocates: bool,
    pub target: Target,
    pub strategy: Option<Strategy>,
}

impl<'a> Options<'a> {
    /// Reads all keys; whatever is wrong goes to `report`.
    pub fn read(input: &'a Input, report: &mut Report) -> Self {
        let mut options = Self {
            input,
            origin: None,
            dims: None,
            levels: None,
            mode: None,
            element: None,
            scheme: None,
            views: true,
            allocates: true,
            target: Target::Rust,
            strategy: None,
        };
        options.check_keys(report);
        options.origin = options.origin(report);
        options.dims = options.field("dims").and_then(|field| whole(field, report));
        options.levels = options.field("levels").and_then(|field| whole(field, report));
        let modes = Mode::ALL.map(|mode| (mode.name().to_owned(), mode));
        options.mode = options.field("mode").and_then(|field| one_of(field, &modes, report));
        let elements = ELEMENTS.map(|element| (element.name().to_owned(), element));
        options.element =
            options.field("element").and_then(|field| one_of(field, &elements, report));
        let schemes = SchemeKind::ALL.map(|kind| (kind.name().replace('-', "_"), kind));
        options.scheme = options.field("scheme").and_then(|field| one_of(field, &schemes, report));
        let switch = [("true".to_owned(), true), ("false".to_owned(), false)];
        let views = options.field("views").and_then(|field| one_of(field, &switch, report));
        let allocates = options.field("alloc").and_then(|field| one_of(field, &switch, report));
        options.allocates = allocates.unwrap_or(true);
        options.views = views.unwrap_or(options.allocates);
        if let (Some(field), false, true) =
            (options.field("views"), options.allocates, options.views)
        {
            report.at(&field.value, "methods on views allocate, and `alloc: false` forbids it");
        }
        let targets = [("rust".to_owned(), Target::Rust), ("cuda".to_owned(), Target::Cuda)];
        let target = options.field("target").and_then(|field| one_of(field, &targets, report));
        options.target = target.unwrap_or(Target::Rust);
        let strategies = Strategy::NAMED.map(|(name, strategy)| (name.replace('-', "_"), strategy));
        options.strategy =
            options.field("strategy").and_then(|field| one_of(field, &strategies, report));
        let (only, other): (&[&str], _) = match options.target {
            Target::Rust => (&["strategy"], "cuda"),
            Target::Cuda => (&["views", "alloc"], "rust"),
        };
        for field in only.iter().filter_map(|key| options.field(key)) {
            report.at(&field.key, format!("`{}` is for `target: {other}`", field.key));
        }
        options
    }

    fn field(&self, key: &str) -> Option<&'a Field> {
        self.input.fields.iter().find(|field| field.key == key)
    }

    fn check_keys(&self, report: &mut Report) {
        for (index, field) in self.input.fields.iter().enumerate() {
            let name = field.key.to_string();
            if !KEYS.contains(&name.as_str()) {
                let hint = match nearest(&name, KEYS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("expected one of {}", KEYS.join(", ")),
                };
                report.at(&field.key, format!("unknown key `{name}`; {hint}"));
            }
            let before = self.input.fields.iter().take(index);
            if before.into_iter().any(|other| other.key == field.key) {
                report.at(&field.key, format!("`{name}` is given twice"));
            }
        }
        let origins: Vec<&Field> =
            ["wavelet", "file", "definition"].iter().filter_map(|key| self.field(key)).collect();
        if origins.is_empty() {
            let message = "one of `wavelet`, `file` and `definition` is needed";
            report.at(&self.input.name, message);
        }
        for second in origins.iter().skip(1) {
            let message = format!("the wavelet is already given by `{}`", origins[0].key);
            report.at(&second.key, message);
        }
    }

    fn origin(&self, report: &mut Report) -> Option<Origin> {
        if let Some(field) = self.field("wavelet") {
            let name = text(field, report)?.value();
            return match catalogue::wavelet(&name) {
                Ok(wavelet) => {
                    let source = wavelet.name().to_owned();
                    Some(Origin { wavelet, source, file: None, definition: Definition::Catalogue })
                }
                Err(unknown) => {
                    report.at(&field.value, unknown);
                    None
                }
            };
        }
        if let Some(field) = self.field("file") {
            return from_file(text(field, report)?, report);
        }
        let field = self.field("definition")?;
        let fallback = self.input.name.to_string();
        let (in_place, text) = match &field.value {
            Value::Table(_, fields) => {
                let in_place = InPlace::new(fields);
                let text = in_place.text.clone();
                (Some(in_place), text)
            }
            Value::Text(literal) => (None, literal.value()),
            other => {
                report.at(other, "expected `{ … }` or a string with the keys of a definition file");
                return None;
            }
        };
        match (definition::parse(&text, &fallback), in_place) {
            (Ok(wavelet), _) => {
                let source = format!("{}.toml", wavelet.name());
                Some(Origin { wavelet, source, file: None, definition: Definition::Text(text) })
            }
            (Err(errors), Some(in_place)) => {
                in_place.report(&errors, &field.value, report);
                None
            }
            (Err(errors), None) => {
                for problem in errors.problems() {
                    report.at(&field.value, problem);
                }
                None
            }
        }
    }

    /// The request; `None` if anything was wrong.
    pub fn request(&self, docs: Vec<String>) -> Option<Request> {
        let origin = self.origin.as_ref()?;
        let dims = self.dims.unwrap_or(1);
        let defaults = Request::new(origin.wavelet.clone(), dims);
        let mode = self.mode.unwrap_or(defaults.mode);
        // Code that allocates nothing is compiled for what every machine of the target has.
        let scheme = match self.allocates {
            true => vectorised_scheme(&origin.wavelet, dims, mode),
            false => defaults.scheme,
        };
        Some(Request {
            source: origin.source.clone(),
            scheme: self.scheme.unwrap_or(scheme),
            mode,
            levels: self.levels.unwrap_or(defaults.levels),
            element: self.element.unwrap_or(defaults.element),
            name: self.input.name.to_string(),
            docs,
            visibility: self.input.visibility.to_token_stream().to_string(),
            support: format!("__waveloom_{}", names::identifier(&self.input.name.to_string())),
            allocates: self.allocates,
            library: Some("::waveloom".to_owned()),
            ndarray: self.views.then(|| "::waveloom::ndarray".to_owned()),
            ..defaults
        })
    }

    /// The request for CUDA; `None` if anything was wrong.
    pub fn cuda(&self, docs: Vec<String>) -> Option<ItemsRequest<'_>> {
        let origin = self.origin.as_ref()?;
        let defaults = CudaRequest::new(&origin.wavelet, self.dims.unwrap_or(1));
        let strategy = self.strategy.unwrap_or(defaults.strategy);
        Some(ItemsRequest {
            cuda: CudaRequest {
                source: &origin.source,
                scheme: self.scheme.unwrap_or(defaults.scheme),
                element: self.element.unwrap_or(defaults.element),
                levels: self.levels.unwrap_or(1),
                strategy,
                options: format!("--strategy {}", strategy.name()),
                ..defaults
            },
            definition: origin.definition.clone(),
            mode: self.mode.unwrap_or(origin.wavelet.default_mode()),
            levels: self.levels.unwrap_or(1),
            name: self.input.name.to_string(),
            docs,
            visibility: self.input.visibility.to_token_stream().to_string(),
        })
    }

    /// Reports what the generator of CUDA refuses at the key that is to blame.
    pub fn blame_cuda(&self, error: &ItemsError, report: &mut Report) {
        let keys: &[&str] = match error {
            ItemsError::Program(ProgramError::Scheme(_)) => &["scheme", "dims"],
            ItemsError::Program(ProgramError::Lower(LowerError::Element { .. })) => &["element"],
            ItemsError::Program(ProgramError::Proof(_)) => &["strategy", "scheme", "dims"],
            ItemsError::Program(ProgramError::Axes { .. }) => &["dims"],
            ItemsError::Program(_) => &["scheme"],
            ItemsError::Mode(_) => &["mode"],
            ItemsError::Definition(_) => &[],
            ItemsError::Name { .. } => &[],
            ItemsError::Strategy => &["strategy"],
        };
        self.blame_first(keys, error, report);
    }

    /// Reports what the generator refuses at the key that is to blame.
    pub fn blame(&self, error: &EmitError, report: &mut Report) {
        let keys: &[&str] = match error {
            EmitError::Scheme(_) | EmitError::TooManyOperations { .. } => &["scheme", "dims"],
            EmitError::Pipeline(PipelineError::Lower(LowerError::Element { .. })) => &["element"],
            EmitError::Pipeline(_) => &["scheme"],
            EmitError::Mode(_) => &["mode"],
            EmitError::Dimensions { .. } => &["dims"],
            EmitError::Levels { .. } => &["levels"],
            EmitError::NoRoom { .. } => &["element", "levels"],
            EmitError::Name { .. } | EmitError::Unparsable { .. } => &[],
        };
        self.blame_first(keys, error, report);
    }

    /// The first of the keys that is given, else the wavelet, else the name.
    fn blame_first(&self, keys: &[&str], error: &dyn std::fmt::Display, report: &mut Report) {
        let wavelet = ["wavelet", "file", "definition"];
        let field = keys.iter().chain(&wavelet).find_map(|key| self.field(key));
        match field {
            Some(field) => report.at(&field.value, error),
            None => report.at(&self.input.name, error),
        }
    }
}

fn from_file(path: &syn::LitStr, report: &mut Report) -> Option<Origin> {
    let relative = path.value();
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let file = PathBuf::from(root).join(&relative);
    let content = match std::fs::read_to_string(&file) {
        Ok(content) => content,
        Err(error) => {
            report.at(path, format!("cannot read '{relative}': {error}"));
            return None;
        }
    };
    let fallback = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    match definition::parse(&content, &fallback.unwrap_or_default()) {
        Ok(wavelet) => {
            let definition = Definition::Text(content);
            Some(Origin { wavelet, source: relative, file: Some(file), definition })
        }
        Err(errors) => {
            for problem in errors.problems() {
                report.at(path, format!("{relative}, {problem}"));
            }
            None
        }
    }
}

fn text<'a>(field: &'a Field, report: &mut Report) -> Option<&'a syn::LitStr> {
    match &field.value {
        Value::Text(text) => Some(text),
        other => {
            report.at(other, format!("`{}` is a string", field.key));
            None
        }
    }
}

fn whole(field: &Field, report: &mut Report) -> Option<usize> {
    let number = match &field.value {
        Value::Number(number) => number.text.parse().ok(),
        _ => None,
    };
    if number.is_none() {
        report.at(&field.value, format!("`{}` is a whole number", field.key));
    }
    number
}

/// One of several words, given as a word or as a string; `-` and `_` are the same.
fn one_of<T: Copy>(field: &Field, words: &[(String, T)], report: &mut Report) -> Option<T> {
    let given = match &field.value {
        Value::Word(word) => word.to_string(),
        Value::Text(text) => text.value(),
        other => other.to_token_stream().to_string(),
    };
    let normal = given.replace('-', "_");
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == normal) {
        return Some(*value);
    }
    let names = || words.iter().map(|(word, _)| word.as_str());
    let hint = match nearest(&normal, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected one of {}", names().collect::<Vec<_>>().join(", ")),
    };
    report.at(&field.value, format!("unknown {} `{given}`; {hint}", field.key));
    None
}
