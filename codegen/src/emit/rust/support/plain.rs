/// A loop with what it works on.
trait Work {
    /// Does the work. `FUSED` tells whether the machine multiplies and adds at once.
    fn run<const FUSED: bool>(self);
}

/// Does work with what every machine of the target has.
#[inline(always)]
fn dispatch(work: impl Work) {
    work.run::<false>();
}
