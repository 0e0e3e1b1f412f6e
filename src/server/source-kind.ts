/** Whether samples come from a metrics store, are received, come from the demo, or from nowhere. */
import type { Config } from '../settings/config.ts';
import { storeOf } from '../settings/store.ts';
import type { MetricsSource } from '../metrics/index.ts';
import { Fault, Unavailable } from '../query/index.ts';

type SourceKind = 'store' | 'receiver' | 'demo' | 'none';

/** A folder has days of one world: beside it there is a demo only where it is wanted. */
const HINT =
  '--metrics-url URL names one; --receive true stores what others send; --demo true serves a simulated fleet';

/** @throws {Fault} when the configuration names more than one of them, or wants to receive without a folder */
export function sourceKindOf(config: Config): SourceKind {
  const { metricsUrl, metricsStores, isReceiving, demo, dataDir } = config;
  if (metricsUrl !== undefined && metricsStores !== undefined) {
    throw new Fault('there are both --metrics-url and --metrics-stores, one of them is accepted', {
      parameter: '--metrics-stores',
      hint: 'name the store of the URL in the file, too',
    });
  }
  const hasStore = metricsUrl !== undefined || metricsStores !== undefined;
  const named = [
    ['a metrics store', hasStore],
    ['the receiver', isReceiving],
    ['the demo', demo === true],
  ] as const;
  const wanted = named.filter(([, isNamed]) => isNamed).map(([name]) => name);
  if (wanted.length > 1) throw onlyOne(wanted, demo === true ? '--demo' : '--receive');
  if (isReceiving && dataDir === undefined) {
    throw new Fault('--receive needs a folder for the samples', {
      parameter: '--receive',
      hint: 'for example --data-dir /var/lib/prorata',
    });
  }
  if (hasStore) return 'store';
  if (isReceiving) return 'receiver';
  return (demo ?? storeOf(config).kind === 'memory') ? 'demo' : 'none';
}

/** Samples of two stores would have to be told apart, or count twice. */
function onlyOne(wanted: readonly string[], parameter: string): Fault {
  return new Fault(`there are both ${wanted.join(' and ')}, one of them is accepted`, {
    parameter,
    hint: 'start with one of --metrics-url, --receive and --demo; what a store has it can also send, by remote_write',
  });
}

/** A source of which every read fails. */
export function noStore(): MetricsSource & { close(): Promise<void> } {
  return failing('no metrics store', () => missingStore('nothing can be computed'));
}

/** A server alone reads what it received: it may be running, and has the newest in memory. */
export function receivedElsewhere(): MetricsSource & { close(): Promise<void> } {
  return failing('the receiver of a server', receivedByServer);
}

export function receivedByServer(): Unavailable {
  return new Unavailable(
    'received samples are read by the server that has them, not by this command',
    {
      hint: 'ask prorata serve, which computes and builds by itself',
    },
  );
}

function failing(name: string, why: () => Error): MetricsSource & { close(): Promise<void> } {
  return {
    name,
    concurrentReads: 1,
    read: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(why()) }),
    }),
    close: () => Promise.resolve(),
  };
}

export function missingStore(consequence: string): Unavailable {
  return new Unavailable(`there is no metrics store: ${consequence}`, { hint: HINT });
}
