# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake-package: a project of its own finds Sluice in this build folder, puts it
# on a target, and gets a throttled kernel.
add_test(NAME cmake-package COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cmake-package
  --build-generator ${CMAKE_GENERATOR}
  --build-options
    -DSluice_DIR=${CMAKE_BINARY_DIR}
    -DCMAKE_CXX_COMPILER=${LLVM_TOOLS_BINARY_DIR}/clang++
    -DCUDA_PATH=${SLUICE_CUDA_PATH})
