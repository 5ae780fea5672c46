set(CMAKE_SYSTEM_PROCESSOR s390x)
set(TIRB_CROSS_TRIPLET s390x-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
