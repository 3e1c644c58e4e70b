# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How Sluice's own libraries and tools are declared.

# The flags every Sluice target is compiled with.
add_library(sluice_flags INTERFACE)
target_include_directories(sluice_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_include_directories(sluice_flags SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
separate_arguments(SLUICE_LLVM_DEFINITIONS UNIX_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(sluice_flags INTERFACE ${SLUICE_LLVM_DEFINITIONS})
target_compile_options(sluice_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -fno-exceptions -fvisibility-inlines-hidden)

# sluice_library(NAME sources...): a static library. It links no LLVM: a plugin
# takes LLVM's symbols from the compiler that loads it, a tool links LLVM itself.
function(sluice_library NAME)
  add_library(${NAME} STATIC ${ARGN})
  target_link_libraries(${NAME} PUBLIC sluice_flags)
  target_precompile_headers(${NAME} ${SLUICE_HEADERS})
endfunction()

# sluice_plugin(NAME sources...): a shared object named NAME.so in build/lib.
function(sluice_plugin NAME)
  add_library(${NAME} MODULE ${ARGN})
  set_target_properties(${NAME} PROPERTIES PREFIX "")
  target_link_libraries(${NAME} PRIVATE sluice_flags)
  target_precompile_headers(${NAME} ${SLUICE_HEADERS})
  install(TARGETS ${NAME} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# sluice_tool(NAME sources...): an executable in build/bin, linked to LLVM.
function(sluice_tool NAME)
  add_executable(${NAME} ${ARGN})
  target_link_libraries(${NAME} PRIVATE sluice_flags LLVM)
  target_precompile_headers(${NAME} REUSE_FROM sluice_tool_headers)
  install(TARGETS ${NAME} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# sluice_embed(TARGET files...): the texts of the files, for embeddedFile of
# tools/sluice/EmbeddedFiles.h, by their names without folders.
function(sluice_embed TARGET)
  set(CASES "")
  foreach(FILE ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FILE})
    cmake_path(GET FILE FILENAME NAME)
    file(READ ${FILE} TEXT)
    string(APPEND CASES "  if (Name == \"${NAME}\")\n    return R\"sluice(${TEXT})sluice\";\n")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/EmbeddedFiles.cpp CONTENT
"// Made by sluice_embed.
#include \"${CMAKE_CURRENT_SOURCE_DIR}/EmbeddedFiles.h\"
llvm::StringRef sluice::embeddedFile(llvm::StringRef Name) {
${CASES}  return {};
}
")
  target_sources(${TARGET} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/EmbeddedFiles.cpp)
endfunction()
