# What `cmake --install` leaves: docs/library.md. Components: programs, and development for headers and libraries.

# The component of find_package that a library of this folder is part of: core or a backend; empty: none.
function(dipaco_package_component result)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(folder MATCHES "^core/")
    set(${result} core PARENT_SCOPE)
  elseif(folder MATCHES "^backends/([a-z]+)")
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

# Installs dipaco_NAME as DiPaCo::NAME, if it is part of a component. Both forms of an include work installed: the one
# of this tree, "core/...", and <dipaco/core/...>.
function(dipaco_install_library name)
  dipaco_package_component(component)
  if(DIPACO_SANITIZE OR NOT component)
    return()
  endif()
  get_target_property(type dipaco_${name} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    set(scope INTERFACE)
  else()
    set(scope PUBLIC)
  endif()
  target_include_directories(dipaco_${name} ${scope} $<INSTALL_INTERFACE:include> $<INSTALL_INTERFACE:include/dipaco>)
  target_compile_features(dipaco_${name} ${scope} cxx_std_20)
  # What headers define inline is compiled as the libraries are, or bits differ.
  target_compile_options(dipaco_${name} ${scope} $<INSTALL_INTERFACE:-ffp-contract=off>)
  set_target_properties(dipaco_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS dipaco_${name} EXPORT DiPaCo-${component}
    ARCHIVE DESTINATION lib/dipaco COMPONENT development
    FILE_SET HEADERS DESTINATION include/dipaco COMPONENT development)
  if(component STREQUAL core)
    set_property(GLOBAL APPEND PROPERTY DIPACO_CORE dipaco_${name})
  endif()
endfunction()

# All of core as one target, DiPaCo::core: a backend's target has what it needs of it.
function(dipaco_install_core)
  add_library(dipaco_core INTERFACE)
  get_property(parts GLOBAL PROPERTY DIPACO_CORE)
  target_link_libraries(dipaco_core INTERFACE ${parts})
  set_target_properties(dipaco_core PROPERTIES EXPORT_NAME core)
  install(TARGETS dipaco_core EXPORT DiPaCo-core)
endfunction()

# The trainer and where it looks for LibTorch: lib/dipaco/libtorch/torch. Of the build's own LibTorch there is a link,
# which no package has; a package has a script that fetches it.
function(dipaco_install_trainer)
  set_target_properties(dipaco_nn PROPERTIES INSTALL_RPATH "$ORIGIN/libtorch/torch/lib")
  install(TARGETS dipaco_nn LIBRARY DESTINATION lib/dipaco COMPONENT programs)
  set(link lib/dipaco/libtorch/torch)
  install(CODE "
    set(link \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${link}\")
    if(NOT EXISTS \"\${link}\")
      message(STATUS \"Installing: \${link} -> ${DIPACO_TORCH_DIR}\")
      file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/dipaco/libtorch\")
      file(CREATE_LINK \"${DIPACO_TORCH_DIR}\" \"\${link}\" SYMBOLIC)
    endif()" COMPONENT libtorch)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/install_libtorch.sh DESTINATION lib/dipaco COMPONENT programs)
  file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/libtorch.txt pinned REGEX "^torch==")
  if(pinned MATCHES "^torch==${DIPACO_TORCH_VERSION}[ +]")  # the trainer fits no other
    install(FILES ${PROJECT_SOURCE_DIR}/scripts/libtorch.txt DESTINATION lib/dipaco COMPONENT programs)
  endif()
endfunction()

# Called once all targets are there.
function(dipaco_install_package)
  include(CMakePackageConfigHelpers)
  dipaco_install_core()
  if(DIPACO_NN)
    dipaco_install_trainer()
  endif()
  set(folder lib/cmake/DiPaCo)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/DiPaCoConfig.cmake.in
    ${PROJECT_BINARY_DIR}/DiPaCoConfig.cmake INSTALL_DESTINATION ${folder})
  # Before 1.0 a minor version may break what docs/library.md says it may.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/DiPaCoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/DiPaCoConfig.cmake ${PROJECT_BINARY_DIR}/DiPaCoConfigVersion.cmake
    DESTINATION ${folder} COMPONENT development)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/DipacoFind.cmake RENAME DiPaCoFind.cmake
    DESTINATION ${folder} COMPONENT development)
  foreach(component core loopback sim gloo)
    install(EXPORT DiPaCo-${component} NAMESPACE DiPaCo:: DESTINATION ${folder} COMPONENT development)
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/backends/gloo/missing/gloo/common/memory.h
    DESTINATION include/dipaco/missing/gloo/common COMPONENT development)
  foreach(program dipaco dipaco-run dipaco-sim dipaco-report)
    install(TARGETS ${program} RUNTIME DESTINATION bin COMPONENT programs)
    install(FILES ${PROJECT_SOURCE_DIR}/docs/man/${program}.1 DESTINATION share/man/man1 COMPONENT programs)
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/dipaco RENAME copyright COMPONENT programs)
  install(FILES ${PROJECT_SOURCE_DIR}/analysis/page/vendor/LICENSE.uPlot DESTINATION share/doc/dipaco COMPONENT programs)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION share/dipaco COMPONENT programs)
endfunction()
