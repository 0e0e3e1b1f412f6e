/** The cost events audit, as the configuration has it. */
import { join } from 'node:path';
import {
  auditRoutes,
  CostEvents,
  currentPrices,
  EVENTS_MAX,
  watchCosts,
  type CostEvent,
} from '../audit/index.ts';
import type { Config } from '../settings/config.ts';
import type { Route } from '../http/index.ts';
import {
  pricesInDays,
  pricesOf,
  type Amounts,
  type PredictionOptions,
} from '../prediction/index.ts';
import { daysOf, Fault, parseWindow, type Clock } from '../query/index.ts';
import { BoundedLog } from '../storage/index.ts';
import { clockOf } from './clock.ts';
import type { OpenCluster } from './open-cluster.ts';

export interface OpenAudit {
  readonly routes: readonly Route[];
  /** How following each kind goes, by kind; undefined while the audit is switched off. */
  state(): Readonly<Record<string, string>> | undefined;
  close(): Promise<void>;
}

const NS_PER_MS = 1_000_000n;

/**
 * @param cluster undefined while the audit is switched off
 * @param note gets a sentence for what is followed, or why it is not
 * @throws {Unavailable} when earlier events cannot be read
 * @throws {Fault} when events are to be kept and there is no data folder
 */
export async function openAudit(
  config: Config,
  cluster: OpenCluster | undefined,
  prediction: PredictionOptions,
  note: (sentence: string) => void,
): Promise<OpenAudit> {
  if (cluster === undefined) return OFF;
  const clock = clockOf(config);
  const log = await openLog(config);
  const events = new CostEvents(cluster.clusterId, clockNs(config, clock), log.earlier);
  const stop = new AbortController();
  const states = new Map<string, string>();
  const watched = watchCosts({
    api: cluster.api,
    events,
    prices: currentPrices({
      lookUp: () => pricesIn(cluster.clusterId, prediction, clock, stop.signal),
      byBook: pricesOf([], prediction.book),
      nowMs: clock.nowMs,
      note,
    }),
    onEvent: (event) =>
      log.keep(event).catch((error: unknown) => note(`a cost event is not kept: ${String(error)}`)),
    onState(resourceType, { state, why }) {
      const sentence = why === '' ? state : `${state}: ${why}`;
      if (states.get(resourceType) !== sentence)
        note(`cost events of ${resourceType}s: ${sentence}`);
      states.set(resourceType, sentence);
    },
    signal: stop.signal,
  }).catch((error: unknown) => note(`cost events are not watched any more: ${String(error)}`));
  return {
    routes: auditRoutes(events),
    state: () => Object.fromEntries(states),
    async close() {
      stop.abort();
      await watched;
      await log.close();
    },
  };
}

/** Prices of the cluster's pods by hour in the last two days. */
function pricesIn(
  cluster: string,
  prediction: PredictionOptions,
  { calendar, nowMs }: Clock,
  signal: AbortSignal,
): Promise<Amounts> {
  const window = parseWindow('2d', { nowMs: nowMs(), calendar });
  const days = daysOf(window, calendar).filter(({ startMs }) => startMs < nowMs());
  return pricesInDays(prediction, cluster, days, signal);
}

const OFF: OpenAudit = {
  routes: auditRoutes(undefined),
  state: () => undefined,
  close: () => Promise.resolve(),
};

interface EventLog {
  /** Oldest first. */
  readonly earlier: readonly CostEvent[];
  keep(event: CostEvent): Promise<void>;
  close(): Promise<void>;
}

const NO_LOG: EventLog = {
  earlier: [],
  keep: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** Events that outlive the process, where the configuration says so. */
async function openLog({ keepsCostEvents, dataDir }: Config): Promise<EventLog> {
  if (!keepsCostEvents) return NO_LOG;
  if (dataDir === undefined) {
    throw new Fault('costEventsAudit.persist: there is no folder to keep cost events in', {
      hint: 'name one by --data-dir',
    });
  }
  const path = join(dataDir, 'cost-events.ndjson');
  const log = await BoundedLog.open(path, EVENTS_MAX);
  // Each line is an event as this process or an earlier one wrote it.
  const earlier = log.newest as readonly CostEvent[];
  return { earlier, keep: (event) => log.append(event), close: () => log.close() };
}

/** Finer than milliseconds, from when the process began. */
function clockNs(config: Config, { nowMs }: Clock): () => bigint {
  if (config.nowMs !== undefined) return () => BigInt(Math.trunc(nowMs())) * NS_PER_MS;
  return () => BigInt(Math.trunc((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}
