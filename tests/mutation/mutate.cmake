# What the mutation gate (gate.py) is about: the verifier, the decoder and the reader of bundles. Copies of their sources
# with a switch in each check, and the loader's tests once more, which find them in front of the library.
file(GLOB mutated RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/loader/verify/*.c)
list(APPEND mutated loader/isa/isa.c loader/bundle/read.c loader/bundle/pack.c loader/bundle/frame.c)
set(mutation_folder ${PROJECT_BINARY_DIR}/mutation)
set(originals ${mutated})
list(TRANSFORM originals PREPEND ${PROJECT_SOURCE_DIR}/)
set(copies ${mutated})
list(TRANSFORM copies PREPEND ${mutation_folder}/)
add_custom_command(OUTPUT ${copies} ${mutation_folder}/checks.json
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/mutation/instrument.py --root ${PROJECT_SOURCE_DIR}
        --into ${mutation_folder} ${mutated}
    DEPENDS ${originals} ${PROJECT_SOURCE_DIR}/tests/mutation/instrument.py
    COMMENT "Putting switches into the loader's checks" VERBATIM)
# Only what is switched on is sure to be reached, and extra brackets are no mistake.
set_source_files_properties(${copies} PROPERTIES COMPILE_OPTIONS "-w;-O1")
tirb_library(tirb_mutated KIND OBJECT SOURCES ${copies} mutation/switch.c)
tirb_link_runtime(tirb_mutated)

# The quick ones first: one that fails is enough.
set(mutation_tests test_verify test_isa test_bundle test_malformed test_regions test_stored test_asm_programs
    test_api_sweep test_assembly test_load_limits test_hostile test_constants)
foreach(name IN LISTS mutation_tests)
    tirb_quick_program(mutated_${name} unit/${name}.c $<TARGET_OBJECTS:tirb_mutated>)
    target_link_libraries(mutated_${name} PRIVATE cmocka)
    set_target_properties(mutated_${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${mutation_folder}/bin)
endforeach()
target_sources(mutated_test_api_sweep PRIVATE differential/random.c)
list(JOIN mutation_tests "\n" lines)
file(GENERATE OUTPUT ${mutation_folder}/tests.txt CONTENT "${lines}\n")
