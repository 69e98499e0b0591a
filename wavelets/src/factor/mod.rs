//! Factorisations: taps to lattice, lattice to lifting, Euclid.
