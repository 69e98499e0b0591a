// One block at a time: its threads, their barriers and shuffles, and the order they run in.
#pragma once

#include <algorithm>
#include <numeric>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <vector>

#include "cuda_on_cpu.h" // after the standard library, whose names its macros would change
#include "entry.h"
#include "fibres.h"

namespace waveloom {

// Ends the program with a report that the driver reads: a kind, and what happened.
[[noreturn]] __attribute__((format(printf, 2, 3))) inline void fail(const char* kind,
                                                                    const char* format, ...) {
    fprintf(stderr, "waveloom-emulate: %s: ", kind);
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    _exit(70);
}

enum class Order : uint32_t { Forward, Reverse, Shuffled };

struct Random {
    uint64_t state;
    uint64_t next() { // splitmix64
        uint64_t z = (state += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    void arrange(std::vector<uint32_t>& items, Order order) {
        if (order != Order::Shuffled) return;
        for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[next() % i]);
    }
    std::vector<uint32_t> sequence(size_t count, Order order) {
        std::vector<uint32_t> items(count);
        std::iota(items.begin(), items.end(), 0u);
        if (order == Order::Reverse) std::reverse(items.begin(), items.end());
        arrange(items, order);
        return items;
    }
};

enum class State { Ready, AtBlockBarrier, AtWarpBarrier, AtShuffle, Returned };

struct Thread {
    Fibre fibre;
    uint3 index = {};
    State state = State::Returned;
    int line = 0;           // of the barrier or shuffle it waits at
    unsigned mask = 0;      // lanes it waits for
    int source = 0;         // lane it reads
    uint64_t bits = 0;      // given, then received
    uint32_t warp_epoch = 0; // full warp barriers passed in this block
};

// What a lane receives from a lane that did not take part: on the device, anything.
constexpr uint64_t nothing = 0xffa5ffa5ffa5ffa5ull;

struct Block {
    std::vector<Thread> threads;
    uint32_t size = 0;    // threads in use
    uint32_t current = 0; // the one running
    uint32_t number = 0;  // of the block in the grid
    uint32_t epoch = 0;   // block barriers passed
    int last_line = 0;    // of the last block barrier passed
    uint32_t arrived = 0;
    uint64_t barriers = 0, shuffles = 0;
    Home home;
    const Entry* kernel = nullptr;
    void* const* arguments = nullptr;

    void wait(State state, int line) {
        Thread& self = threads[current];
        self.state = state;
        self.line = line;
        home.leave(self.fibre);
    }

    void block_barrier(int line) {
        if (++arrived == size) {
            for (uint32_t t = 0; t < size; ++t) {
                Thread& thread = threads[t];
                if (t != current && thread.line != line)
                    fail("divergence",
                         "block %u: thread %u waits at the barrier of line %d, thread %u at that of "
                         "line %d",
                         number, t, thread.line, current, line);
                thread.state = State::Ready;
            }
            arrived = 0;
            ++epoch;
            ++barriers;
            last_line = line;
            wait(State::Ready, line);
        } else {
            wait(State::AtBlockBarrier, line);
        }
    }

    // Waits for the lanes of `mask`; the last to come serves all of them.
    void meet(State state, int line, unsigned mask) {
        Thread& self = threads[current];
        const uint32_t first = current / 32 * 32, lane = current % 32;
        const uint32_t lanes = std::min(32u, size - first);
        if (lanes < 32) mask &= (1u << lanes) - 1;
        if (!(mask >> lane & 1))
            fail("divergence", "block %u, thread %u: its own lane %u is not in the mask %08x of line %d",
                 number, current, lane, mask, line);
        self.state = state;
        self.line = line;
        self.mask = mask;
        bool complete = true;
        for (uint32_t l = 0; l < lanes; ++l) {
            const Thread& other = threads[first + l];
            if (mask >> l & 1)
                complete &= other.state == state && other.line == line && other.mask == mask;
        }
        if (complete) {
            uint64_t given[32];
            for (uint32_t l = 0; l < 32; ++l)
                given[l] = mask >> l & 1 ? threads[first + l].bits : nothing;
            const bool whole = lanes == 32 ? mask == ~0u : mask == (1u << lanes) - 1;
            for (uint32_t l = 0; l < lanes; ++l) {
                if (!(mask >> l & 1)) continue;
                Thread& other = threads[first + l];
                other.bits = given[other.source & 31];
                other.state = State::Ready;
                // Only a barrier orders memory, and only one of the whole warp is followed here.
                if (state == State::AtWarpBarrier && whole) ++other.warp_epoch;
            }
            ++(state == State::AtShuffle ? shuffles : barriers);
            state = State::Ready;
        }
        wait(state, line);
    }

    uint64_t exchange(int line, unsigned mask, uint64_t bits, int source) {
        threads[current].bits = bits;
        threads[current].source = source;
        meet(State::AtShuffle, line, mask);
        return threads[current].bits;
    }

    // Nobody can go on: says who waits where.
    [[noreturn]] void stuck() {
        struct Group {
            State state;
            int line;
            uint32_t count, first;
        };
        std::vector<Group> groups;
        for (uint32_t t = 0; t < size; ++t) {
            const Thread& thread = threads[t];
            const int line = thread.state == State::Returned ? 0 : thread.line;
            auto same = [&](const Group& g) { return g.state == thread.state && g.line == line; };
            auto group = std::find_if(groups.begin(), groups.end(), same);
            if (group == groups.end()) groups.push_back({thread.state, line, 1, t});
            else ++group->count;
        }
        static const char* const places[] = {"ready", "wait at the block barrier of line",
                                             "wait at the warp barrier of line",
                                             "wait at the shuffle of line", "have returned"};
        char text[2000] = "";
        size_t used = 0;
        for (const Group& group : groups) {
            if (used + 200 > sizeof text) break;
            used += snprintf(text + used, sizeof text - used, "%s%u threads (first %u) %s",
                             used ? "; " : "", group.count, group.first,
                             places[static_cast<int>(group.state)]);
            if (group.state != State::Returned)
                used += snprintf(text + used, sizeof text - used, " %d", group.line);
        }
        fail("divergence", "block %u: %s", number, text);
    }

    void run(Order order, Random& random) {
        arrived = 0;
        epoch = 0;
        last_line = 0;
        for (uint32_t t = 0; t < size; ++t) {
            threads[t].state = State::Ready;
            threads[t].warp_epoch = 0;
        }
        std::vector<uint32_t> sequence = random.sequence(size, order);
        for (;;) {
            uint32_t ran = 0, returned = 0;
            random.arrange(sequence, order);
            for (uint32_t t : sequence) {
                Thread& thread = threads[t];
                if (thread.state == State::Ready) {
                    current = t;
                    threadIdx = thread.index;
                    home.enter(thread.fibre);
                    ++ran;
                }
                returned += thread.state == State::Returned;
            }
            if (returned == size) return;
            if (!ran) stuck();
        }
    }
};

} // namespace waveloom
