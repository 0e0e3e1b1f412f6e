/** Routes over stored charges on a real socket, with sets in memory and a clock that stands still. */
import type { CloudSets } from '../../../src/billing/cloud/index.ts';
import { startEngine, type Engine, type EngineCompute } from '../../../src/server/engine.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { loadFrontEnd, type Route } from '../../../src/http/index.ts';
import { createAdmission, type Admission } from '../../../src/pool/index.ts';
import { createCalendar, type Clock, type Window } from '../../../src/query/index.ts';
import { createMemorySets, type EncodedSet, type StoredSet } from '../../../src/storage/index.ts';
import { openRouter } from './open-router.ts';

export interface ChargeParts {
  readonly compute: EngineCompute;
  readonly clock: Clock;
  readonly admission: Admission;
  /** Sets within a window whose kind begins so. */
  readonly setsOf: (prefix: string) => (window: Window) => StoredSet[];
  /** Bills of clouds, and assets, all whole. */
  readonly cloudSets: CloudSets;
}

export interface ChargeServer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface ChargeServers {
  readonly engine: Engine;
  readonly failures: readonly unknown[];
  start(
    sets: readonly EncodedSet[],
    timezone: string,
    routes: (parts: ChargeParts) => Route[],
  ): Promise<ChargeServer>;
  stop(): Promise<void>;
}

/** 2024-05-05T00:00:00Z */
export const NOW_MS = 1_714_867_200_000;

export async function startChargeServers(): Promise<ChargeServers> {
  const { config } = loadConfig(['--workers=1'], {}, () => '');
  const failures: unknown[] = [];
  const failed = (message: string, error: unknown): void => void failures.push([message, error]);
  const log = { info: () => undefined, error: (fields: object) => void failures.push(fields) };
  const engine = await startEngine(config, log);
  const { compute } = engine;
  return {
    engine,
    failures,
    async start(encoded, timezone, routes) {
      const store = createMemorySets({ arena: compute.arena, owner: compute.owners.take() });
      await store.write(encoded);
      const setsOf: ChargeParts['setsOf'] =
        (prefix) =>
        ({ startMs, endMs }) =>
          encoded
            .filter(({ key }) => key.kind.startsWith(prefix))
            .filter(({ key }) => key.startMs < endMs && key.endMs > startMs)
            .flatMap(({ key }) => store.locate(key) ?? []);
      const parts: ChargeParts = {
        compute,
        clock: { calendar: createCalendar(timezone), nowMs: () => NOW_MS },
        admission: createAdmission({ lane: 'questions', running: 4, waiting: 100, waitMs: 10_000 }),
        setsOf,
        cloudSets: {
          charges: setsOf('bill-cloud-'),
          untold: () => [],
          assets: (window) => ({ stored: setsOf('assets')(window), lacking: [] }),
          setAside: () => Promise.resolve(),
        },
      };
      const front = (await loadFrontEnd('node'))(openRouter(routes(parts), { log: failed }), {
        log: failed,
      });
      const port = await front.listen('127.0.0.1', 0);
      return {
        url: `http://127.0.0.1:${port}`,
        async stop() {
          await front.close(0);
          await store.close();
        },
      };
    },
    stop: () => engine.close(),
  };
}
