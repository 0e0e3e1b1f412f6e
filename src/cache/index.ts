export { ArenaCache, type ArenaCacheOptions, type Held } from './arena-cache.ts';
export { Cache } from './cache.ts';
export { sumOfStates, type CacheState } from './state.ts';
export { SingleFlight } from './single-flight.ts';
