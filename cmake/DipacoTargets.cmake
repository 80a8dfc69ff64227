# dipaco_library(NAME FILES... DEPENDS...) and friends: one place for warnings, sanitizers and include paths.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "g++ ${CMAKE_CXX_COMPILER_VERSION} is too old: 12 is the floor; name another with CXX=...")
endif()

# ccache where there is one; told what lets it keep precompiled headers and serve a checkout in another folder.
find_program(DIPACO_CCACHE ccache)
if(DIPACO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${DIPACO_CCACHE})
endif()

add_library(dipaco_settings INTERFACE)
# Outer gradients are sums of exact products: a fused multiply-add would change their bits between compilers.
target_compile_options(dipaco_settings INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                                 -Woverloaded-virtual
                                                 # A designated initialiser leaves the rest at its default on purpose.
                                                 -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(dipaco_settings INTERFACE -Wno-restrict)  # false alarms on std::string's operator+
endif()
if(DIPACO_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(dipaco_settings INTERFACE -fpch-preprocess)  # or ccache gives up on precompiled headers
elseif(DIPACO_CCACHE)
  target_compile_options(dipaco_settings INTERFACE "SHELL:-Xclang -fno-pch-timestamp")  # or a header out of ccache is too old
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(dipaco_settings INTERFACE -Wno-subobject-linkage)  # takes an included source for a header
endif()
if(DIPACO_WERROR)
  target_compile_options(dipaco_settings INTERFACE -Werror)
endif()
if(DIPACO_SANITIZE)
  # vptr compares type names across the trainer's shared object, which is loaded locally. object-size takes a quarter of
  # the compiler's time, and AddressSanitizer finds what it looks for.
  target_compile_options(dipaco_settings INTERFACE -fsanitize=${DIPACO_SANITIZE} -fno-sanitize=vptr,object-size
                                                   -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(dipaco_settings INTERFACE -fsanitize=${DIPACO_SANITIZE})
endif()

# What many sources of the libraries include, precompiled once. Their own headers stay as they are: scripts/lint.sh, which
# precompiles none of these, sees what one fails to include. Not in optimised builds: g++ 12 then takes much of what is done with
# std::string for an overflow, which in a debug build sanitizers look for.
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  file(CONFIGURE OUTPUT headers.cpp CONTENT "// Precompiled headers need a source.\n")
  add_library(dipaco_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
  target_link_libraries(dipaco_headers PRIVATE dipaco_settings)
  target_precompile_headers(dipaco_headers PRIVATE
    <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex> <optional> <set>
    <span> <sstream> <string> <string_view> <utility> <variant> <vector>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(dipaco_settings INTERFACE -Wno-stringop-overflow)
  endif()
endif()

# Static library dipaco_NAME, alias dipaco::NAME. HEADERS are installed (docs/library.md), INTERNAL ones are not.
# PRECOMPILE: a header that takes longer than all of dipaco_headers.
function(dipaco_library name)
  cmake_parse_arguments(arg "" "" "FILES;HEADERS;INTERNAL;DEPENDS;PRIVATE_DEPENDS;PRECOMPILE" ${ARGN})
  add_library(dipaco_${name} STATIC ${arg_FILES} ${arg_INTERNAL})
  add_library(dipaco::${name} ALIAS dipaco_${name})
  target_sources(dipaco_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_include_directories(dipaco_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(dipaco_${name} PUBLIC ${arg_DEPENDS}
                                       PRIVATE ${arg_PRIVATE_DEPENDS} $<BUILD_INTERFACE:dipaco_settings>)
  set_target_properties(dipaco_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)  # sources as one in a unity build
  if(arg_PRECOMPILE)
    target_precompile_headers(dipaco_${name} PRIVATE ${arg_PRECOMPILE})
  elseif(TARGET dipaco_headers)
    target_precompile_headers(dipaco_${name} REUSE_FROM dipaco_headers)
  endif()
  dipaco_install_library(${name})
endfunction()

# Header-only library dipaco_NAME: seams.
function(dipaco_interface name)
  cmake_parse_arguments(arg "" "" "HEADERS;DEPENDS" ${ARGN})
  add_library(dipaco_${name} INTERFACE)
  add_library(dipaco::${name} ALIAS dipaco_${name})
  target_sources(dipaco_${name} INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_include_directories(dipaco_${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(dipaco_${name} INTERFACE ${arg_DEPENDS})
  dipaco_install_library(${name})
endfunction()

function(dipaco_program name)
  cmake_parse_arguments(arg "" "" "FILES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_FILES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} dipaco_settings)
endfunction()

# dipaco_text_of(VARIABLE FILE...)
#   The files' texts, one behind the other, for a configure_file; it is done again when one of them changes.
function(dipaco_text_of variable)
  set(all "")
  foreach(part ${ARGN})
    file(READ ${part} text)
    string(APPEND all "${text}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${part})
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()
