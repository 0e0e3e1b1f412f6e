/** The routes of stored sets over real sockets, with sets in memory and clocks that can be set. */
import { storedRoutes } from '../../../src/allocation/index.ts';
import { cloudBill } from '../../../src/server/cloud-bill.ts';
import { startEngine, type EngineCompute } from '../../../src/server/engine.ts';
import { openAnswers, openCaches, servedBytes } from '../../../src/server/caches.ts';
import { openRequestSizing } from '../../../src/server/open-request-sizing.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { loadFrontEnd, type GateOptions } from '../../../src/http/index.ts';
import { createAdmission } from '../../../src/pool/index.ts';
import { createCalendar } from '../../../src/query/index.ts';
import { createMemorySets, type EncodedSet, type Sets } from '../../../src/storage/index.ts';
import { openRouter } from './open-router.ts';

export interface StoredServer {
  readonly url: string;
  /** What the server takes for now, Unix ms. */
  nowMs: number;
  stop(): Promise<void>;
}

/** Workers that several servers share, as each takes a while to start. */
export interface StoredServers {
  /** What was logged as an error. */
  readonly failures: readonly unknown[];
  start(timezone: string, sets: readonly EncodedSet[], gate?: GateOptions): Promise<StoredServer>;
  /** Over sets that lie elsewhere. */
  startOver(
    timezone: string,
    open: (compute: EngineCompute) => Promise<Sets>,
  ): Promise<StoredServer>;
  stop(): Promise<void>;
}

export async function startStoredServers(): Promise<StoredServers> {
  const { config } = loadConfig(['--workers=1'], {}, () => '');
  const failures: unknown[] = [];
  const failed = (message: string, error: unknown): void => void failures.push([message, error]);
  const log = { info: () => undefined, error: (fields: object) => void failures.push(fields) };
  const engine = await startEngine(config, log);
  const { compute, memory } = engine;
  const serve = async (timezone: string, sets: Sets, gate?: GateOptions): Promise<StoredServer> => {
    const set: { nowMs: number } = { nowMs: Date.now() };
    const clock = { calendar: createCalendar(timezone), nowMs: () => set.nowMs };
    const admission = createAdmission({
      lane: 'questions',
      running: 4,
      waiting: 100,
      waitMs: 10_000,
    });
    const routes = [
      ...storedRoutes({
        sets,
        billed: { cloud: cloudBill(sets) },
        caches: openCaches(compute, servedBytes(engine)),
        compute,
        clock,
        answers: openAnswers(memory, admission),
      }),
      ...openRequestSizing(config, engine, { sets, clock }, new Map()).routes,
    ];
    const front = (await loadFrontEnd('node'))(openRouter(routes, { log: failed }, gate), {
      log: failed,
    });
    const port = await front.listen('127.0.0.1', 0);
    return Object.assign(set, {
      url: `http://127.0.0.1:${port}`,
      async stop() {
        await front.close(0);
        await sets.close();
      },
    });
  };
  return {
    failures,
    async start(timezone, encoded, gate) {
      const sets = createMemorySets({ arena: compute.arena, owner: compute.owners.take() });
      await sets.write(encoded);
      return await serve(timezone, sets, gate);
    },
    startOver: async (timezone, open) => await serve(timezone, await open(compute)),
    stop: () => engine.close(),
  };
}
