//! Several levels in one launch of strips, where a level's extension needs nothing that its own strip
//! does not have: where approximations go on by themselves as the next level wants them to (a period of
//! whole pairs), or not at all (zeros), or as copies of others that the strip has ([`super::between`]).

use super::super::abi::{Job, View};
use super::super::mapping::DEEP_DEPTH;
use super::super::proof::{ProofError, Proved, prove};
use super::super::strip::{Strip, cut};
use super::between::rows_kept;
use super::framed::Frame;
use super::levels::{alignments, anchor, go_round, goes_on, hull, offset};
use super::shapes::resident;
use super::{Array, Buffer, Builder, MappedKernel, ProgramError};
use crate::kernel::{Exchange, Margin, Side};
use waveloom_wavelets::extension::ExtensionKind;
use waveloom_wavelets::geometry::{AxisGeometry, Level, Span};

/// One level with its arrays.
pub(super) struct Tier {
    pub(super) geometry: Vec<AxisGeometry>,
    pub(super) signal: Array,
    pub(super) bands: Vec<Array>,
}

impl Tier {
    pub(super) fn new(level: &Level, signal: &Array, bands: Vec<Array>) -> Self {
        Self { geometry: level.axes.clone(), signal: signal.clone(), bands }
    }
}

/// Levels that run in one launch.
pub(super) struct Deep {
    pub(super) levels: usize,
    pub(super) kernel: usize,
    pub(super) jobs: Vec<Job>,
    /// What these leave out.
    pub(super) frame: Option<Frame>,
}

/// Registers of a strip's thread with which enough warps are resident.
const COMFORTABLE: usize = 128;

