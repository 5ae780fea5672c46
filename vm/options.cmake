# How the sources of libtirb are compiled, where the project's flags alone are not it: options by file, in the order in which
# a compiler reads them, so that a later one of two that contradict each other holds.

# What many of these are about: files of vm/ without their endings.
set(dispatch exec/dispatch)                             # the scalar machine
set(machines lanes/lanes_[a-z0-9_]+)                    # the lane machines, one file for each instruction set and width
set(register_machines lanes/lanes_registers_[a-z0-9_]+)
set(kernels lanes/kernels_[a-z0-9]+)                    # loops over strips
set(tiles "contract/(tiles|quads)_[a-z0-9]+")           # matrix products

# tirb_compile(FILES [EXCEPT FILES] [SANITIZED | PLAIN] OPTIONS ...): adds options for the files of vm/ that match the
# expression FILES; SANITIZED: those that sanitizers look at alone, PLAIN: the others alone.
function(tirb_compile files)
    cmake_parse_arguments(arg "SANITIZED;PLAIN" "EXCEPT" "" ${ARGN})
    set(sources ${TIRB_SOURCES})
    if(arg_SANITIZED)
        set(sources ${sanitized_sources})
    elseif(arg_PLAIN AND sanitized_sources)
        list(REMOVE_ITEM sources ${sanitized_sources})
    endif()
    list(FILTER sources INCLUDE REGEX "/vm/(${files})\\.c$")
    if(arg_EXCEPT)
        list(FILTER sources EXCLUDE REGEX "/vm/(${arg_EXCEPT})\\.c$")
    endif()
    foreach(source IN LISTS sources)
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${arg_UNPARSED_ARGUMENTS})
    endforeach()
endfunction()

set(is_x86_64 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(is_x86_64 TRUE)
endif()

# ---- What neither is a machine nor loops over data --------------------------------------------------------------------

# Of branches -O3 makes a third more, and none faster.
set(loops "contract/(fold_ints|tiles_|quads_|sweep|pack|direct)[a-z0-9]*|call/strided|math/.*")
foreach(source IN LISTS TIRB_SOURCES)
    if(NOT source MATCHES "/vm/(${dispatch}|lanes/[a-z0-9_]+|${loops})\\.c$")
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
    endif()
endforeach()
# What loads and translates programs goes on from branch to branch: where a function, a loop or a jump's end begins makes no
# difference to it, and what is between them is a twentieth.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    foreach(source IN LISTS TIRB_SOURCES)
        if(source MATCHES "/(loader/[a-z]+|vm/translate)/[a-z0-9_]+\\.c$")
            set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS
                -falign-functions=1 -falign-jumps=1 -falign-loops=1 -falign-labels=1)
        endif()
    endforeach()
endif()

# ---- Instruction sets -------------------------------------------------------------------------------------------------

# Sources of one instruction set end in its name. They compile to nothing on other machines.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    include(CheckCCompilerFlag)
    check_c_compiler_flag(-mavx512fp16 TIRB_KNOWS_FP16) # gcc from 12 and clang from 14 on (vm/lanes/isas.h)
    set(avx2 -mavx2 -mfma)
    tirb_compile("[a-z]+/[a-z0-9_]*_avx2" ${avx2})
    tirb_compile("[a-z]+/[a-z0-9_]*_avx512" ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl)
    if(TIRB_KNOWS_FP16)
        tirb_compile(lanes/halves_avx512 -mavx512fp16)
    endif()
endif()

# ---- Which sources sanitizers look at ---------------------------------------------------------------------------------

# Where this machine's own lanes are there, those in plain C are what these are compared with: the check sees them sanitized
# in other builds, and TIRB_SANITIZE_ALL=OFF leaves them as in a plain one.
set(has_vectors FALSE)
if((is_x86_64 AND NOT TIRB_WITHOUT MATCHES "SSE2") OR
   (CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND NOT TIRB_WITHOUT MATCHES "NEON"))
    set(has_vectors TRUE)
