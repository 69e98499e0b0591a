//! Rounds of entrants, and the statistics of their times.

/// How long a contest may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Seconds after which no new round begins (but at least three rounds are run).
    pub seconds: f64,
    /// Rounds at most.
    pub repetitions: usize,
    /// Rounds before those that count.
    pub warm: usize,
    /// A time is of as many runs in a row as take this long, in seconds: short work would be lost in
    /// the clock.
    pub shortest: f64,
}

impl Default for Budget {
    /// Two seconds, 31 rounds, two rounds to warm, a fifth of a millisecond.
    fn default() -> Self {
        Self { seconds: 2.0, repetitions: 31, warm: 2, shortest: 2e-4 }
    }
}

/// A median and its quartiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// A quarter of the values are below.
    pub low: f64,
    /// Half of the values are below.
    pub median: f64,
    /// A quarter of the values are above.
    pub high: f64,
}

impl Spread {
    /// Of values in any order; NaN of none.
    ///
    /// ```
    /// use waveloom::measure::Spread;
    /// let spread = Spread::of([5.0, 1.0, 3.0, 2.0, 4.0]);
    /// assert_eq!((spread.low, spread.median, spread.high), (2.0, 3.0, 4.0));
    /// ```
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        // Between neighbours where the position is not whole.
        let at = |share: f64| {
            let position = share * (values.len() as f64 - 1.0);
            let (below, rest) = (position.floor(), position.fract());
            let value = |index: f64| values.get(index as usize).copied().unwrap_or(f64::NAN);
            match rest > 0.0 {
                true => value(below) * (1.0 - rest) + value(below + 1.0) * rest,
                false => value(below),
            }
        };
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}

/// The seconds of one run of every entrant in every round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    rounds: Vec<Vec<f64>>,
}

impl Times {
    /// Number of rounds.
    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// Seconds of one run of an entrant.
    pub fn seconds(&self, entrant: usize) -> Spread {
        Spread::of(self.rounds.iter().filter_map(|round| round.get(entrant).copied()))
    }

    /// One entrant's time divided by another's in the same round.
    pub fn ratio(&self, entrant: usize, yardstick: usize) -> Spread {
        let ratios = self.rounds.iter().filter_map(|round| {
            let (time, copy) = (round.get(entrant)?, round.get(yardstick)?);
            Some(time / copy)
        });
        Spread::of(ratios)
    }
}

/// Runs `entrants` in turn. `run(entrant, runs)` carries out `runs` runs in a row and returns the
/// seconds that all of them took.
///
/// # Errors
/// The first error of a run.
pub fn contest<E>(
    entrants: usize,
    budget: &Budget,
    mut run: impl FnMut(usize, usize) -> Result<f64, E>,
) -> Result<Times, E> {
    /// Rounds without which there are no quartiles.
    const FEWEST: usize = 3;
    /// Runs in a row at most.
    const MOST: f64 = 4096.0;
    let mut runs = vec![1; entrants];
    // The first run of all pays for pages, caches and lazy loading: its time says nothing.
    for entrant in 0..entrants {
        run(entrant, 1)?;
    }
    for (entrant, runs) in runs.iter_mut().enumerate() {
        let seconds = run(entrant, 1)?.max(1e-9);
        *runs = (budget.shortest / seconds).ceil().clamp(1.0, MOST) as usize;
    }
    let mut times = Times::default();
    let mut started = std::time::Instant::now();
    for round in 0..budget.warm.saturating_add(budget.repetitions.max(FEWEST)) {
        if round == budget.warm {
            started = std::time::Instant::now();
        }
        let counted = round.saturating_sub(budget.warm);
        if counted >= FEWEST && started.elapsed().as_secs_f64() > budget.seconds {
            break;
        }
        let mut seconds = Vec::with_capacity(entrants);
        for (entrant, runs) in runs.iter().enumerate() {
            seconds.push(run(entrant, *runs)? / *runs as f64);
        }
        if round >= budget.warm {
            times.rounds.push(seconds);
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_one_round() {
        // A machine that slows down: the ratio stays.
        let mut now = 1.0;
        let budget = Budget { repetitions: 9, ..Budget::default() };
        let times = contest::<()>(2, &budget, |entrant, runs| {
            if entrant == 0 {
                now *= 1.5;
            }
            Ok(now * runs as f64 * if entrant == 0 { 1.0 } else { 3.0 })
        })
        .unwrap();
        assert_eq!(times.rounds(), 9);
        assert_eq!(times.ratio(1, 0), Spread { low: 3.0, median: 3.0, high: 3.0 });
        assert!(times.seconds(0).high > times.seconds(0).low);
    }

    #[test]
    fn short_work_runs_many_times_in_a_row() {
        let mut most = 0;
        let budget = Budget { repetitions: 3, ..Budget::default() };
        let times = contest::<()>(1, &budget, |_, runs| {
            most = most.max(runs);
            Ok(1e-6 * runs as f64)
        })
        .unwrap();
        assert!((200..=201).contains(&most), "{most}");
        assert!((times.seconds(0).median - 1e-6).abs() < 1e-12);
    }

    #[test]
    fn errors_end_a_contest_and_time_does() {
        assert_eq!(contest(1, &Budget::default(), |_, _| Err("no")), Err("no"));
        let budget = Budget { seconds: 0.0, warm: 0, repetitions: 100, ..Budget::default() };
        assert_eq!(contest::<()>(1, &budget, |_, _| Ok(1.0)).unwrap().rounds(), 3);
        assert!(Spread::of([]).median.is_nan());
    }
}
