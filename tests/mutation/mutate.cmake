# What the mutation gate is about (tests/mutation/gate.py): the verifier, the decoder and the reader of bundles. Their
# sources are replaced by copies with a switch in each check.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
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
set_source_files_properties(${copies} PROPERTIES COMPILE_OPTIONS "-Wno-error;-Wno-parentheses;-O1")
list(REMOVE_ITEM TIRB_SOURCES ${originals})
list(APPEND TIRB_SOURCES ${copies} ${PROJECT_SOURCE_DIR}/tests/mutation/switch.c)
