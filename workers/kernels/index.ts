// The kernels: every export is a pure function of addresses, counts and strides in the shared
// memory. Statics are read-only tables (each thread's instantiation rewrites them with the same
// bytes); scratch space is passed in; nothing allocates. Their TypeScript face, with the same names,
// is src/columnar/kernels.ts.

export { crc32c, crc32cTable } from "./crc32c";
export { decodeXorChunk } from "./xor-chunk";
