/** The receiver as the configuration has it: its samples, its route, and what it tells of itself. */
import type { Family } from '../../export/index.ts';
import type { Route } from '../../http/index.ts';
import { Unavailable } from '../../query/index.ts';
import {
  noOutcomes,
  openReceiver,
  receiverFamilies,
  receiverRoutes,
  type OpenReceiver,
} from '../../receiver/index.ts';
import type { Config } from '../../settings/config.ts';
import { clockOf } from '../clock.ts';
import { receiverFindings } from '../doctor/receiver.ts';
import type { Found } from '../doctor/findings.ts';
import type { OpenSource } from '../engine.ts';
import { receiverFolder } from './receiver-folder.ts';
import { sourceKindOf } from '../source-kind.ts';

export interface Receiving {
  readonly routes: readonly Route[];
  /** Undefined: nothing is received. */
  readonly source: OpenSource | undefined;
  families(): Family[];
  /** For `/readyz?verbose`. */
  state(): object;
  findings(): Found[];
  /** Nothing more is taken from now on. */
  stop(): void;
}

/**
 * @param isReadOnly whether nothing of the data folder can be changed
 * @param note told what could not be done, such as cutting a block
 * @throws {Unavailable} when samples cannot be stored there
 */
export async function openReceiving(
  config: Config,
  isReadOnly: boolean,
  note: (text: string) => void,
): Promise<Receiving> {
  const { dataDir, receiveRate } = config;
  const stopped = new AbortController();
  const isClosing = (): boolean => stopped.signal.aborted;
  const outcomes = noOutcomes();
  const stop = (): void => stopped.abort();
  if (sourceKindOf(config) !== 'receiver' || dataDir === undefined) {
    const routes = receiverRoutes({ receiver: undefined, isClosing, outcomes });
    return { ...NOTHING, routes, stop };
  }
  if (isReadOnly) throw unwritable(dataDir);
  const { nowMs } = clockOf(config);
  const receiver = await openReceiver({
    folder: receiverFolder(dataDir),
    note,
    outOfOrderMs: config.outOfOrderMs,
    retentionMs: config.rawRetentionMs,
    maxSeries: config.receiveSeries,
    maxSamplesPerSecond: receiveRate === 0 ? Number.MAX_SAFE_INTEGER : receiveRate,
    nowMs,
  });
  return {
    routes: receiverRoutes({ receiver, isClosing, outcomes }),
    source: closing(receiver),
    families: () => receiverFamilies(receiver.figures(), outcomes),
    state: () => ({ receiver: stateOf(receiver) }),
    findings: () => receiverFindings(receiver.figures(), config, nowMs()),
    stop,
  };
}

const NOTHING = {
  source: undefined,
  families: () => [],
  state: () => ({}),
  findings: () => [],
};

/** Its source, which closes it. */
function closing(receiver: OpenReceiver): OpenSource {
  const own = { close: () => receiver.close() };
  return Object.assign(Object.create(receiver.source) as OpenSource, own);
}

function stateOf(receiver: OpenReceiver): object {
  const { series, blocks, oldestMs, newestMs, failing } = receiver.figures();
  const instant = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString();
  return {
    series,
    blocks,
    oldestSample: instant(oldestMs),
    newestSample: instant(newestMs),
    ...(failing === undefined ? {} : { failing }),
  };
}

function unwritable(folder: string): Unavailable {
  return new Unavailable(`${folder} cannot be written: no samples can be received`, {
    hint: 'make room, let this user write there, or start without --receive',
  });
}
