// A runtime in which any allocation is a compile error. scripts/build-kernels.ts compiles the
// kernels with it once, as a proof; the product is compiled with the stub runtime.

@global @unsafe function __alloc(size: usize): usize { ERROR("kernels must not allocate"); return 0; }
@global @unsafe function __realloc(ptr: usize, size: usize): usize { ERROR("kernels must not allocate"); return 0; }
@global @unsafe function __free(ptr: usize): void { ERROR("kernels must not allocate"); }
@global @unsafe function __new(size: usize, id: u32): usize { ERROR("kernels must not allocate"); return 0; }
@global @unsafe function __renew(ptr: usize, size: usize): usize { ERROR("kernels must not allocate"); return 0; }
@global @unsafe function __link(parent: usize, child: usize, expectMultiple: bool): void {}
@global @unsafe function __pin(ptr: usize): usize { return ptr; }
@global @unsafe function __unpin(ptr: usize): void {}
@global @unsafe function __collect(): void {}
