//! The slow reference transform, straight from the definition.
