// Stacks, and switching between them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifdef WAVELOOM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__) && !defined(WAVELOOM_UCONTEXT)

// Saves the callee-saved registers and the stack pointer, and takes up another stack. (swapcontext
// would do, but makes a system call each time to save the signal mask.)
extern "C" void waveloom_switch(void** save, void* load);
asm(R"(
.text
.globl waveloom_switch
.type waveloom_switch,@function
waveloom_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size waveloom_switch, .-waveloom_switch
)");

struct Context {
    void* stack_pointer = nullptr;

    void prepare(char* bottom, size_t bytes, void (*body)()) {
        // As after a call: the return address of `body` (none) sits 8 below a multiple of 16.
        void** top = reinterpret_cast<void**>(bottom + bytes) - 1;
        *top = nullptr;
        *--top = reinterpret_cast<void*>(body);
        for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
        stack_pointer = top;
    }
    static void jump(Context& from, Context& to) {
        waveloom_switch(&from.stack_pointer, to.stack_pointer);
    }
};

#else

#include <ucontext.h>

struct Context {
    ucontext_t machine = {};

    void prepare(char* bottom, size_t bytes, void (*body)()) {
        getcontext(&machine);
        machine.uc_stack.ss_sp = bottom;
        machine.uc_stack.ss_size = bytes;
        machine.uc_link = nullptr;
        makecontext(&machine, body, 0);
    }
    static void jump(Context& from, Context& to) { swapcontext(&from.machine, &to.machine); }
};

#endif

// A stack with a guard page below it. Unoptimised and watched, a function of a strip has a frame of many kilobytes.
struct Fibre {
    static constexpr size_t bytes = 1024 * 1024, guard = 4096;
    Context context;
    char* bottom = nullptr;
    void* fake_stack = nullptr;

    bool create(void (*body)()) {
        void* pages = mmap(nullptr, guard + bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED) return false;
        mprotect(pages, guard, PROT_NONE);
        bottom = static_cast<char*>(pages) + guard;
        context.prepare(bottom, bytes, body);
        return true;
    }
};

// The scheduler's own stack, as seen by the address sanitizer.
struct Home {
    Context context;
    void* fake_stack = nullptr;
    const void* bottom = nullptr;
    size_t bytes = 0;

    void enter(Fibre& fibre) {
#ifdef WAVELOOM_ASAN
        __sanitizer_start_switch_fiber(&fake_stack, fibre.bottom, Fibre::bytes);
#endif
        Context::jump(context, fibre.context);
#ifdef WAVELOOM_ASAN
        __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
    }
    // Called first on a new fibre.
    void entered() {
#ifdef WAVELOOM_ASAN
        __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
#endif
    }
    void leave(Fibre& fibre) {
#ifdef WAVELOOM_ASAN
        __sanitizer_start_switch_fiber(&fibre.fake_stack, bottom, bytes);
#endif
        Context::jump(fibre.context, context);
#ifdef WAVELOOM_ASAN
        __sanitizer_finish_switch_fiber(fibre.fake_stack, &bottom, &bytes);
#endif
    }
};
