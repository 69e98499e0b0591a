//! Calls with slices of the host for plans on a card.

use super::{Shared, Workspace};
use crate::device::{DeviceTransform, HostTransfer};
use crate::element::Element;
use crate::error::ExecuteError;
use waveloom_codegen::kernel::{Operation, Side};
use waveloom_host::Storage;

/// What a card's calls need, once there was one.
#[derive(Debug)]
pub(super) struct Transfer<T: Element> {
    allocated: Option<HostTransfer<T>>,
    /// Coefficients as the card has them, where that is not band after band.
    packed: Vec<T>,
}

impl<T: Element> Default for Transfer<T> {
    fn default() -> Self {
        Self { allocated: None, packed: Vec::new() }
    }
}

impl<T: Element> Clone for Transfer<T> {
    /// The copy allocates for itself when it is used.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Element> Transfer<T> {
    pub(super) fn run(
        &mut self,
        card: &DeviceTransform<T>,
        operation: Operation,
        input: &[T],
        output: &mut [T],
    ) -> Result<(), ExecuteError> {
        let transfer = match &mut self.allocated {
            Some(transfer) => transfer,
            empty => empty.insert(card.host_transfer()?),
        };
        let Some(packing) = card.packing() else {
            return Ok(card.execute_on_host(operation, input, output, transfer)?);
        };
        self.packed.resize(packing.len(), T::default());
        match operation.input() {
            Side::Signal => {
                card.execute_on_host(operation, input, &mut self.packed, transfer)?;
                packing.unpack(&self.packed, output)?;
            }
            Side::Bands => {
                packing.pack(input, &mut self.packed)?;
                card.execute_on_host(operation, &self.packed, output, transfer)?;
            }
        }
        Ok(())
    }
}

impl<T: Element> Shared<T> {
    /// Memory of the CPU's transforms.
    pub(super) fn storage(&self) -> Storage<T> {
        let mut operations = vec![&self.forward, &self.inverse];
        operations.extend(self.adjoints.iter().flatten());
        self.levels.storage(self.team.parts(), &operations)
    }
}

impl<T: Element> Workspace<T> {
    /// Memory of the CPU's transforms, made if a card's plan did without so far.
    pub(super) fn storage(&mut self) -> &mut Storage<T> {
        self.storage.get_or_insert_with(|| self.owner.storage())
    }
}

#[cfg(test)]
mod tests {
    use crate::device::Device;
    use crate::{ExecuteError, Plan, PlanError};
    use std::io::Write as _;
    use waveloom_codegen::gpu::{ProgramError, Strategy};
    use waveloom_codegen::kernel::Operation;
    use waveloom_wavelets::{Mode, catalogue};

    fn card() -> Option<Device> {
        Device::cuda(0)
            .inspect_err(|error| {
                let _ = writeln!(std::io::stderr(), "skipped: plans on a card: {error}");
            })
            .ok()
    }

    #[test]
    fn the_cpu_is_a_device() {
        let wavelet = catalogue::wavelet("rev53").unwrap();
        let builder = Plan::<i32>::builder(&wavelet, &[9]).strategy(Strategy::GLOBAL);
        let plan = builder.device(&Device::cpu()).build().unwrap();
        assert!(plan.device().is_cpu() && plan.on_card().is_none());
    }

    #[test]
    fn both_devices_agree_bit_for_bit_on_integers() {
        let Some(card) = card() else { return };
        let wavelet = catalogue::wavelet("rev53").unwrap();
        let builder = || Plan::<i32>::builder(&wavelet, &[37, 50]).levels(3).mode(Mode::Jpeg2000);
        let host = builder().build().unwrap();
        let signal: Vec<i32> = (0..37 * 50).map(|i| (i * 7919) % 1001 - 500).collect();
        let mut expected = vec![0; host.coefficient_len()];
        host.forward(&signal, &mut expected, &mut host.workspace()).unwrap();
        let aligned = [("stream, rows aligned", Strategy::STREAM)];
        for (name, strategy) in Strategy::NAMED.into_iter().chain(aligned) {
            let mut builder = builder().device(&card).strategy(strategy);
            if name == aligned[0].0 {
                builder = builder.align_rows(8);
            }
            let plan = match builder.build() {
                // What a rounded lifting with neighbours has no kernels of; and its steps cannot be split.
                Err(PlanError::Program(error @ ProgramError::Proof(_))) => {
                    assert!(matches!(name, "global-taps" | "mixed"), "{name}: {error}");
                    continue;
                }
                Err(PlanError::Program(error @ ProgramError::Scheme(_))) => {
                    assert!(strategy.split, "{name}: {error}");
                    continue;
                }
                made => made.unwrap(),
            };
            let mut workspace = plan.workspace();
            let gaps = plan.on_card().unwrap().coefficient_len() > plan.coefficient_len();
            assert_eq!(gaps, name == aligned[0].0, "{name}");
            let mut got = vec![0; plan.coefficient_len()];
            plan.forward(&signal, &mut got, &mut workspace).unwrap();
            assert_eq!(got, expected, "{name}");
            let mut back = vec![0; plan.signal_len()];
            plan.inverse(&got, &mut back, &mut workspace).unwrap();
            assert_eq!(back, signal, "{name}");
            // Far beyond the bound: the CPU watches.
            let most = vec![i32::MAX; plan.coefficient_len()];
            let error = plan.inverse(&most, &mut back, &mut workspace).unwrap_err();
            assert_eq!(error, ExecuteError::Overflow { element: "i32" });
            let error = plan.adjoint(&got, &mut back, &mut workspace).unwrap_err();
            assert_eq!(error, ExecuteError::NoAdjoint);
        }
    }

    #[test]
    fn workspaces_serve_threads_and_streams_at_once() {
        let Some(card) = card() else { return };
        let (one, two) =
            (catalogue::wavelet("db4").unwrap(), catalogue::wavelet("bior4.4").unwrap());
        let signal: Vec<f32> = (0..5000).map(|i| ((i * 37) % 101) as f32).collect();
        std::thread::scope(|scope| {
            for wavelet in [&one, &two, &one, &two] {
                let (card, signal) = (&card, &signal);
                scope.spawn(move || {
                    let builder = || Plan::<f32>::builder(wavelet, &[50, 100]).levels(2);
                    let host = builder().build().unwrap();
                    let plan = builder().device(card).build().unwrap();
                    let mut workspace = plan.workspace();
                    for operation in [Operation::Forward, Operation::AdjointInverse] {
                        let mut expected = vec![0.0; host.coefficient_len()];
                        host.execute(operation, signal, &mut expected, &mut host.workspace())
                            .unwrap();
                        for _ in 0..5 {
                            let mut got = vec![f32::NAN; plan.coefficient_len()];
                            plan.execute(operation, signal, &mut got, &mut workspace).unwrap();
                            let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-2;
                            assert!(expected.iter().zip(&got).all(close));
                        }
                    }
                });
            }
        });
    }
}
