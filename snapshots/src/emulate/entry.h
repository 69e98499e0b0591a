// Kernels by name, with their parameters taken apart. Included after the text.
#pragma once

#undef __noinline__ // the standard library uses the attribute's name
#include <stddef.h>
#include <utility>

namespace waveloom {

struct Entry {
    const char* name;
    size_t arity;
    const size_t* sizes;
    void (*call)(void* const* arguments);
};

// The text's `extern __shared__` array, if it has one.
struct Region {
    char* begin;
    size_t bytes;
};

template <auto kernel> struct Call;

template <class... A, void (*kernel)(A...)> struct Call<kernel> {
    // One more, so that a kernel without parameters has an array too.
    static constexpr size_t sizes[] = {sizeof(A)..., 0};

    template <size_t... I> static void spread(void* const* arguments, std::index_sequence<I...>) {
        (void)arguments;
        kernel(*static_cast<std::remove_cv_t<A>*>(arguments[I])...);
    }
    static void call(void* const* arguments) {
        spread(arguments, std::index_sequence_for<A...>());
    }
    static constexpr Entry entry(const char* name) { return {name, sizeof...(A), sizes, call}; }
};

// Defined by the generated part, used by runtime.cpp.
extern const Entry entries[];
extern const size_t entry_count;
Region dynamic_shared();

} // namespace waveloom
