//! Factorisations: taps to lattice, lattice to lifting, Euclid.

/// Execution form of a lattice's stages.
pub fn execution_stages(lattice: &crate::lattice::Lattice) -> Vec<crate::lattice::Butterfly> {
    lattice.stages.clone()
}
