# `cpack -G DEB`: dipaco with the programs, and libdipaco-dev with headers and libraries.
set(CPACK_PACKAGE_CONTACT "The DiPaCo authors <dipaco@localhost>")
set(CPACK_PACKAGE_VENDOR "DiPaCo")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
# Not the link to the build's own LibTorch.
set(CPACK_COMPONENTS_ALL programs development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME dipaco)
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "Trains one large language model as many small paths through shared modules: in
a simulated wide-area network (dipaco-sim) or for real (dipaco-run). Learning
needs LibTorch, which Debian does not have in a version that fits: the script
/usr/lib/dipaco/install_libtorch.sh fetches it. Simulating without learning
needs nothing more.")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "python3-pip, unzip")
if(DIPACO_NN)
  # No package has it, so nothing becomes of it but that dpkg-shlibdeps does not stop there.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${DIPACO_TORCH_DIR}/lib)
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdipaco-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and libraries for programs that run DiPaCo themselves: find_package(DiPaCo)
of CMake finds the libraries, and what they need.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "dipaco (= ${PROJECT_VERSION}), libsentencepiece-dev, libxxhash-dev, nlohmann-json3-dev, zlib1g-dev, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libsimgrid-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "libboost-dev, libgloo-dev, libhiredis-dev, libsodium-dev, prometheus-cpp-dev")
include(CPack)
