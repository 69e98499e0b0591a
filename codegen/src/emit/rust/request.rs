//! What can be asked for, and the list of steps that answers it.

use super::blocks::Blocks;
use super::kernel::Written;
use super::transform::Names;
use super::{Plan, extension, geometry, level, transform, view};
use crate::bound;
use crate::emit::header::Provenance;
use crate::kernel::{Element, LowerError};
use crate::pipeline::{PipelineError, Prepared, Target, prepare};
use proc_macro2::TokenStream;
use quote::quote;
use std::str::FromStr;
use waveloom_wavelets::geometry::{Decomposition, GeometryError};
use waveloom_wavelets::scheme::SchemeError;
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// What is fixed when the code is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The wavelet.
    pub wavelet: Wavelet,
    /// How the command line names it: a catalogue name or a definition file.
    pub source: String,
    /// The algorithm.
    pub scheme: SchemeKind,
    /// Number of axes, 1 to 3.
    pub dims: usize,
    /// The extension mode.
    pub mode: Mode,
    /// Number of levels; 0 copies.
    pub levels: usize,
    /// The element type.
    pub element: Element,
    /// Name of the type; its bands and its errors are named after it.
    pub name: String,
    /// Documentation that comes before the generated one, one line each.
    pub docs: Vec<String>,
    /// Path of the ndarray crate, if methods on views are wanted. Without it the text depends on
    /// nothing.
    pub ndarray: Option<String>,
}

impl Request {
    /// Everything by default: the wavelet's own mode and scheme, one level, `f32` (`i32` for integer
    /// wavelets), a type named after the wavelet, no views.
    pub fn new(wavelet: Wavelet, dims: usize) -> Self {
        let source = wavelet.name().to_owned();
        let element = if wavelet.is_rounded() { Element::I32 } else { Element::F32 };
        Self {
            scheme: wavelet.default_scheme(dims),
            mode: wavelet.default_mode(),
            name: crate::emit::names::type_name(&source),
            source,
            dims,
            levels: 1,
            element,
            wavelet,
            docs: Vec::new(),
            ndarray: None,
        }
    }
}

/// Why a request cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EmitError {
    /// The scheme does not exist.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The scheme cannot be written in this element type.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The mode does not fit the wavelet.
    #[error(transparent)]
    Mode(#[from] GeometryError),
    /// Only 1 to 3 axes.
    #[error("1, 2 or 3 dimensions can be written, not {dims}")]
    Dimensions {
        /// What was asked for.
        dims: usize,
    },
    /// More levels than any array can have.
    #[error("{levels} levels were asked for; at most {} are possible", Decomposition::MOST_LEVELS)]
    Levels {
        /// What was asked for.
        levels: usize,
    },
    /// Too much to unroll.
    #[error(
        "{scheme} in {dims} dimensions has {operations} operations to unroll, more than the limit of {limit}; {alternative} has fewer"
    )]
    TooManyOperations {
        /// The scheme.
        scheme: SchemeKind,
        /// Number of axes.
        dims: usize,
        /// Its operations, in the largest of its kernels.
        operations: usize,
        /// The limit.
        limit: usize,
        /// A scheme with fewer.
        alternative: SchemeKind,
    },
    /// A name that Rust does not take.
    #[error("'{name}' is not a name that a Rust {what} can have")]
    Name {
        /// What it should name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An integer transform of which even the smallest input could overflow.
    #[error(
        "{levels} levels of {wavelet} can overflow {} whatever the input; a wider element type is needed",
        element.name()
    )]
    NoRoom {
        /// The wavelet.
        wavelet: String,
        /// Number of levels.
        levels: usize,
        /// The element type.
        element: Element,
    },
    /// The text does not parse: a defect of the writer. The text shows where.
    #[error("the generated text does not parse ({reason}):\n{text}")]
    Unparsable {
        /// What the parser says.
        reason: String,
        /// The text.
        text: String,
    },
}

/// A generated module.
#[derive(Clone, Debug)]
pub struct Module {
    header: Vec<String>,
    tokens: TokenStream,
    /// Names that it makes public: the type, its bands, its errors.
    pub public: [String; 3],
}

impl Module {
    /// The items, to stand in a module of their own.
    pub fn tokens(&self) -> &TokenStream {
        &self.tokens
    }

