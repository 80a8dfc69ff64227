# Every dependency and its floor version; docs/dependencies.md says why each.

# What CMake says of a missing package names no Debian package: scripts/setup.sh has the list and installs it.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(nlohmann_json 3.9 REQUIRED)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece>=0.1.97)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8)
pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid>=3.32)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium>=1.0.18)
pkg_check_modules(HIREDIS REQUIRED hiredis>=0.14)
pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc>=5.3)
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core>=1.0)
find_library(DIPACO_SENTENCEPIECE_TRAIN sentencepiece_train REQUIRED)
find_path(DIPACO_FCCP_INCLUDE libfccp/csv.h REQUIRED)

# Debian's Gloo ships no CMake package.
find_library(DIPACO_GLOO gloo REQUIRED)
find_path(DIPACO_GLOO_INCLUDE gloo/config.h REQUIRED)
add_library(dipaco_gloo_library INTERFACE)
target_include_directories(dipaco_gloo_library SYSTEM INTERFACE ${DIPACO_GLOO_INCLUDE}
                                                              ${PROJECT_SOURCE_DIR}/backends/gloo/missing)
target_link_libraries(dipaco_gloo_library INTERFACE ${DIPACO_GLOO} Threads::Threads)

add_library(dipaco_asio INTERFACE)
target_compile_options(dipaco_asio INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>)  # of its frames
target_link_libraries(dipaco_asio INTERFACE Boost::boost Threads::Threads)

# The flags of its pkg-config define _FILE_OFFSET_BITS, with which no precompiled header fits.
find_path(DIPACO_HIREDIS_INCLUDE hiredis/hiredis.h REQUIRED)
add_library(dipaco_hiredis INTERFACE)
target_include_directories(dipaco_hiredis SYSTEM INTERFACE ${DIPACO_HIREDIS_INCLUDE})
target_link_libraries(dipaco_hiredis INTERFACE ${HIREDIS_LINK_LIBRARIES})

add_library(dipaco_fccp INTERFACE)
target_include_directories(dipaco_fccp SYSTEM INTERFACE ${DIPACO_FCCP_INCLUDE})
target_link_libraries(dipaco_fccp INTERFACE Threads::Threads)

if(DIPACO_TESTS)
  find_package(Catch2 2.13 REQUIRED)
endif()

# LibTorch: the unpacked wheel. Its own CMake package asks for a CUDA toolkit, so the two libraries are named here.
if(DIPACO_NN)
  if(DEFINED ENV{DIPACO_TORCH_DIR})
    set(_dipaco_torch $ENV{DIPACO_TORCH_DIR})
  elseif(DEFINED ENV{DIPACO_CACHE})
    set(_dipaco_torch $ENV{DIPACO_CACHE}/libtorch/torch)
  else()
    set(_dipaco_torch $ENV{HOME}/.cache/dipaco/libtorch/torch)
  endif()
  set(DIPACO_TORCH_DIR ${_dipaco_torch} CACHE PATH "LibTorch: a folder with include/ and lib/")
  if(NOT EXISTS ${DIPACO_TORCH_DIR}/lib/libtorch_cpu.so)
    message(FATAL_ERROR "no LibTorch in ${DIPACO_TORCH_DIR}: run scripts/setup.sh, name one by -DDIPACO_TORCH_DIR=..., "
                        "or build without learning with -DDIPACO_NN=OFF")
  endif()
  add_library(dipaco_c10 SHARED IMPORTED)
  set_target_properties(dipaco_c10 PROPERTIES IMPORTED_LOCATION ${DIPACO_TORCH_DIR}/lib/libc10.so)
  add_library(dipaco_torch SHARED IMPORTED)
  set_target_properties(dipaco_torch PROPERTIES IMPORTED_LOCATION ${DIPACO_TORCH_DIR}/lib/libtorch_cpu.so)
  target_include_directories(dipaco_torch SYSTEM INTERFACE ${DIPACO_TORCH_DIR}/include
                                                           ${DIPACO_TORCH_DIR}/include/torch/csrc/api/include)
  target_link_libraries(dipaco_torch INTERFACE dipaco_c10)
  # libtorch_cpu names CUDA's run time, which lies beside it and is found by its own RUNPATH.
  target_link_options(dipaco_torch INTERFACE -Wl,--allow-shlib-undefined)
endif()
