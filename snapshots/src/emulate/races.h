// Race detection. In the build that checks races the compiler calls `__tsan_*` before every access
// that the text makes; these functions watch shared memory and the buffers.
//
// Two accesses of different threads to the same bytes, one of them a write, must be ordered by a
// block barrier or, within a warp, by a barrier of the whole warp; threads of different blocks are
// never ordered. This is decided from what each thread has passed, not from the order in which
// fibres happened to run, so one run finds every race of that run's accesses.
#pragma once

#include "block.h"

namespace waveloom {

struct Stamp {
    uint32_t block = ~0u, thread = 0, epoch = 0, warp_epoch = 0;

    bool any() const { return block != ~0u; }
    bool same_warp(const Stamp& other) const {
        return block == other.block && thread / 32 == other.thread / 32;
    }
    // Whether this earlier access is certain to have happened before `now`.
    bool before(const Stamp& now) const {
        if (block != now.block) return false;
        return thread == now.thread || epoch < now.epoch ||
               (same_warp(now) && warp_epoch < now.warp_epoch);
    }
};

// What happened to two neighbouring bytes. Four reads are enough to find a conflict with any: the
// last, one by another thread of its warp since the same barriers, one of another warp of its
// block since the same block barrier, one of another block.
struct Cell {
    Stamp write, read, warp_read, block_read, grid_read;

    void note_read(const Stamp& now) {
        if (read.any() && read.block != now.block) {
            grid_read = read;
            block_read = warp_read = Stamp();
        } else if (read.any() && read.epoch != now.epoch) {
            block_read = warp_read = Stamp();
        } else if (read.any() && !read.same_warp(now)) {
            block_read = read;
            warp_read = Stamp();
        } else if (read.any() && read.warp_epoch != now.warp_epoch) {
            warp_read = Stamp();
        } else if (read.any() && read.thread != now.thread) {
            warp_read = read;
        }
        read = now;
    }
    const Stamp* conflict(const Stamp& now, bool writing) const {
        if (write.any() && !write.before(now)) return &write;
        if (writing)
            for (const Stamp* stamp : {&read, &warp_read, &block_read, &grid_read})
                if (stamp->any() && !stamp->before(now)) return stamp;
        return nullptr;
    }
};

struct Watched {
    char* begin = nullptr;
    size_t bytes = 0;
    std::vector<Cell> cells;
    uint64_t read = 0, written = 0;

    Watched(char* begin, size_t bytes) : begin(begin), bytes(bytes), cells(bytes / 2 + 1) {}
    bool holds(const char* at) const { return at >= begin && at < begin + bytes; }
};

struct Watch {
    Block& block;
    std::vector<Watched> regions; // shared memory first
    bool on = false;

    Stamp now() const {
        return {block.number, block.current, block.epoch, block.threads[block.current].warp_epoch};
    }

    void access(const char* at, size_t bytes, bool writing) {
        if (!on) return;
        for (Watched& region : regions) {
            if (!region.holds(at)) continue;
            const bool shared = &region == &regions.front();
            (writing ? region.written : region.read) += bytes;
            const size_t offset = at - region.begin;
            for (size_t c = offset / 2; c <= (offset + bytes - 1) / 2 && c < region.cells.size(); ++c)
                touch(region.cells[c], shared, &region - regions.data(), c * 2, writing);
            return;
        }
    }

    void touch(Cell& cell, bool shared, size_t region, size_t offset, bool writing) {
        const Stamp stamp = now();
        if (shared && cell.write.block != stamp.block && cell.read.block != stamp.block)
            cell = Cell(); // left over from another block
        if (shared && !writing && cell.write.block != stamp.block)
            fail("uninitialised",
                 "block %u, thread %u reads shared memory at byte %zu, which no thread has written "
                 "(after the barrier of line %d)",
                 block.number, block.current, offset, block.last_line);
        if (const Stamp* other = cell.conflict(stamp, writing)) {
            char where[64];
            if (shared) snprintf(where, sizeof where, "shared memory, byte %zu", offset);
            else snprintf(where, sizeof where, "buffer %zu, byte %zu", region - 1, offset);
            fail("race",
                 "%s: %s by thread %u of block %u and %s by thread %u of block %u are not ordered "
                 "(last block barrier: line %d)",
                 where, other == &cell.write ? "write" : "read", other->thread, other->block,
                 writing ? "write" : "read", block.current, block.number, block.last_line);
        }
        if (writing) cell.write = stamp;
        else cell.note_read(stamp);
    }
};

extern Watch watch;

} // namespace waveloom

// The instrumentation's entry points, as GCC and Clang call them.
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
#define WAVELOOM_ACCESS(bytes)                                                                     \
    void __tsan_read##bytes(void* at) {                                                            \
        waveloom::watch.access(static_cast<char*>(at), bytes, false);                              \
    }                                                                                              \
    void __tsan_write##bytes(void* at) {                                                           \
        waveloom::watch.access(static_cast<char*>(at), bytes, true);                               \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void* at) { __tsan_read##bytes(at); }                        \
    void __tsan_unaligned_write##bytes(void* at) { __tsan_write##bytes(at); }                      \
    void __tsan_volatile_read##bytes(void* at) { __tsan_read##bytes(at); }                         \
    void __tsan_volatile_write##bytes(void* at) { __tsan_write##bytes(at); }
WAVELOOM_ACCESS(1)
WAVELOOM_ACCESS(2)
WAVELOOM_ACCESS(4)
WAVELOOM_ACCESS(8)
WAVELOOM_ACCESS(16)
void __tsan_read_range(void* at, size_t bytes) {
    waveloom::watch.access(static_cast<char*>(at), bytes, false);
}
void __tsan_write_range(void* at, size_t bytes) {
    waveloom::watch.access(static_cast<char*>(at), bytes, true);
}
void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
    waveloom::watch.access(static_cast<const char*>(from), bytes, false);
    waveloom::watch.access(static_cast<char*>(to), bytes, true);
    return __builtin_memcpy(to, from, bytes);
}
void* __tsan_memset(void* to, int value, size_t bytes) {
    waveloom::watch.access(static_cast<char*>(to), bytes, true);
    return __builtin_memset(to, value, bytes);
}
}
