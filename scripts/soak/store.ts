/** A metrics store whose samples go on until now, and which fails as it is told to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { podSeries } from '../../test/support/fleets/pod-store.ts';
import type { TestSeries } from '../../test/support/stores/samples-encoding.ts';
import {
  answering,
  startScriptedStore,
  type ScriptedStore,
} from '../../test/support/stores/scripted-store.ts';
import { remoteReads } from '../../test/support/stores/series-store.ts';

/** How the store fails; each is the outside world's, which is answered with 503. */
export const STORE_FAULTS = ['none', 'answers 503', 'hangs up', 'is slow'] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

export interface FailingStore {
  readonly url: string;
  fault: StoreFault;
  stop(): Promise<void>;
}

const SCRAPE_MS = 60_000;
const SHOWN_MS = 7_200_000;
const PODS = 20;
const SLOW_MS = 300;

export async function startFailingStore(): Promise<FailingStore> {
  const state: { fault: StoreFault } = { fault: 'none' };
  let known: { readonly minute: number; readonly series: readonly TestSeries[] } | undefined;
  const series = (): readonly TestSeries[] => {
    const minute = Math.floor(Date.now() / SCRAPE_MS);
    if (known?.minute !== minute) known = { minute, series: seriesUntil(minute * SCRAPE_MS) };
    return known.series;
  };
  const read = remoteReads(series);
  const store: ScriptedStore = await startScriptedStore(async (response, request) => {
    if (state.fault === 'answers 503') return answering(503, 'starting')(response, request);
    if (state.fault === 'hangs up') return response.destroy();
    if (state.fault === 'is slow') await sleep(SLOW_MS);
    if (request.path !== '/metrics') return read(response, request);
    const oldest = `prometheus_tsdb_lowest_timestamp ${Date.now() - SHOWN_MS}\n`;
    return answering(200, oldest)(response, request);
  });
  return Object.assign(state, {
    url: store.url,
    async stop() {
      await store.stop();
    },
  });
}

function seriesUntil(endMs: number): TestSeries[] {
  const times = Array.from(
    { length: SHOWN_MS / SCRAPE_MS },
    (_, i) => endMs - SHOWN_MS + (i + 1) * SCRAPE_MS,
  );
  return Array.from({ length: PODS }, (_, i) => podSeries(`pod-${i}`, times)).flat();
}
