// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into each program and shared library that `sluice-clang++
// --sluice-emulate` makes: hands what -fgpu-rdc left in its sections to the
// emulator's runtime, before any other constructor may launch a kernel.

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier, bugprone-macro-parentheses)
// The linker defines these where the sections exist. Hidden: each shared
// library has its own.
#define SLUICE_BOUND(NAME)                                                     \
  [[gnu::weak, gnu::visibility("hidden")]] extern const char NAME[]
SLUICE_BOUND(__start_sluice_images);
SLUICE_BOUND(__stop_sluice_images);
SLUICE_BOUND(__start_llvm_offload_entries);
SLUICE_BOUND(__stop_llvm_offload_entries);
#undef SLUICE_BOUND
// NOLINTEND(bugprone-reserved-identifier, bugprone-macro-parentheses)

/// Of libSluiceCudart.so. Images: offload binaries one after the other, each at
/// a multiple of 8. Entries: llvm::offloading::EntryTy.
void sluiceRegisterLinkedImages(const void *ImagesBegin, const void *ImagesEnd,
                                const void *EntriesBegin,
                                const void *EntriesEnd);
}

[[gnu::constructor(101)]] static void registerLinkedImages() {
  // Null where no object has such a section.
  if (&__start_sluice_images[0])
    sluiceRegisterLinkedImages(__start_sluice_images, __stop_sluice_images,
                               __start_llvm_offload_entries,
                               __stop_llvm_offload_entries);
}
