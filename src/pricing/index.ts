export { BYTES_PER_GIB, type PriceBook } from './book.ts';
