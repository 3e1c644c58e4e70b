# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake --toolchain SluiceToolchain.cmake: CUDA as a language is compiled by
# sluice-nvcc, which takes nvcc's options. This file lies in a build folder, or
# in an installation beside SluiceConfig.cmake.
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/bin/sluice-nvcc)
  set(SLUICE_NVCC ${CMAKE_CURRENT_LIST_DIR}/bin/sluice-nvcc)
else()
  find_program(SLUICE_NVCC sluice-nvcc REQUIRED HINTS
    ${CMAKE_CURRENT_LIST_DIR}/../../../bin
    ${CMAKE_CURRENT_LIST_DIR}/../../../../bin)
endif()
set(CMAKE_CUDA_COMPILER ${SLUICE_NVCC})
