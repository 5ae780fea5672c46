# cmake -DROOT=... -DOUTPUT=... -P build_id.cmake: writes build_id.c, which names the code by the SHA-256 of all sources
# that decide what is compiled and how it is checked: their paths and contents, in the order of the paths.
cmake_minimum_required(VERSION 3.21)
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/include/* ${ROOT}/loader/* ${ROOT}/vm/* ${ROOT}/compiler/*)
list(FILTER sources EXCLUDE REGEX "\\.md$")
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
    file(SHA256 ${ROOT}/${source} hash)
    string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 id "${all}")
file(WRITE ${OUTPUT} "#include \"loader/cache/build_id.h\"

const char tirbi_build_id[TIRBI_BUILD_ID_SIZE + 1] =
    \"${id}\";
")
