export { openManyStores, type ManyStores } from './many-stores.ts';
export type { OneStore, StoreEntry } from './one-store.ts';
