# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds a CUDA toolkit: CUDA_PATH (cache or environment), nvcc on PATH, the
# usual prefix. Sets SLUICE_CUDA_PATH. Sluice compiles nothing with nvcc; it
# needs cuda_occupancy.h to build, and headers, libdevice and ptxas to run.
if(NOT SLUICE_CUDA_PATH)
  set(SLUICE_CUDA_CANDIDATES ${CUDA_PATH} $ENV{CUDA_PATH})
  find_program(SLUICE_NVCC nvcc)
  if(SLUICE_NVCC)
    # nvcc on PATH may be a script that calls another: ask it where it is.
    execute_process(COMMAND ${SLUICE_NVCC} --dryrun -x cu /dev/null
      OUTPUT_VARIABLE SLUICE_NVCC_SAYS ERROR_VARIABLE SLUICE_NVCC_SAYS)
    if(SLUICE_NVCC_SAYS MATCHES "TOP=([^\n]+)")
      file(REAL_PATH ${CMAKE_MATCH_1} SLUICE_NVCC_ROOT)
      list(APPEND SLUICE_CUDA_CANDIDATES ${SLUICE_NVCC_ROOT})
    endif()
  endif()
  list(APPEND SLUICE_CUDA_CANDIDATES /usr/local/cuda)
  foreach(CANDIDATE IN LISTS SLUICE_CUDA_CANDIDATES)
    if(EXISTS ${CANDIDATE}/include/cuda_occupancy.h)
      set(SLUICE_CUDA_PATH ${CANDIDATE} CACHE PATH "Root of the CUDA toolkit")
      break()
    endif()
  endforeach()
endif()
if(NOT SLUICE_CUDA_PATH)
  message(FATAL_ERROR "No CUDA toolkit found (looked for "
    "include/cuda_occupancy.h under CUDA_PATH, nvcc's prefix and "
    "/usr/local/cuda). Set -DCUDA_PATH=..., or run utils/run-tests.sh, which "
    "installs one into the build folder.")
endif()
message(STATUS "CUDA toolkit: ${SLUICE_CUDA_PATH}")
