export { ArenaCache, type ArenaCacheOptions, type Held } from './arena-cache.ts';
export { Cache } from './cache.ts';
export { SingleFlight } from './single-flight.ts';
