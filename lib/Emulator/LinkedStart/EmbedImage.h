// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice-clang++ --sluice-emulate -fgpu-rdc` includes this first in the host
// pass. Puts the device image into the object, where the linker gathers those
// of all objects; 'R' keeps it under --gc-sections, since nothing names it.
//
// No include guard: the file is included once, by the driver.

#ifndef __CUDA_ARCH__
__asm__(".pushsection sluice_images, \"aR\", @progbits\n"
        ".p2align 3\n"
        ".incbin \"" SLUICE_IMAGE_FILE "\"\n"
        ".p2align 3\n"
        ".popsection\n");
#endif
#undef SLUICE_IMAGE_FILE
