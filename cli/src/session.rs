//! What the commands of one process share: the device, and wavelets and plans already made.

use crate::args::Norm;
use crate::error::{Failure, Outcome};
use std::any::Any;
use std::collections::BTreeMap;
use std::path::{MAIN_SEPARATOR, Path};
use std::rc::Rc;
use waveloom::device::{Device, Selection};
use waveloom::wavelets::catalogue::HaarNorm;
use waveloom::wavelets::definition::{self, DefinitionErrors};
use waveloom::wavelets::{Wavelet, catalogue};

/// At most this many plans are kept.
const MOST_PLANS: usize = 64;

/// A wavelet, how it was asked for, and the text that defines it if the catalogue does not.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The wavelet.
    pub wavelet: Rc<Wavelet>,
    /// The name to store: that of the catalogue or of the definition.
    pub name: String,
    /// The definition file's text.
    pub definition: Option<String>,
    /// Normalisation asked for.
    pub norm: Option<Norm>,
}

/// See the module's text.
pub struct Session {
    /// Where to compute.
    pub device: Selection,
    opened: Vec<(Selection, Device)>,
    catalogue: BTreeMap<String, Rc<Wavelet>>,
    plans: BTreeMap<String, Rc<dyn Any>>,
}

impl Session {
    /// A session without wavelets or plans yet.
    pub fn new(device: Selection) -> Self {
        Self { device, opened: Vec::new(), catalogue: BTreeMap::new(), plans: BTreeMap::new() }
    }

    /// The device asked for, opened once.
    pub fn open_device(&mut self) -> Outcome<Device> {
        let known = self.opened.iter().find(|(selection, _)| *selection == self.device);
        if let Some((_, device)) = known {
            return Ok(device.clone());
        }
        let device =
            Device::select(self.device).map_err(|error| Failure::of_option("--device", error))?;
        self.opened.push((self.device, device.clone()));
        Ok(device)
    }

    /// The wavelet that a word of the command line means: a definition file if it looks like a
    /// path, else a name of the catalogue.
    pub fn wavelet(&mut self, word: &str, norm: Option<Norm>) -> Outcome<Chosen> {
        if word.ends_with(".toml") || word.contains(MAIN_SEPARATOR) {
            let path = Path::new(word);
            return Self::defined(read_definition(path)?, fallback_name(path), path, norm);
        }
        self.catalogued(word, norm)
    }

    /// The wavelet of a name of the catalogue, and nothing else: what a data file names must not make
    /// the program open other files.
    pub fn catalogued(&mut self, name: &str, norm: Option<Norm>) -> Outcome<Chosen> {
        let wavelet = self.named(name)?;
        let name = wavelet.name().to_owned();
        if norm.is_some() && !matches!(name.as_str(), "haar" | "db1") {
            let message = format!("is defined for the Haar wavelet (haar, db1), not for {name}");
            return Err(Failure::of_option("--norm", message));
        }
        let wavelet = match norm {
            None | Some(Norm::Ortho) => wavelet,
            Some(Norm::Lifting) => Rc::new(catalogue::haar(HaarNorm::Lifting)),
        };
        Ok(Chosen { wavelet, name, definition: None, norm })
    }

    /// The wavelet of a definition's text, which came from `file`; `fallback_name` is its name if
    /// the text gives none.
    pub fn defined(
        text: String,
        fallback_name: &str,
        file: &Path,
        norm: Option<Norm>,
    ) -> Outcome<Chosen> {
        if norm.is_some() {
            let message = "is defined for the Haar wavelet (haar, db1), not for a definition file";
            return Err(Failure::of_option("--norm", message));
        }
        let wavelet = definition::parse(&text, fallback_name)
            .map_err(|errors| Failure::of_file(file, errors))?;
        let name = wavelet.name().to_owned();
        Ok(Chosen { wavelet: Rc::new(wavelet), name, definition: Some(text), norm })
    }

    fn named(&mut self, name: &str) -> Outcome<Rc<Wavelet>> {
        if let Some(wavelet) = self.catalogue.get(name) {
            return Ok(Rc::clone(wavelet));
        }
        let wavelet = catalogue::wavelet(name).map_err(|error| {
            let hint = "'waveloom list' shows all names; a definition file ends in .toml";
            Failure::of_option("--wavelet", format!("{error} ({hint})"))
        })?;
        let wavelet = Rc::new(wavelet);
        self.catalogue.insert(name.to_owned(), Rc::clone(&wavelet));
        Ok(wavelet)
    }

    /// The plan kept under `key`, or a new one. The key must tell everything that `make` depends
    /// on, the element type included.
    pub fn plan<P: 'static>(
        &mut self,
        key: String,
        make: impl FnOnce() -> Outcome<P>,
    ) -> Outcome<Rc<P>> {
        if let Some(kept) = self.plans.get(&key)
            && let Ok(plan) = Rc::clone(kept).downcast::<P>()
        {
            return Ok(plan);
        }
        let plan = Rc::new(make()?);
        if self.plans.len() >= MOST_PLANS {
            self.plans.clear();
        }
        self.plans.insert(key, plan.clone());
        Ok(plan)
    }
}

/// Reads a definition file as text.
pub fn read_definition(path: &Path) -> Outcome<String> {
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, error))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::of_file(path, "is no text file (UTF-8); expected a wavelet definition")
    })
}

/// Parses a definition; its file's name stands in for a missing `name`.
pub fn parse_definition(text: &str, path: &Path) -> Result<Wavelet, DefinitionErrors> {
    definition::parse(text, fallback_name(path))
}

fn fallback_name(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("custom")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_made_once() {
        let mut session = Session::new(Selection::Cpu);
        let first = session.plan("k".to_owned(), || Ok(1_u8)).unwrap();
        let again = session.plan("k".to_owned(), || Ok(2_u8)).unwrap();
        assert_eq!((*first, *again), (1, 1));
        let failed = session.plan::<u8>("other".to_owned(), || Err(Failure::plain("no")));
        assert!(failed.is_err());
        for i in 0..2 * MOST_PLANS {
            assert_eq!(*session.plan(format!("{i}"), || Ok(i)).unwrap(), i);
        }
    }

    #[test]
    fn norms_belong_to_haar() {
        let mut session = Session::new(Selection::Cpu);
        let lifting = session.wavelet("db1", Some(Norm::Lifting)).unwrap();
        assert_eq!((lifting.name.as_str(), lifting.norm), ("db1", Some(Norm::Lifting)));
        let low = lifting.wavelet.bank().analysis_low().taps().to_vec();
        assert_eq!(low, [0.5, 0.5]);
        assert!(session.wavelet("db2", Some(Norm::Ortho)).is_err());
    }

    #[test]
    fn unknown_names_have_a_hint() {
        let error = Session::new(Selection::Cpu).wavelet("db39", None).unwrap_err().to_string();
        assert!(error.contains("db39") && error.contains("db3"), "{error}");
    }
}
