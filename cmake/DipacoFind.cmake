# Finds what the libraries link, for this build and, installed beside DiPaCoConfig.cmake, for those who use them.
# dipaco_find_core(), dipaco_find_sim(), dipaco_find_gloo() append what is not there to the list dipaco_missing.
# Macros, as much of what find_package sets is for the caller's folder.

macro(_dipaco_need found what package)
  if(NOT ${found})
    list(APPEND dipaco_missing "${what} (Debian: ${package})")
  endif()
endmacro()

macro(_dipaco_need_module prefix module floor package)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module}>=${floor})
  _dipaco_need(${prefix}_FOUND "${module} ${floor}" ${package})
endmacro()

# The library that `variable` names, with its folder of headers, as target DiPaCoExternal::NAME.
macro(_dipaco_external name)
  if(NOT TARGET DiPaCoExternal::${name})
    add_library(DiPaCoExternal::${name} INTERFACE IMPORTED)
    target_link_libraries(DiPaCoExternal::${name} INTERFACE ${ARGN})
  endif()
endmacro()

macro(_dipaco_find_pkg_config)
  find_package(Threads QUIET)
  _dipaco_need(Threads_FOUND "threads" libc6-dev)
  find_package(PkgConfig QUIET)
  _dipaco_need(PkgConfig_FOUND "pkg-config" pkg-config)
endmacro()

macro(dipaco_find_core)
  _dipaco_find_pkg_config()
  find_package(ZLIB QUIET)
  _dipaco_need(ZLIB_FOUND "zlib" zlib1g-dev)
  find_package(nlohmann_json 3.9 QUIET)
  _dipaco_need(nlohmann_json_FOUND "nlohmann_json 3.9" nlohmann-json3-dev)
  _dipaco_need_module(SENTENCEPIECE sentencepiece 0.1.97 libsentencepiece-dev)
  _dipaco_need_module(XXHASH libxxhash 0.8 libxxhash-dev)
  find_library(DIPACO_SENTENCEPIECE_TRAIN sentencepiece_train)
  _dipaco_need(DIPACO_SENTENCEPIECE_TRAIN "sentencepiece_train" libsentencepiece-dev)
  _dipaco_external(sentencepiece_train ${DIPACO_SENTENCEPIECE_TRAIN})
endmacro()

macro(dipaco_find_sim)
  _dipaco_find_pkg_config()
  _dipaco_need_module(SIMGRID simgrid 3.32 libsimgrid-dev)
endmacro()

# dipaco_gloo_missing: the folder with the header that Debian's Gloo lacks.
macro(dipaco_find_gloo)
  _dipaco_find_pkg_config()
  find_package(Boost 1.74 QUIET)
  _dipaco_need(Boost_FOUND "Boost 1.74" libboost-dev)
  find_package(nlohmann_json 3.9 QUIET)
  _dipaco_need(nlohmann_json_FOUND "nlohmann_json 3.9" nlohmann-json3-dev)
  _dipaco_need_module(SODIUM libsodium 1.0.18 libsodium-dev)
  _dipaco_need_module(XXHASH libxxhash 0.8 libxxhash-dev)
  _dipaco_need_module(PROMETHEUS prometheus-cpp-core 1.0 prometheus-cpp-dev)
  # The flags of its pkg-config define _FILE_OFFSET_BITS, with which no precompiled header fits.
  pkg_check_modules(HIREDIS QUIET hiredis>=0.14)
  find_path(DIPACO_HIREDIS_INCLUDE hiredis/hiredis.h)
  if(HIREDIS_FOUND AND DIPACO_HIREDIS_INCLUDE)
    _dipaco_external(hiredis ${HIREDIS_LINK_LIBRARIES})
    target_include_directories(DiPaCoExternal::hiredis INTERFACE ${DIPACO_HIREDIS_INCLUDE})
  else()
    list(APPEND dipaco_missing "hiredis 0.14 (Debian: libhiredis-dev)")
  endif()
  # Debian's Gloo ships no CMake package.
  find_library(DIPACO_GLOO gloo)
  find_path(DIPACO_GLOO_INCLUDE gloo/config.h)
  if(DIPACO_GLOO AND DIPACO_GLOO_INCLUDE)
    _dipaco_external(gloo ${DIPACO_GLOO} Threads::Threads)
    target_include_directories(DiPaCoExternal::gloo INTERFACE ${DIPACO_GLOO_INCLUDE} ${dipaco_gloo_missing})
  else()
    list(APPEND dipaco_missing "Gloo (Debian: libgloo-dev)")
  endif()
  _dipaco_external(asio Boost::boost Threads::Threads)
  target_compile_options(DiPaCoExternal::asio INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>)  # of its frames
endmacro()
