/**
 * What a server does beside answers: it builds days, and takes up bills. Where several processes share a
 * store, one of them does, which has the lease.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StaleBuilder, type Mark } from '../../storage/index.ts';
import type { ServerLogger } from '../../terminal/log.ts';
import type { ServedSets } from '../open-sets.ts';

/** Goes on until its signal is aborted. */
export type Work = (signal: AbortSignal) => Promise<unknown>;

const AGAIN_MS = 5000;

/** @returns a function that ends it */
export function inBackground(
  { lease, shared }: Pick<ServedSets, 'lease' | 'shared'>,
  works: readonly Work[],
  log: Pick<ServerLogger, 'warn' | 'error'>,
): () => Promise<void> {
  if (works.length === 0) return () => Promise.resolve();
  const stop = new AbortController();
  const { signal } = stop;
  const all = async (until: AbortSignal): Promise<void> => {
    await Promise.all(works.map((work) => work(until)));
  };
  const mark = (): Mark => {
    if (lease === undefined) throw new Error('BUG: no lease');
    return lease.mark();
  };
  const ended = (
    lease === undefined || shared === undefined
      ? all(signal)
      : lease.run(async (_, until) => {
          await claimed(() => shared.claim(mark), log, until);
          await all(until);
        }, signal)
  ).catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'no sets are built any more');
  });
  return async () => {
    stop.abort();
    await ended;
  };
}

/** Whoever built before is refused once this ends. @throws {StaleBuilder} where the lease began again at a lower term */
async function claimed(
  claim: () => Promise<void>,
  log: Pick<ServerLogger, 'warn' | 'error'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await claim();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StaleBuilder) throw error;
      log.warn({ err: error }, 'the store is not ready to be built in: this is tried again');
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}
