/// What a level needs of an operation.
use Kernel as Level;

/// Splits the signal of a level into its bands. Whether a sample is larger than `bound`.
fn analyse_level<K: Kernel>(
    work: &mut Memories<impl Memory>,
    _: &[Axis; AXES],
    signal: &[Sample],
    [low, high]: [&mut [Sample]; CHANNELS],
    bound: Option<Sample>,
) -> bool {
    let large = beyond(signal, bound);
    along::<K, _, _>(&mut work.block, &Signal(signal), &mut Bands { low, high }, BANDS_FOLD);
    large
}

/// Joins the bands of a level.
fn synthesise_level<K: Kernel>(
    work: &mut Memories<impl Memory>,
    _: &[Axis; AXES],
    [low, high]: [&[Sample]; CHANNELS],
    signal: &mut [Sample],
) {
    along::<K, _, _>(&mut work.block, &Bands { low, high }, &mut Signal(signal), SIGNAL_FOLDS);
}

/// Memory of a transform.
struct Memories<M> {
    block: M,
}

impl<M: Memory> Memories<M> {
    fn new(
        _: &[[Axis; AXES]; LEVELS],
        supply: &mut impl Supply<Memory = M>,
    ) -> Result<Self, Error> {
        Ok(Self { block: supply.take(Some(BLOCK_MEMORY))? })
    }
}