    /// The formatted text of a file, provenance and cost at its head.
    pub fn text(&self) -> Result<String, EmitError> {
        let parsed = syn::parse2::<syn::File>(self.tokens.clone()).map_err(|error| {
            EmitError::Unparsable { reason: error.to_string(), text: self.tokens.to_string() }
        })?;
        let mut text = String::new();
        for line in &self.header {
            text.push_str(if line.is_empty() { "//" } else { "// " });
            text.push_str(line);
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&prettyplease::unparse(&parsed));
        Ok(text)
    }
}

/// More operations than this are not unrolled into one kernel.
const MOST_OPERATIONS: usize = 20_000;

const LINE: &str = include_str!("support/line.rs");
const SEPARABLE: &str = include_str!("support/separable.rs");
const NONSEPARABLE: &str = include_str!("support/nonseparable.rs");
const TRANSFORM: &str = include_str!("support/transform.rs");

/// Writes the module of a request.
///
/// ```
/// use waveloom_codegen::emit::rust::{Request, module};
/// use waveloom_wavelets::catalogue;
///
/// let request = Request { levels: 2, ..Request::new(catalogue::wavelet("bior4.4")?, 2) };
/// let text = module(&request)?.text()?;
/// assert!(text.contains("pub fn forward(&mut self, signal: &[Sample], coefficients: &mut [Sample])"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn module(request: &Request) -> Result<Module, EmitError> {
    let provenance = Provenance {
        source: &request.source,
        wavelet: &request.wavelet,
        scheme: request.scheme,
        target: "rust",
        dims: request.dims,
        mode: Some(request.mode),
        element: request.element,
        levels: Some(request.levels),
    };
    let mut plan = plan(request)?;
    let operations: Vec<&Prepared> = plan.operations.iter().collect();
    let mut header = provenance.lines(&operations);
    let memory = plan.buffers * plan.blocks.values() * request.element.bytes();
    header.push(format!("memory of a block: {memory} bytes"));
    plan.docs = docs(request, &header);
    let names = Names::new(&request.name);
    let tokens = tokens(request, &plan, &names)?;
    let Names { transform, band, error } = names;
    Ok(Module { header, tokens, public: [transform, band, error].map(|name| name.to_string()) })
}

/// Everything that stands in the way of writing a request, not only the first.
pub fn problems(request: &Request) -> Vec<EmitError> {
    let mut problems = Vec::new();
    let mut note = |problem: Option<EmitError>| problems.extend(problem);
    let dims_legal = (1..=3).contains(&request.dims);
    note((!dims_legal).then_some(EmitError::Dimensions { dims: request.dims }));
    let most = Decomposition::MOST_LEVELS;
    let levels_legal = request.levels <= most;
    note((!levels_legal).then_some(EmitError::Levels { levels: request.levels }));
    let is_name = syn::parse_str::<syn::Ident>(&request.name).is_ok();
    note((!is_name).then(|| EmitError::Name { what: "type", name: request.name.clone() }));
    let path = request.ndarray.as_ref().filter(|path| syn::parse_str::<syn::Path>(path).is_err());
    note(path.map(|path| EmitError::Name { what: "path", name: path.clone() }));
    note(geometry::items(&request.wavelet.frame(), request.mode).err().map(EmitError::Mode));
    let fits = request.element.is_integer() == request.wavelet.is_rounded();
    let element = LowerError::Element { element: request.element };
    note((!fits).then(|| EmitError::Pipeline(PipelineError::Lower(element))));
    if dims_legal {
        let written = operations(request).and_then(|all| check_size(request, &all));
        let known = |error: &EmitError| {
            matches!(error, EmitError::Pipeline(PipelineError::Lower(LowerError::Element { .. })))
        };
        note(written.err().filter(|error| !known(error)));
        let room = if levels_legal { bound(request) } else { None };
        note((room == Some(0)).then(|| EmitError::NoRoom {
            wavelet: request.wavelet.name().to_owned(),
            levels: request.levels,
            element: request.element,
        }));
    }
    problems
}

/// The kernels of all operations.
fn operations(request: &Request) -> Result<Vec<Prepared>, EmitError> {
    let Request { wavelet, scheme, dims, element, .. } = request;
    // Asked first for all axes, so that a kind that does not exist there is refused.
    let whole = wavelet.scheme(*scheme, *dims)?;
    let line = match scheme.is_nonseparable() {
        false => wavelet.scheme(scheme.one_dimensional(), 1)?,
        true => whole,
    };
    Plan::operations(line.is_rounded())
        .iter()
        .map(|operation| Ok(prepare(&line, *operation, *element, &Target::rust())?))
        .collect()
}

