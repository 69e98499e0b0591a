//! What can be asked for, and the list of steps that answers it.

use super::blocks::Blocks;
use super::kernel::Written;
use super::problem::{EmitError, bound, operations, problems};
use super::schedule::Schedule;
use super::transform::Names;
use super::{Plan, Ring, across, error, extension, flow, geometry, support, transform, view};
use crate::emit::header::Provenance;
use crate::kernel::Element;
use crate::pipeline::Prepared;
use proc_macro2::TokenStream;
use quote::quote;
use std::str::FromStr;
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
    /// Its visibility: `pub`, `pub(crate)`, or nothing.
    pub visibility: String,
    /// Name of the module that holds everything that is not public.
    pub support: String,
    /// Whether memory is allocated. Or else it is lent, as a slice: the text then needs no allocator.
    pub allocates: bool,
    /// Path of the `waveloom` crate, if inner loops may be compiled for several machines and chosen by it
    /// when they run. Without it, or where nothing may be allocated, the text has only what every
    /// machine of the target has.
    pub library: Option<String>,
    /// Path of the ndarray crate, if methods on views are wanted; they allocate, and are left out where
    /// nothing may. Without it the text depends on nothing.
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
            visibility: "pub".to_owned(),
            support: "support".to_owned(),
            allocates: true,
            library: None,
            ndarray: None,
        }
    }

    /// Whether products and sums are one operation where the machine has it: only the library knows when
    /// the code runs, and integers have no such operation.
    pub(super) fn fuses(&self) -> bool {
        self.library.is_some() && self.allocates && !self.element.is_integer()
    }
}

/// A generated module.
#[derive(Clone, Debug)]
pub struct Module {
    header: Vec<String>,
    tokens: TokenStream,
}

impl Module {
    /// The items: the type, its bands and errors, and the module of what is not public. They may stand
    /// anywhere.
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

/// Writes the module of a request.
///
/// ```
/// use waveloom_codegen::emit::rust::{Request, module};
/// use waveloom_wavelets::catalogue;
///
/// let request = Request { levels: 2, ..Request::new(catalogue::wavelet("bior4.4")?, 2) };
/// let text = module(&request)?.text()?;
/// assert!(text.contains("pub struct Bior4p4 {"));
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
        lent: !request.allocates,
    };
    let mut plan = plan(request)?;
    let operations: Vec<&Prepared> = plan.operations.iter().collect();
    let mut header = provenance.lines(&operations);
    // Beside buffers, a line's block has two planes as loaded and both outputs.
    let buffers = plan.buffers + if plan.separable { 4 } else { 0 };
    let memory = buffers * plan.blocks.values() * request.element.bytes();
    header.push(format!("memory of a block: {memory} bytes"));
    plan.docs = docs(request, &header);
    let visibility = TokenStream::from_str(&request.visibility).unwrap_or_default();
    let names = Names::new(&request.name, &request.support, visibility);
    Ok(Module { header, tokens: tokens(request, &plan, &names)? })
}

/// Every decision, in order.
fn plan(request: &Request) -> Result<Plan, EmitError> {
    if let Some(problem) = problems(request).into_iter().next() {
        return Err(problem);
    }
    let separable = !request.scheme.is_nonseparable();
    let operations = operations(request)?;
    let flow = flow(request, &operations);
    let (buffers, blocks) = {
        let written: Vec<Written> =
            operations.iter().map(|one| Written::new(one, flow.is_some())).collect();
        let halo = |axis: usize| written.iter().map(|one| one.halo(axis)).max().unwrap_or_default();
        let blocks = match separable {
            true => Blocks::lines(halo(0), request.dims),
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
        last_first: last_first(request),
        ring: (separable && request.dims > 1).then(|| ring(&operations)),
        operations,
        buffers,
        blocks,
        flow,
        bound: bound(request),
        allocates: request.allocates,
        views: request
            .ndarray
            .as_ref()
            .filter(|_| request.allocates)
            .and_then(|path| TokenStream::from_str(path).ok()),
        library: request
            .library
            .as_ref()
            .filter(|_| request.allocates)
            .and_then(|path| TokenStream::from_str(path).ok()),
    })
}

/// Whether the forward transform begins with the last axis, and whether the inverse does. Unless results
/// are rounded, axes commute, and both do: lines then go through the cache once.
fn last_first(request: &Request) -> [bool; 2] {
    if !request.wavelet.is_rounded() {
        return [true; 2];
    }
    let forward = request.wavelet.axis_list(request.dims).first() != Some(&0);
    [forward, !forward]
}

/// Places by which planes are moved, if lines pass through stages in registers: where the library has
/// them, and unless there is one sum instead of stages.
fn flow(request: &Request, operations: &[Prepared]) -> Option<usize> {
    let staged = matches!(request.scheme, SchemeKind::Lattice | SchemeKind::Lifting);
    if !request.fuses() || request.dims != 1 || !staged {
        return None;
    }
    let delays = |one: &Prepared| Some(flow::flow(&Schedule::new(one))?.delays);
    let delays: Vec<usize> = operations.iter().map(delays).collect::<Option<_>>()?;
    delays.into_iter().max()
}

/// The lines that any operation needs.
fn ring(operations: &[Prepared]) -> Ring {
    let schedules: Vec<Schedule> = operations.iter().map(Schedule::new).collect();
    Ring {
        window: schedules.iter().map(Schedule::window).max().unwrap_or(1),
        carried: schedules.iter().map(Schedule::lines).max().unwrap_or_default(),
        pairs: across::pairs(&schedules),
    }
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
    let written: Vec<Written> =
        plan.operations.iter().map(|one| Written::new(one, plan.flow.is_some())).collect();
    let kernels =
        written.iter().map(|one| one.item(plan.buffers, plan.ring.map(|ring| ring.pairs)));
    let arithmetic = extension::arithmetic(plan.element);
    let constants = transform::constants(plan);
    let keys = transform::keys(plan);
    let public = transform::items(plan, names);
    let error_type = error::item(plan, names);
    let geometry = geometry::items(&request.wavelet.frame(), request.mode)?;
    let extension = extension::items(&request.wavelet, request.mode, request.element);
    let code = support::code(plan)?;
    let views = match &plan.views {
        Some(path) => {
            let (types, code) = (view::support(plan, path), support::views()?);
            quote!(#types #code)
        }
        None => TokenStream::new(),
    };
    let (alloc, vector) = match plan.allocates {
        true => (
            quote!(
                pub extern crate alloc;
            ),
            quote!(
                use alloc::vec::Vec;

                /// Memory of its own.
                pub type Owned<T> = Vec<T>;
            ),
        ),
        false => (TokenStream::new(), TokenStream::new()),
    };
    let Names { support: module, band, error, .. } = names;
    Ok(quote! {
        #public
        #error_type

        /// The code behind the type.
        #[allow(missing_docs, unreachable_pub, unused_qualifications, clippy::all, clippy::pedantic)]
        mod #module {
            #alloc
            use super::{#band as Band, #error as Error};
            #vector

            #arithmetic
            #constants
            #keys
            #geometry
            #extension
            #code
            #views
            #(#kernels)*
        }
    })
}
