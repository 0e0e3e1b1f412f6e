export { BYTES_PER_GIB, type PriceBook } from './book.ts';
export { bookRates, discountFactor, type NodeRates } from './rates.ts';
