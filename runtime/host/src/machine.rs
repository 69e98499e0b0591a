//! What is known of the machine at hand.

#[cfg(target_arch = "x86_64")]
use pulp::Simd;
#[cfg(target_arch = "x86_64")]
use std::any::Any;
use std::sync::LazyLock;

/// The machine that code is compiled for, if it is that one: known when it is compiled.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn known<S: Simd, M: Simd>(simd: S) -> Option<M> {
    (&simd as &dyn Any).downcast_ref::<M>().copied()
}

/// Bytes of the caches that processors share or have, as far as they tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caches {
    pub(crate) second: Option<usize>,
    pub(crate) largest: Option<usize>,
}

/// Those of this machine.
pub(crate) fn caches() -> Caches {
    static CACHES: LazyLock<Caches> = LazyLock::new(read);
    *CACHES
}

#[cfg(target_arch = "x86_64")]
fn read() -> Caches {
    let Some(all) = raw_cpuid::CpuId::new().get_cache_parameters() else {
        return Caches::default();
    };
    let mut found = Caches::default();
    for cache in all {
        if cache.cache_type() == raw_cpuid::CacheType::Instruction {
            continue;
        }
        let line = cache.coherency_line_size() * cache.physical_line_partitions();
        let bytes = line.saturating_mul(cache.associativity()).saturating_mul(cache.sets());
        found.largest = found.largest.max(Some(bytes));
        if cache.level() == 2 {
            found.second = found.second.max(Some(bytes));
        }
    }
    found
}

#[cfg(not(target_arch = "x86_64"))]
fn read() -> Caches {
    Caches::default()
}

#[cfg(test)]
mod tests {
    use super::caches;

    #[test]
    fn caches_are_larger_than_a_page_and_the_largest_is_no_smaller() {
        let found = caches();
        println!("{found:?}");
        for bytes in [found.second, found.largest].into_iter().flatten() {
            assert!(bytes >= 4096, "{found:?}");
        }
        assert!(found.second <= found.largest, "{found:?}");
    }
}
