//! What is known of the machine at hand.

/// Bytes of the largest cache that processors share or have, if they tell.
#[cfg(target_arch = "x86_64")]
pub(crate) fn largest_cache() -> Option<usize> {
    let caches = raw_cpuid::CpuId::new().get_cache_parameters()?;
    let bytes = |cache: raw_cpuid::CacheParameter| {
        let line = cache.coherency_line_size() * cache.physical_line_partitions();
        line.saturating_mul(cache.associativity()).saturating_mul(cache.sets())
    };
    caches.map(bytes).max()
}

/// Bytes of the largest cache that processors share or have, if they tell.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn largest_cache() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::largest_cache;

    #[test]
    fn the_largest_cache_is_larger_than_a_page() {
        let bytes = largest_cache();
        println!("{bytes:?}");
        assert!(bytes.is_none_or(|bytes| bytes >= 4096), "{bytes:?}");
    }
}
