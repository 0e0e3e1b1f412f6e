/** How many bytes demo pods send and receive, and how far the bytes go. */
import type { Workload } from './fleet.ts';
import { mix, unit } from './hash.ts';
import type { DemoPod } from './pods.ts';
import { integral, shapeOf, type Sampler } from './usage.ts';

/** Means over a day; shares are of what is sent, the rest of which stays in its zone. */
export interface Traffic {
  readonly sentBytesPerSecond: number;
  readonly receivedBytesPerSecond: number;
  readonly zoneShare: number;
  readonly regionShare: number;
  readonly internetShare: number;
}

/** @param rates kB/s @param shares of what is sent */
function traffic(
  [sent, received]: readonly [sent: number, received: number],
  [zone, region, internet]: readonly [zone: number, region: number, internet: number],
): Traffic {
  return {
    sentBytesPerSecond: sent * 1000,
    receivedBytesPerSecond: received * 1000,
    zoneShare: zone,
    regionShare: region,
    internetShare: internet,
  };
}

const QUIET = traffic([2, 3], [0.2, 0, 0]);

const BUSY: Readonly<Record<string, Traffic>> = {
  'web/storefront': traffic([70, 30], [0.2, 0, 0.6]),
  'web/search': traffic([40, 25], [0.5, 0, 0]),
  'payments/checkout': traffic([25, 20], [0.3, 0, 0.3]),
  'payments/ledger-db': traffic([60, 50], [0.4, 0.3, 0]),
  'catalog/catalog-api': traffic([30, 25], [0.4, 0, 0.2]),
  'catalog/catalog-db': traffic([45, 20], [0.5, 0, 0]),
  'catalog/indexer': traffic([20, 60], [0.4, 0, 0]),
  'data/kafka': traffic([500, 300], [0.6, 0.1, 0]),
  'data/stream-worker': traffic([120, 180], [0.6, 0, 0]),
  'data/etl': traffic([300, 900], [0.3, 0.1, 0]),
  'ml/inference': traffic([35, 60], [0.3, 0, 0.1]),
  'ml/training': traffic([50, 400], [0.3, 0.1, 0]),
  'ci/runner': traffic([80, 800], [0.1, 0, 0.3]),
};

/** Traffic of the same workload, as a part of the production cluster's. */
const DEVELOPMENT_FACTOR = 0.1;

/** Traffic of one of a workload's pods; undefined where it has no network of its own. */
export function trafficOf({ cluster, namespace, name }: Workload): Traffic | undefined {
  if (name === 'kube-proxy') return undefined;
  const usual = BUSY[`${namespace}/${name}`] ?? QUIET;
  if (cluster === 'production' || namespace === 'ci') return usual;
  return {
    ...usual,
    sentBytesPerSecond: usual.sentBytesPerSecond * DEVELOPMENT_FACTOR,
    receivedBytesPerSecond: usual.receivedBytesPerSecond * DEVELOPMENT_FACTOR,
  };
}

/**
 * Whole bytes since the pod's start. Counters of one pod with the same `kind` rise in step.
 *
 * @param bytesPerSecond mean over a day
 */
export function byteCounter(pod: DemoPod, kind: number, bytesPerSecond: number): Sampler {
  const key = mix(pod.key, kind);
  const isDaily = pod.workload.kind === 'Deployment';
  const counter = integral(
    pod.startMs,
    (cell) => bytesPerSecond * shapeOf(isDaily, cell) * (0.6 + 0.8 * unit(mix(key, cell))),
  );
  return (timesMs, out) => {
    counter(timesMs, out);
    for (let i = 0; i < timesMs.length; i++) out[i] = Math.floor(out[i] ?? 0);
  };
}
