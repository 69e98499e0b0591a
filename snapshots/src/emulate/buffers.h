// Buffers that kernels read and write: aligned like device memory, to 256 bytes; what follows them is out of bounds.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace waveloom {

struct Buffer {
    char* begin = nullptr;
    size_t bytes = 0;
#ifdef WAVELOOM_ENDS
    // Whole pages, the first and the last of which nobody may touch. The buffer ends as near to the last one as its
    // alignment allows; what is left of the pages between is filled with a pattern that must stay.
    char* pages = nullptr;
    size_t length = 0;

    static constexpr char PATTERN = static_cast<char>(0xff); // no number, as a float

    static size_t page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

    bool take(size_t wanted) {
        const size_t aligned = (wanted + 255) / 256 * 256;
        length = (aligned + page() - 1) / page() * page() + 2 * page();
        void* memory = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return false;
        pages = static_cast<char*>(memory);
        const size_t open = length - 2 * page();
        if (open && mprotect(pages + page(), open, PROT_READ | PROT_WRITE)) return false;
        memset(pages + page(), PATTERN, open);
        begin = pages + page() + open - aligned;
        bytes = wanted;
        return true;
    }

    bool whole() const {
        const auto untouched = [](const char* from, const char* to) {
            for (; from < to; ++from)
                if (*from != PATTERN) return false;
            return true;
        };
        return untouched(pages + page(), begin) && untouched(begin + bytes, pages + length - page());
    }

    void release() { munmap(pages, length); }
#else
    bool take(size_t wanted) {
        void* memory = nullptr;
        if (posix_memalign(&memory, 256, wanted)) return false;
        begin = static_cast<char*>(memory);
        bytes = wanted;
        return true;
    }

    bool whole() const { return true; }

    void release() { free(begin); }
#endif
};

} // namespace waveloom