endif()
set(sanitized_sources "")
if(TIRB_SANITIZE)
    set(sanitized_sources ${TIRB_SOURCES})
    if(has_vectors AND NOT TIRB_SANITIZE_ALL)
        list(FILTER sanitized_sources EXCLUDE REGEX "_generic\\.c$")
    endif()
endif()
foreach(source IN LISTS sanitized_sources)
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${TIRB_SANITIZE_OPTIONS})
endforeach()

# ---- Dispatch loops ---------------------------------------------------------------------------------------------------

set(TIRB_LARGE_FRAMES OFF) # frames are larger than is promised
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # One indirect jump at the end of each handler, not a shared one; and no instructions moved apart before registers are
    # given out, which makes values live longer than there are registers. Handlers share no values, so redundancy elimination
    # finds next to nothing, but takes half of the compilation looking; without it gcc also spills less in a lane machine.
    tirb_compile("${dispatch}|${machines}" -fno-gcse -fno-crossjumping -fno-schedule-insns -fno-tree-fre)
    # Nor do these, for which each handler leads to each other one: they take time by the square of the handlers.
    tirb_compile(${machines}
        -fno-tree-pta -fno-tree-ccp -fno-tree-vrp -fno-tree-pre -fno-tree-dominator-opts -fno-tree-dse -fno-tree-sink
        -fno-dce -fno-dse -fno-ree -fno-cprop-registers -fno-if-conversion -fno-if-conversion2 -fno-shrink-wrap
        -fno-split-wide-types)
    # -O3 takes minutes over three thousand handlers of seven banks, and makes nothing of them. Those that are there several
    # times stay so.
    tirb_compile(${register_machines} -O2 -fno-tree-tail-merge)
    # Without hoisting too the pass of -fno-tree-pre is left out. (The register machine would spill.)
    tirb_compile(${machines} EXCEPT ${register_machines} -fno-code-hoisting -fno-tree-slp-vectorize)
    # The same without what looks for values of one handler in others: it takes a tenth of the time. The frame pointer's
    # register is one of those that it names.
    tirb_compile(${dispatch} -fomit-frame-pointer -fno-gcse-after-reload -fno-tree-pre -fno-code-hoisting -fno-tree-dse
        -fno-tree-slp-vectorize)
    if(is_x86_64)
        # Numbers that are on the stack stay out of vector registers.
        tirb_compile(${machines} -mno-stv)
        # What one form has written to a register the next one reads: processors foresee that by the places of both, which
        # forms that begin anywhere seem to share, and so do they where a form goes on to. (Elsewhere s390x's gcc would lose
        # count of how far its branches go.)
        tirb_compile("${dispatch}|enter/row_loop|${machines}" -falign-labels=16)
    endif()
endif()
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    # Of the machine that dispatches by switch, which tests alone ask for, clang makes in two seconds what it optimizes in
    # fifty.
    if(TIRB_SWITCH_DISPATCH)
        set(TIRB_LARGE_FRAMES ON)
        tirb_compile(${dispatch} -O0)
    endif()
    # clang follows the variables of a dispatch loop through all its handlers to find one that was not set: up to half a
    # minute a file. (gcc warns of those.)
    tirb_compile("${dispatch}|${machines}" -Wno-uninitialized)
endif()

# ---- Kernels and tiles ------------------------------------------------------------------------------------------------

if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # They are loops over vectors that only -O3 writes out, whatever the rest is built with. Not so where sanitizers add their
    # checks to each access: gcc takes half a minute a file to optimize those. (s390x has no vectors that are not asked for.)
    set(level -O3)
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "s390x")
        set(level -O0)
    endif()
    tirb_compile("${kernels}|${tiles}|math/fused" SANITIZED -fno-trapping-math -O0)
    tirb_compile("${kernels}|${tiles}|math/fused" PLAIN -fno-trapping-math ${level})
    # Thousands of short functions, of which only the loops need begin where fetching does.
    tirb_compile("${kernels}|${tiles}" -falign-functions=1 -falign-jumps=1)
    # Some of these, such as transpositions, take up to 1.8 times as long where they begin in the middle of what is
    # fetched at once: 80 KB in all.
    tirb_compile(${kernels} -falign-loops=32)
    # A loop over some vectors is no call of memcpy, nor the string instruction that gcc makes of one.
    tirb_compile(${kernels} -fno-tree-loop-distribute-patterns)
    # SSE2's tiles are those in plain C (vm/contract/tables.c), and for size they would take up to fifty times as long.
    set(rare "lanes/kernels_generic|contract/tiles_generic")
    if(is_x86_64)
        set(rare lanes/kernels_generic)
    endif()
    if(has_vectors)
        tirb_compile(${rare} PLAIN -Os)
        # The lane machine in plain C, too, is there to be compared with.
        tirb_compile(lanes/lanes_generic PLAIN -falign-labels=1)
    endif()