impl Builder<'_> {
    /// As many of the first levels as run in one launch; `None` if that is only one.
    pub(super) fn deep(&mut self, tiers: &[Tier]) -> Result<Option<Deep>, ProgramError> {
        let strategy = self.request.strategy;
        let axes = self.request.axes.len();
        if strategy.exchange != Exchange::Stream
            || self.request.kind.is_nonseparable()
            || !(1..=2).contains(&axes)
        {
            return Ok(None);
        }
        if let Some(deep) = self.stretched(tiers)? {
            return Ok(Some(deep));
        }
        let most = if axes == 1 { 3 } else { 2 };
        let wanted = strategy.deep.map_or(most, |deep| deep.min(most as u32) as usize);
        // Short lines of a batch are walked, a level at a time.
        let long = match (axes, strategy.deep) {
            (1, None) => tiers.iter().take_while(|tier| !self.is_batch(&tier.signal)).count(),
            _ => tiers.len(),
        };
        let possible = self.handed(tiers).min(wanted).min(long);
        for levels in (2..=possible).rev() {
            if let Some(deep) = self.strips_of(&tiers[..levels], false)? {
                return Ok(Some(deep));
            }
        }
        if most == 2 && wanted == 2 && tiers.len() > 1 && possible == 1 {
            let meeting = match self.meets(&tiers[..2]) {
                true => self.strips_of(&tiers[..2], true)?,
                false => None,
            };
            return match meeting {
                Some(deep) => Ok(Some(deep)),
                None => self.framed(tiers),
            };
        }
        Ok(None)
    }

    /// How many levels could follow each other in one strip, as far as their geometry goes.
    fn handed(&self, tiers: &[Tier]) -> usize {
        let (request, operation) = (self.request, self.request.operation);
        let last = request.axes.iter().max().copied().unwrap_or(0);
        let plain = |tier: &Tier| {
            let order = self.order();
            let crossing =
                order.len() == 1 || self.crossing(&tier.geometry, &tier.signal, &order) == Some(0);
            let some =
                tier.geometry.iter().all(|axis| axis.single.is_none() && axis.signal.len > 0);
            let contiguous = tier.signal.shape[last + 1..].iter().all(|n| *n == 1);
            // Outputs beyond the ends are folded back level by level.
            let folded = |axis: &AxisGeometry| match operation.output() {
                Side::Signal => axis.signal_extension.kind() != ExtensionKind::Zero,
                Side::Bands => axis.band_extension.kind() != ExtensionKind::Zero,
            };
            let folds = operation.is_adjoint() && tier.geometry.iter().any(folded);
            crossing && some && contiguous && !folds
        };
        let pairs = tiers.windows(2).take_while(|pair| {
            let axes = pair[0].geometry.iter().zip(&pair[1].geometry);
            pair.iter().all(plain) && axes.into_iter().all(|(a, b)| goes_on(operation, a, b))
        });
        1 + pairs.count()
    }

    /// These levels in strips, in the first shape that is worth it; `meet` if those at ends put copies between them.
    pub(super) fn strips_of(
        &mut self,
        tiers: &[Tier],
        meet: bool,
    ) -> Result<Option<Deep>, ProgramError> {
        let (request, axes) = (self.request, self.request.axes);
        let order = self.order();
        let forward = request.operation.input() == Side::Signal;
        let (walked, crossed) = match order.as_slice() {
            [a, b] if axes[*a] < axes[*b] => (Some(*a), *b),
            [a, b] => (Some(*b), *a),
            _ => (None, 0),
        };
        let across_first = walked.is_none_or(|walked| (order[0] == walked) != forward);
        let base = match walked {
            Some(_) => self.strips(across_first)?,
            None => self.kernel(1, true)?,
        };
        let seen: Vec<usize> = walked.into_iter().chain([crossed]).collect();
        // Channels have the walked axis first.
        let turned = walked.is_some_and(|walked| walked > crossed);
        let mut jobs = self.jobs_of_levels(base, tiers, &seen, turned);
        // Approximations that are handed over are in no memory.
        let nowhere = View { buffer: Buffer::Workspace, offset: 0, outer: [0; 3], axes: [0; 3] };
        let last = jobs.len() - 1;
        jobs.iter_mut().skip(1).for_each(|job| job.signal = nowhere);
        jobs.iter_mut().take(last).for_each(|job| job.bands[0] = nowhere);
        let Some(proved) = self.shaped(base, &jobs, meet)? else { return Ok(None) };
        let known = self.kernels.iter().position(|known| *known == proved);
        let kernel = known.unwrap_or_else(|| {
            self.kernels.push(proved);
            self.kernels.len() - 1
        });
        let levels = tiers.len();
        let cut = self.cut_deep(kernel, jobs);
        let fits = |jobs: &Vec<Job>| !meet || self.may_meet(&self.kernels[kernel], jobs);
        let cut = cut.filter(fits);
        if cut.is_none() && known.is_none() {
            self.kernels.pop();
        }
        Ok(cut.map(|jobs| Deep { levels, kernel, jobs, frame: None }))
    }

    /// The jobs of levels in one launch, along these of the transformed axes; `turned` exchanges the channels of two axes.
    pub(super) fn jobs_of_levels(
        &self,
        kernel: usize,
        tiers: &[Tier],
        seen: &[usize],
        turned: bool,
    ) -> Vec<Job> {
        let array_axes: Vec<usize> = seen.iter().map(|axis| self.request.axes[*axis]).collect();
        let job = |tier: &Tier| {
            let geometry: Vec<AxisGeometry> =
                seen.iter().map(|axis| tier.geometry[*axis]).collect();
            let bands: Vec<Array> = match turned {
                true => [0, 2, 1, 3].map(|channel| tier.bands[channel].clone()).to_vec(),
                false => tier.bands.clone(),
            };
            self.job(kernel, &geometry, &array_axes, &tier.signal, &bands)
        };
        tiers.iter().map(job).collect()
    }

    /// The strips of one level with more levels in them.
    fn shaped(
        &self,
        base: usize,
        jobs: &[Job],
        meet: bool,
    ) -> Result<Option<Proved>, ProgramError> {
        let (request, strategy) = (self.request, self.request.strategy);
        let mapped = self.kernels[base].mapped();
        let elements = 16 / request.element.bytes() as i64;
        let Some(level) = self.kernels[base].strip() else { return Ok(None) };
        let mut best: Option<Proved> = None;
        for (pairs, groups) in self.shapes_of_levels(level) {
            let other = |wanted: Option<u32>, got: u32| wanted.is_some_and(|wanted| wanted != got);
            if other(strategy.pairs, *pairs) || other(strategy.groups, *groups) {
                continue;
            }
            let Some(alignment) = alignments(jobs, *pairs, elements) else { continue };
            let mut mapping =
                strategy.strips(mapped.mapping.contiguous, mapped.mapping.across_first);
            mapping.levels = jobs.len() as u32;
            if level.along.is_some() {
                mapping.depth = strategy.depth.unwrap_or(DEEP_DEPTH);
            }
            (mapping.pairs, mapping.groups) = (*pairs, *groups);
            mapping.alignment = Some(alignment);
            self.threads_of_levels(level, &jobs[0], &mut mapping);
            let with = |mapping| {
                let (kernel, lines) = (mapped.kernel.clone(), mapped.lines.clone());
                prove(&MappedKernel { kernel, lines, mapping })
            };
            let mut outcome = with(mapping);
            if outcome.as_ref().is_ok_and(|proved| go_round(proved, jobs)) {
                mapping.wraps = true;
                match with(mapping) {
                    Ok(proved) => outcome = Ok(proved),
                    Err(_) => mapping.wraps = false,
                }
            }
            if meet && let Ok(Some(strip)) = outcome.as_ref().map(Proved::strip) {
                let halo = mapped.kernel.halo;
                let Some(rows) =
                    spread(strip, &halo, jobs.to_vec()).and_then(|jobs| rows_kept(strip, &jobs))
                else {
                    continue;
                };
                mapping.between = rows;
                outcome = with(mapping);
            }
            let strip = outcome.as_ref().ok().and_then(Proved::strip);
            mapping.sectors = strip.and_then(|strip| {
                strip.sectors_of(&jobs[0], anchor(jobs), request.element.bytes())
            });
            if mapping.sectors.is_some() {
                match with(mapping) {
                    Ok(proved) if proved.strip().is_some_and(Strip::in_sectors) => {
                        outcome = Ok(proved);
                    }
                    _ => mapping.sectors = None,
                }
            }
            if let (0, Ok(proved)) = (mapping.resident, &outcome) {
                mapping.resident = resident(proved);
                outcome = with(mapping);
            }
            let strip = outcome.as_ref().ok().and_then(Proved::strip);
            let far = strip.and_then(|strip| self.looking_far(strip, &jobs[0], mapping));
            // A ring for which there is no room stays as it is.
            if let Some(Ok(far)) = far.map(with) {
                outcome = Ok(far);
            }
            let worthwhile = |strip: &Strip| self.is_worthwhile(strip, &jobs[0]);
            match outcome {
                Ok(proved) if proved.strip().is_some_and(worthwhile) => {
                    if proved.info().registers <= COMFORTABLE {
                        return Ok(Some(proved));
                    }
                    let fewer = |best: &Proved| proved.info().registers < best.info().registers;
                    if best.as_ref().is_none_or(fewer) {
                        best = Some(proved);
                    }
                }
                // One that reaches too far, or holds too much, leaves the levels to several launches.
                Ok(_) | Err(ProofError::Strip(_) | ProofError::Shared { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(best)
    }

    /// The jobs of all levels, blocks counted at the finest.
    fn cut_deep(&self, kernel: usize, jobs: Vec<Job>) -> Option<Vec<Job>> {
        let proved = &self.kernels[kernel];
        let strip = proved.strip()?;
        let mut jobs = spread(strip, &proved.kernel().halo, jobs)?;
        let anchor = anchor(&jobs);
        jobs[0] = cut(strip, &jobs[0], anchor, &|pairs, blocks| {
            self.rows_of_levels(strip, pairs, blocks)
        });
        jobs[0].inside = strip.inside_of(&jobs, anchor, proved.kernel().element.bytes());
        for job in &mut jobs[1..] {
            job.strips = true;
            job.axes[0].tiles = 0;
        }
        (jobs[0].blocks() <= super::super::split::MOST_BLOCKS).then_some(jobs)
    }

    /// Axes in the order in which forward splits them.
    pub(super) fn order(&self) -> Vec<usize> {
        let count = self.request.axes.len();
        match self.request.wavelet.is_rounded() {
            true => self.request.wavelet.axis_list(count),
            false => (0..count).rev().collect(),
        }
    }
}

/// The jobs of all levels with all pairs that strips make: what the next level reads, of the finer one, or the finer one of the
/// next.
fn spread(strip: &Strip, halo: &Margin, mut jobs: Vec<Job>) -> Option<Vec<Job>> {
    let axes = jobs.first()?.axes.len();
    for axis in 0..axes {
        let crossed = axis + 1 == axes;
        match strip.output {
            Side::Bands => {
                for level in (1..jobs.len()).rev() {
                    let shift = match strip.levels().nth(level)?.across.as_ref() {
                        Some(across) if crossed => i64::from(across.shift),
                        _ => 0,
                    };
                    let coarse = jobs[level].axes[axis].pairs;
                    let offset = offset(&jobs, level, axis);
                    let first = 2 * (coarse.start - shift) + offset;
                    let end = 2 * (coarse.end() - shift) + offset;
                    let pairs = &mut jobs[level - 1].axes[axis].pairs;
                    *pairs = hull(*pairs, first, end);
                }
            }
            Side::Signal => {
                for level in 1..jobs.len() {
                    let fine = jobs[level - 1].axes[axis].pairs;
                    let offset = offset(&jobs, level, axis);
                    let first = fine.start - i64::from(halo.before[axis]) - offset;
                    let end = fine.end() + i64::from(halo.after[axis]) - offset;
                    let first = first.div_euclid(2);
                    let len = ((end + 1).div_euclid(2) - first).max(0) as usize;
                    jobs[level].axes[axis].pairs = Span { start: first, len };
                }
            }
        }
    }
    if strip.along.is_some() {
        // Rows of pairs of the next level stand in whole pairs of rows.
        let offset = offset(&jobs, 1, 0);
        let pairs = &mut jobs[0].axes[0].pairs;
        pairs.len += (pairs.start - offset).rem_euclid(2) as usize;
        pairs.start -= (pairs.start - offset).rem_euclid(2);
        pairs.len += pairs.len % 2;
    }
    Some(jobs)
}

#[cfg(test)]
mod tests {
    use crate::gpu::{Program, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    fn made(
        name: &str,
        shape: &[usize],
        mode: Mode,
        levels: usize,
        operation: Operation,
        strategy: Strategy,
    ) -> Program {
        let wavelet = catalogue::wavelet(name).unwrap();
        let element = if wavelet.is_rounded() { Element::I32 } else { Element::F32 };
        let axes: Vec<usize> = (0..shape.len()).collect();
        program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(axes.len()),
            shape,
            axes: &axes,
            mode,
            origins: &[],
            levels,
            align_rows: None,
            element,
            operation,
            strategy,
        })
        .unwrap()
    }

    fn launches(name: &str, shape: &[usize], mode: Mode, levels: usize) -> [usize; 2] {
        [Operation::Forward, Operation::Inverse].map(|operation| {
            made(name, shape, mode, levels, operation, Strategy::STREAM).launches.len()
        })
    }

    fn asked(name: &str, shape: &[usize], mode: Mode, levels: usize) -> [usize; 2] {
        let strategy = Strategy { deep: Some(levels as u32), ..Strategy::STREAM };
        [Operation::Forward, Operation::Inverse]
            .map(|operation| made(name, shape, mode, levels, operation, strategy).launches.len())
    }

    #[test]
    fn levels_share_launches_where_arrays_go_on_by_themselves() {
        let plane = [512, 1024];
        for name in ["haar", "irr97", "bior4.4", "rev53", "bior2.2", "db4"] {
            assert_eq!(asked(name, &plane, Mode::Periodization, 4), [2, 2], "{name}");
        }
        // Levels that are reflected are, one after the other, reflected in different ways: strips put copies between them, or
        // two share a launch inside, and the frame of each is one more.
        assert_eq!(asked("rev53", &plane, Mode::Jpeg2000, 2), [1, 1]);
        assert_eq!(asked("irr97", &plane, Mode::Jpeg2000, 2), [3, 1]);
        assert_eq!(asked("rev53", &[64, 64], Mode::Jpeg2000, 2), [2, 2]);
        assert_eq!(asked("irr97", &plane, Mode::Zero, 2), [1, 1]);
        // What reads nothing beyond the ends has no frame.
        assert_eq!(asked("haar", &plane, Mode::Symmetric, 2), [1, 1]);
        // Symmetric samples make approximations that are symmetric in another way; coefficients beyond the ends are
        // zeros.
        assert_eq!(asked("bior2.2", &plane, Mode::Symmetric, 2)[1], 1);
        // Rows of odd length, and periods that are not whole pairs.
        assert_eq!(asked("irr97", &[512, 1022], Mode::Periodization, 2), [2, 2]);
        assert_eq!(asked("irr97", &[254, 1024], Mode::Periodization, 2), [3, 3]);
    }

    #[test]
    fn unasked_where_it_is_known_to_be_faster() {
        for (name, expected) in [("haar", 2), ("db4", 2), ("db12", 3), ("db16", 3)] {
            let made = launches(name, &[1 << 16], Mode::Periodization, 5);
            assert_eq!(made, [expected; 2], "{name}");
        }
        assert_eq!(launches("haar", &[512, 1024], Mode::Periodization, 4), [2, 2]);
        // Images of any size, where lines go round and walks read few rows beyond their tiles: inverses of longer filters.
        for (name, forward) in [("irr97", 4), ("bior4.4", 4), ("db4", 2), ("rev53", 2)] {
            let made = launches(name, &[512, 1024], Mode::Periodization, 4);
            assert_eq!(made, [forward, 2], "{name}");
        }
        assert_eq!(launches("irr97", &[512, 1024], Mode::Zero, 4), [4, 4]);
        for name in ["irr97", "bior4.4", "bior2.2", "db4", "rev53"] {
            let made = launches(name, &[8192, 8192], Mode::Periodization, 4);
            assert_eq!(made, [3, 2], "{name}");
        }
    }

    #[test]
    fn as_many_levels_as_are_asked_for() {
        let plane = [512, 1024];
        for (deep, expected) in [(1, 3), (2, 2), (9, 2)] {
            let strategy = Strategy { deep: Some(deep), ..Strategy::STREAM };
            let made = made("irr97", &plane, Mode::Periodization, 3, Operation::Forward, strategy);
            assert_eq!(made.launches.len(), expected);
        }
    }

    /// What a strip of two levels costs, beside one: the halo of both.
    #[test]
    fn halos_add_up() {
        for operation in [Operation::Forward, Operation::Inverse] {
            let strategy = Strategy { deep: Some(2), ..Strategy::STREAM };
            let made = made("irr97", &[512, 1024], Mode::Periodization, 2, operation, strategy);
            let strip = made.kernels[0].strip().unwrap();
            assert_eq!(strip.levels().count(), 2);
            assert!(strip.end_lane() - strip.first_lane() >= 24, "{operation:?} {strip:?}");
        }
    }
}
