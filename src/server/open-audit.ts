/** The cost events audit, as the configuration has it. */
import { join } from 'node:path';
import {
  auditRoutes,
  CostEvents,
  currentPrices,
  EVENTS_MAX,
  OwnEvents,
  SharedEvents,
  watchCosts,
  type CostEvent,
} from '../audit/index.ts';
import type { Config } from '../settings/config.ts';
import { storeOf } from '../settings/store.ts';
import type { Route } from '../http/index.ts';
import {
  pricesInDays,
  pricesOf,
  type Amounts,
  type PredictionOptions,
} from '../prediction/index.ts';
import { daysOf, Fault, parseWindow, type Clock } from '../query/index.ts';
import { BoundedLog, readLog } from '../storage/index.ts';
import { clockOf } from './clock.ts';
import type { OpenCluster } from './open-cluster.ts';
import { objectPlaceOf } from './open-sets.ts';
import type { StoreSurroundings } from './parts/store-wait.ts';

export interface OpenAudit {
  readonly routes: readonly Route[];
  /** How following each kind goes, by kind; undefined while the audit is switched off. */
  state(): Readonly<Record<string, string>> | undefined;
  close(): Promise<void>;
}

const NS_PER_MS = 1_000_000n;

/**
 * @param cluster undefined where nothing is watched: events are those that other servers of a bucket saw
 * @param surroundings its `note` gets a sentence for what is followed, or why it is not
 * @throws {Unavailable} when earlier events cannot be read
 * @throws {Fault} when events are to be kept and there is no data folder
 */
export async function openAudit(
  config: Config,
  cluster: OpenCluster | undefined,
  prediction: PredictionOptions,
  { note, opening }: StoreSurroundings,
): Promise<OpenAudit> {
  if (!config.isCostEventsAudit) return OFF;
  const kept = await opening(() => openEvents(config, note));
  const clock = clockOf(config);
  // What is asked of events is the same for any cluster.
  const events = new CostEvents(cluster?.clusterId ?? '', clockNs(config, clock), kept.list);
  const stop = new AbortController();
  const states = new Map<string, string>();
  const watched =
    cluster &&
    watchCosts({
      api: cluster.api,
      events,
      prices: currentPrices({
        lookUp: () => pricesIn(cluster.clusterId, prediction, clock, stop.signal),
        byBook: pricesOf([], prediction.book),
        nowMs: clock.nowMs,
        note,
      }),
      onEvent: (event) =>
        kept
          .keep(event)
          .catch((error: unknown) => note(`a cost event is not kept: ${String(error)}`)),
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
      await kept.close();
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

interface KeptEvents {
  readonly list: OwnEvents | SharedEvents;
  /** An event that is in the list, where it outlives the process otherwise. */
  keep(event: CostEvent): Promise<void>;
  close(): Promise<void>;
}

const kept: KeptEvents['keep'] = () => Promise.resolve();

/** In the bucket where sets are, so that servers share them; else in the data folder, or in memory. */
async function openEvents(config: Config, note: (sentence: string) => void): Promise<KeptEvents> {
  const place = storeOf(config);
  if (place.kind === 'bucket') {
    const earlier =
      config.dataDir === undefined ? [] : eventsIn(await readLog(pathIn(config.dataDir)));
    // A builder answers no questions about them.
    const isFollowing = config.role !== 'build';
    const list = await SharedEvents.open({
      ...objectPlaceOf(config, place),
      earlier,
      isFollowing,
      note,
    });
    return { list, keep: kept, close: () => list.close() };
  }
  const { keepsCostEvents, dataDir } = config;
  if (!keepsCostEvents)
    return { list: new OwnEvents(), keep: kept, close: () => Promise.resolve() };
  if (dataDir === undefined) {
    throw new Fault('costEventsAudit.persist: there is no folder to keep cost events in', {
      hint: 'name one by --data-dir',
    });
  }
  const log = await BoundedLog.open(pathIn(dataDir), EVENTS_MAX);
  const list = new OwnEvents(eventsIn(log.newest));
  return { list, keep: (event) => log.append(event), close: () => log.close() };
}

/** Each line is an event as this process or an earlier one wrote it. */
function eventsIn(lines: readonly unknown[]): readonly CostEvent[] {
  return lines.slice(-EVENTS_MAX) as readonly CostEvent[];
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'cost-events.ndjson');
}

/** Finer than milliseconds, from when the process began. */
function clockNs(config: Config, { nowMs }: Clock): () => bigint {
  if (config.nowMs !== undefined) return () => BigInt(Math.trunc(nowMs())) * NS_PER_MS;
  return () => BigInt(Math.trunc((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}
