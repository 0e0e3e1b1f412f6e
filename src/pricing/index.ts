export { BYTES_PER_GIB, DEFAULT_PRICE_BOOK, type PriceBook } from './book.ts';
