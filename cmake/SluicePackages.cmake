# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cpack` in the build folder makes a Debian package of what is installed. It is
# for the Debian whose LLVM packages Sluice was built with. The libraries that it
# needs are found by dpkg-shlibdeps; what the tools run is named here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Plugin for clang that makes CUDA kernels faster")
set(CPACK_PACKAGE_CONTACT "The authors of Sluice")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# clang-tools: clang-linker-wrapper, by which clang links CUDA programs. g++: the
# host compiler of sluice-nvcc.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "clang-${SLUICE_LLVM_VERSION}, clang-tools-${SLUICE_LLVM_VERSION}, g++")
# Debian's main section has no toolkit: ptxas, libdevice and the headers come from
# NVIDIA's packages or wheels, or from Debian's non-free section.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "cuda-toolkit-13-0 | cuda-toolkit | nvidia-cuda-toolkit (>= 12)")
# Debian wants the licence under this name.
install(FILES LICENSE DESTINATION ${SLUICE_DOC_DIR} RENAME copyright)
include(CPack)
