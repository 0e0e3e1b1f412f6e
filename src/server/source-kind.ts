/** Whether samples come from a metrics store, from the demo, or from nowhere. */
import type { Config } from '../settings/config.ts';
import type { MetricsSource } from '../metrics/index.ts';
import { Fault, Unavailable } from '../query/index.ts';

type SourceKind = 'store' | 'demo' | 'none';

/** A folder has days of one world: beside it there is a demo only where it is wanted. */
const HINT = '--metrics-url URL names one; --demo true serves a simulated fleet';

/** @throws {Fault} when the configuration names a store and wants the demo */
export function sourceKindOf({ metricsUrl, demo, dataDir }: Config): SourceKind {
  if (metricsUrl === undefined) return (demo ?? dataDir === undefined) ? 'demo' : 'none';
  if (demo !== true) return 'store';
  throw new Fault('there are both a metrics store and the demo, one of them is accepted', {
    parameter: '--demo',
    hint: 'start without --demo, or without --metrics-url',
  });
}

/** A source of which every read fails. */
export function noStore(): MetricsSource & { close(): Promise<void> } {
  return {
    name: 'no metrics store',
    concurrentReads: 1,
    read: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(missingStore('nothing can be computed')),
      }),
    }),
    close: () => Promise.resolve(),
  };
}

export function missingStore(consequence: string): Unavailable {
  return new Unavailable(`there is no metrics store: ${consequence}`, { hint: HINT });
}
