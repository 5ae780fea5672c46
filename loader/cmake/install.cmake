# Installs the libraries, the public headers, the CMake package (tirb::tirb, tirb::tirbc) and the pkg-config files.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tirb)
set(installed tirb)
if(TARGET tirbc)
    list(APPEND installed tirbc)
endif()
install(TARGETS ${installed} EXPORT tirb-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT tirb-targets NAMESPACE tirb:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tirb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tirb-config.cmake.in
    ${PROJECT_BINARY_DIR}/tirb-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tirb-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tirb-config.cmake ${PROJECT_BINARY_DIR}/tirb-config-version.cmake
    DESTINATION ${package_dir})

# The .pc files find the prefix from where they lie, so that an installed tree may be moved. Folders that the packager
# made absolute stay as they are.
set(TIRB_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
set(TIRB_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
set(TIRB_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(TIRB_PC_PREFIX "\${pcfiledir}/${up}")
    set(TIRB_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
        set(TIRB_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
    endif()
endif()

# A shared libtirb brings its libraries along; `pkg-config --static` names them for the archive. Where only the archive
# is installed, every consumer needs them.
set(TIRB_PC_PRIVATE "")
set(TIRB_PC_LIBS " -lm -pthread")
if(BUILD_SHARED_LIBS)
    set(TIRB_PC_PRIVATE ".private")
    set(TIRB_PC_LIBS "")
endif()
foreach(library IN LISTS installed)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