endif()
# They call no code of a host's, which could throw through them: tables of how to unwind thousands of small functions are a
# twentieth of the library, and read by nobody. (Sanitizers tell by them who called.)
if(NOT TIRB_BUILD_FUZZ)
    tirb_compile("(lanes/kernels|contract/tiles)_[a-z0-9]+" PLAIN
        -fno-unwind-tables -fno-asynchronous-unwind-tables)
endif()

# ---- What sanitizers would take minutes for ---------------------------------------------------------------------------

# Not each access of kernels and tiles is looked at in place: a call of AddressSanitizer's library is compiled in three
# quarters of the time. (Programs of tests have such calls, too.)
set(TIRB_CALLED_CHECKS "")
if(TIRB_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(TIRB_CALLED_CHECKS --param=asan-instrumentation-with-call-threshold=0)
    tirb_compile("${kernels}|${tiles}" SANITIZED ${TIRB_CALLED_CHECKS})
endif()
if(TIRB_SANITIZE)
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/vm/translate/lane_body.c
        APPEND PROPERTY COMPILE_DEFINITIONS TIRB_GENERIC_STRIPS=1)
    # Of a machine that sanitizers have instrumented, and nobody has optimized, two frames are larger than a worker's stack.
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/loader/base/thread.c
        APPEND PROPERTY COMPILE_DEFINITIONS TIRB_THREAD_STACK_TIMES=4)
endif()
# Where sanitizers look at libtirb alone few programs run, and most of what these do is not the scalar machine's, which gcc
# compiles in a third of the time where it does not optimize.
if(TIRB_SANITIZE AND NOT TIRB_SANITIZE_ALL)
    set(TIRB_LARGE_FRAMES ON)
    tirb_compile(${dispatch} -O0)
endif()
if(TIRB_SANITIZE MATCHES "undefined")
    # The machines are half of a build with sanitizers, and compute addresses at each access, where AddressSanitizer looks at
    # them.
    tirb_compile("(lanes|contract|machine|translate|enter|exec)/[a-z0-9_]+" -fno-sanitize=pointer-overflow)
    # Nor are addresses looked at in what AVX2's kernels and tiles are compared with: fuzzers, which have no others, look at
    # these. AVX2's machine for short rows has the handlers of the other one: what is undefined in these is found there.
    if(is_x86_64 AND NOT TIRB_WITHOUT MATCHES "AVX2")
        tirb_compile("(lanes/kernels|contract/tiles)_generic" -fno-sanitize=address)
        tirb_compile(lanes/lanes_narrow_avx2 -fno-sanitize=undefined)
    endif()
endif()
# AVX-512's machines are the largest: gcc takes minutes a file with both sanitizers, and seconds with AddressSanitizer alone.
# (The same handlers go through UndefinedBehaviorSanitizer in AVX2's.)
if(TIRB_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    tirb_compile("lanes/lanes_[a-z0-9_]*avx512" -fno-sanitize=undefined -g1)
endif()
# clang takes minutes for a dispatch loop, and for a tile of a product, under UndefinedBehaviorSanitizer, and for those that it
# optimizes with AddressSanitizer. (gcc's build with all sanitizers runs the same inputs through fuzz_replay.)
if(TIRB_BUILD_FUZZ)
    tirb_compile("lanes/.*|${tiles}|${dispatch}" -fno-sanitize=undefined -gline-tables-only -O1)
    tirb_compile("lanes/(lanes|kernels)_.*|${tiles}|${dispatch}" -O0)
endif()
