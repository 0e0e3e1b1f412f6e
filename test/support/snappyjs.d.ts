// snappyjs carries no types. Format: github.com/google/snappy, format_description.txt
declare module 'snappyjs' {
  export function compress(uncompressed: Uint8Array): Uint8Array;
  export function uncompress(compressed: Uint8Array, maxLength?: number): Uint8Array;
}
