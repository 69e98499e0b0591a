// Serves launches: reads a request from standard input, runs it, writes the buffers to standard
// output, until the input ends. Compiled once for each kind of checks and linked with every text.
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "buffers.h"
#ifdef WAVELOOM_RACES
#include "races.h"
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace waveloom {

static Block block;
#ifdef WAVELOOM_RACES
Watch watch{block, {}, false};
#endif

void block_barrier(int line) { block.block_barrier(line); }
void warp_barrier(int line, unsigned mask) { block.meet(State::AtWarpBarrier, line, mask); }
unsigned long long exchange(int line, unsigned mask, unsigned long long bits, int source) {
    return block.exchange(line, mask, bits, source);
}
int lane() { return static_cast<int>(block.current % 32); }

// Every fibre runs this for ever: one pass is one thread of one block.
static void body() {
    block.home.entered();
    for (;;) {
        block.kernel->call(block.arguments);
        block.wait(State::Returned, 0);
    }
}

// The thread-local segment of the executable: the shared memory of a block.
static Region shared_memory() {
    Region found = {nullptr, 0};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* result) {
            for (int i = 0; i < info->dlpi_phnum; ++i)
                if (info->dlpi_phdr[i].p_type == PT_TLS)
                    *static_cast<Region*>(result) = {static_cast<char*>(info->dlpi_tls_data),
                                                     info->dlpi_phdr[i].p_memsz};
            return 1; // the first object is the executable
        },
        &found);
    return found;
}

// As floats and as doubles the pattern is not a number.
static void poison(Region region) {
    const uint16_t pattern = 0xffa5;
    for (size_t at = 0; at + 2 <= region.bytes; at += 2)
        __builtin_memcpy(region.begin + at, &pattern, 2);
}

static void read_bytes(void* to, size_t bytes) {
    if (bytes && fread(to, 1, bytes, stdin) != bytes) fail("request", "the request ends too early");
}
static void write_bytes(const void* from, size_t bytes) {
    if (bytes && fwrite(from, 1, bytes, stdout) != bytes) fail("request", "cannot write the answer");
}
template <class T> static T read() {
    T value;
    read_bytes(&value, sizeof value);
    return value;
}

static std::vector<Buffer> read_buffers() {
    std::vector<Buffer> buffers(read<uint32_t>());
    for (Buffer& buffer : buffers) {
        if (!buffer.take(read<uint64_t>())) fail("request", "out of host memory");
        read_bytes(buffer.begin, buffer.bytes);
    }
    return buffers;
}

// Arguments in memory of their own, in the order of the parameters.
static std::vector<void*> read_arguments(const Entry& entry, const std::vector<Buffer>& buffers) {
    std::vector<void*> arguments(read<uint32_t>());
    if (arguments.size() != entry.arity)
        fail("request", "%s takes %zu arguments, %zu were given", entry.name, entry.arity,
             arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
        const uint32_t buffer = read<uint32_t>();
        const uint64_t number = read<uint64_t>(); // offset into the buffer, or bytes of the value
        const bool value = buffer == ~0u;
        const size_t bytes = value ? number : sizeof(char*);
        if (bytes != entry.sizes[i])
            fail("request", "parameter %zu of %s has %zu bytes, %zu were given", i, entry.name,
                 entry.sizes[i], bytes);
        if (posix_memalign(&arguments[i], 16, bytes)) fail("request", "out of host memory");
        if (value) {
            read_bytes(arguments[i], bytes);
        } else {
            if (buffer >= buffers.size()) fail("request", "there is no buffer %u", buffer);
            char* at = buffers[buffer].begin + number;
            memcpy(arguments[i], &at, sizeof at);
        }
    }
    return arguments;
}

static void run_grid(Order order, Random& random, Region shared) {
    const uint64_t blocks = uint64_t(gridDim.x) * gridDim.y * gridDim.z;
    for (uint32_t number : random.sequence(blocks, order)) {
        block.number = number;
        blockIdx = {number % gridDim.x, number / gridDim.x % gridDim.y,
                    number / gridDim.x / gridDim.y};
        poison(shared);
        block.run(order, random);
    }
}

static void serve(Region shared) {
    const Entry* entry = nullptr;
    const uint32_t index = read<uint32_t>();
    if (index < entry_count) entry = &entries[index];
    else fail("request", "there is no kernel %u", index);
    gridDim = read<dim3>();
    blockDim = read<dim3>();
    const uint32_t dynamic_bytes = read<uint32_t>();
    const Order order = read<Order>();
    Random random{read<uint64_t>()};
    const uint32_t seconds = read<uint32_t>();
    std::vector<Buffer> buffers = read_buffers();
    std::vector<void*> arguments = read_arguments(*entry, buffers);

    const uint64_t size = uint64_t(blockDim.x) * blockDim.y * blockDim.z;
    if (size < 1 || size > 1024) fail("request", "a block of %llu threads", (unsigned long long)size);
    const Region dynamic = dynamic_shared();
    if (dynamic_bytes > dynamic.bytes)
        fail("request", "%u bytes of dynamic shared memory, but the text declares at most %zu",
             dynamic_bytes, dynamic.bytes);
#ifdef WAVELOOM_ASAN
    __asan_unpoison_memory_region(dynamic.begin, dynamic.bytes);
    __asan_poison_memory_region(dynamic.begin + dynamic_bytes, dynamic.bytes - dynamic_bytes);
#endif
    block.size = size;
    block.kernel = entry;
    block.arguments = arguments.data();
    block.barriers = block.shuffles = 0;
    while (block.threads.size() < size) {
        block.threads.emplace_back();
        if (!block.threads.back().fibre.create(body)) fail("request", "cannot allocate a stack");
    }
    for (uint32_t t = 0; t < size; ++t)
        block.threads[t].index = {t % blockDim.x, t / blockDim.x % blockDim.y,
                                  t / blockDim.x / blockDim.y};
    uint64_t traffic[4] = {}; // global bytes read and written, shared bytes read and written
#ifdef WAVELOOM_RACES
    watch.regions.clear();
    watch.regions.emplace_back(shared.begin, shared.bytes);
    for (Buffer& buffer : buffers) watch.regions.emplace_back(buffer.begin, buffer.bytes);
    watch.on = true;
#endif
    alarm(seconds);
    run_grid(order, random, shared);
    alarm(0);
#ifdef WAVELOOM_RACES
    watch.on = false;
    for (const Watched& region : watch.regions) {
        const int at = &region == &watch.regions.front() ? 2 : 0;
        traffic[at] += region.read;
        traffic[at + 1] += region.written;
    }
#endif
    for (size_t i = 0; i < buffers.size(); ++i)
        if (!buffers[i].whole()) fail("ends", "buffer %zu was written beyond its ends", i);
    write_bytes("done", 4);
    write_bytes(&block.barriers, 8);
    write_bytes(&block.shuffles, 8);
    write_bytes(traffic, sizeof traffic);
    for (Buffer& buffer : buffers) {
        write_bytes(buffer.begin, buffer.bytes);
        buffer.release();
    }
    for (void* argument : arguments) free(argument);
    fflush(stdout);
}

} // namespace waveloom

int main() {
    // Threads never move: fibres hold their addresses.
    waveloom::block.threads.reserve(1024);
    const waveloom::Region shared = waveloom::shared_memory();
    for (int next = getchar(); next != EOF; next = getchar()) {
        ungetc(next, stdin);
        waveloom::serve(shared);
    }
    return 0;
}