fn bound(request: &Request) -> Option<i64> {
    let Request { wavelet, dims, levels, mode, element, .. } = request;
    bound::largest_input(wavelet, *dims, *levels, *mode, *element)
}

/// Every decision, in order.
fn plan(request: &Request) -> Result<Plan, EmitError> {
    if let Some(problem) = problems(request).into_iter().next() {
        return Err(problem);
    }
    let separable = !request.scheme.is_nonseparable();
    let operations = operations(request)?;
    let (buffers, blocks) = {
        let written: Vec<Written> = operations.iter().map(Written::new).collect();
        let halo = |axis: usize| written.iter().map(|one| one.halo(axis)).max().unwrap_or_default();
        let blocks = match separable {
            true => Blocks::lines(halo(0)),
            false => Blocks::boxes(&(0..request.dims).map(halo).collect::<Vec<_>>()),
        };
        (written.iter().map(Written::buffers).max().unwrap_or_default(), blocks)
    };
    Ok(Plan {
        docs: Vec::new(),
        element: request.element,
        dims: request.dims,
        levels: request.levels,
        separable,
        order: request.wavelet.axis_list(request.dims),
        operations,
        buffers,
        blocks,
        bound: bound(request),
        views: request.ndarray.as_ref().and_then(|path| TokenStream::from_str(path).ok()),
    })
}

fn check_size(request: &Request, operations: &[Prepared]) -> Result<(), EmitError> {
    let largest = operations.iter().map(|one| one.counts().operations()).max().unwrap_or_default();
    if largest <= MOST_OPERATIONS {
        return Ok(());
    }
    Err(EmitError::TooManyOperations {
        scheme: request.scheme,
        dims: request.dims,
        operations: largest,
        limit: MOST_OPERATIONS,
        alternative: match request.scheme {
            SchemeKind::NonseparableLifting => SchemeKind::SeparableLifting,
            _ => SchemeKind::SeparableConvolution,
        },
    })
}

/// The documentation of the type.
fn docs(request: &Request, header: &[String]) -> Vec<String> {
    let levels = if request.levels == 1 {
        "1 level".to_owned()
    } else {
        format!("{} levels", request.levels)
    };
    let mut lines: Vec<String> = request.docs.clone();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(format!(
        " The {}-D wavelet transform of `{}` arrays with `{}`: {levels}, mode `{}`.",
        request.dims,
        request.element.name(),
        request.wavelet.name(),
        request.mode,
    ));
    lines.push(String::new());
    lines.push(" ```text".to_owned());
    let facts = header.iter().skip(1).filter(|line| !line.is_empty());
    lines.extend(facts.map(|line| format!(" {}", line.trim_start())));
    lines.push(" ```".to_owned());
    lines
}

fn tokens(request: &Request, plan: &Plan, names: &Names) -> Result<TokenStream, EmitError> {
    let written: Vec<Written> = plan.operations.iter().map(Written::new).collect();
    let kernels = written.iter().map(|one| one.item(plan.buffers));
    let arithmetic = extension::arithmetic(plan.element);
    let constants = transform::constants(plan);
    let error = transform::error(plan, names);
    let public = transform::items(plan, names);
    let views = plan.views.as_ref().map(|path| view::items(plan, names, path));
    let geometry = geometry::items(&request.wavelet.frame(), request.mode)?;
    let extension = extension::items(&request.wavelet, request.mode, request.element);
    let levels = plan.separable.then(|| level::items(plan.dims, &plan.order));
    let driver = if plan.separable { SEPARABLE } else { NONSEPARABLE };
    let (line, driver, common) = (support(LINE)?, support(driver)?, support(TRANSFORM)?);
    Ok(quote! {
        extern crate alloc;
        use alloc::vec::Vec;

        #public
        #error
        #views
        #arithmetic
        #constants
        #geometry
        #extension
        #common
        #levels
        #driver
        #line
        #(#kernels)*
    })
}

/// Support code as tokens.
fn support(text: &str) -> Result<TokenStream, EmitError> {
    TokenStream::from_str(text)
        .map_err(|error| EmitError::Unparsable { reason: error.to_string(), text: text.to_owned() })
}
