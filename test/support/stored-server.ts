/** The routes of stored sets over real sockets, with sets in memory and clocks that can be set. */
import { storedRoutes } from '../../src/allocation/index.ts';
import { cloudBill } from '../../src/commands/cloud-bill.ts';
import { startEngine } from '../../src/commands/engine.ts';
import { keeping } from '../../src/commands/keeping.ts';
import { openRequestSizing } from '../../src/commands/open-request-sizing.ts';
import { loadConfig } from '../../src/config.ts';
import { loadFrontEnd, router } from '../../src/http/index.ts';
import { createAdmission } from '../../src/pool/index.ts';
import { createCalendar } from '../../src/query/index.ts';
import { createMemorySets, type EncodedSet } from '../../src/storage/index.ts';

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
  start(timezone: string, sets: readonly EncodedSet[]): Promise<StoredServer>;
  stop(): Promise<void>;
}

export async function startStoredServers(): Promise<StoredServers> {
  const { config } = loadConfig(['--workers=1'], {}, () => '');
  const failures: unknown[] = [];
  const failed = (message: string, error: unknown): void => void failures.push([message, error]);
  const log = { info: () => undefined, error: (fields: object) => void failures.push(fields) };
  const engine = await startEngine(config, log);
  const { arena, owners } = engine;
  const start = async (timezone: string, encoded: readonly EncodedSet[]): Promise<StoredServer> => {
    const sets = createMemorySets({ arena, owner: owners.take() });
    await sets.write(encoded);
    const clock: { nowMs: number } = { nowMs: Date.now() };
    const timed = { ...engine, calendar: createCalendar(timezone), nowMs: () => clock.nowMs };
    const routes = [
      ...storedRoutes({
        ...timed,
        ...keeping(engine),
        bill: cloudBill(sets),
        sets,
        admission: createAdmission({ running: 4, waiting: 100, waitMs: 10_000 }),
      }),
      ...openRequestSizing(config, timed, sets),
    ];
    const front = (await loadFrontEnd('node'))(router(routes, { log: failed }), { log: failed });
    const port = await front.listen('127.0.0.1', 0);
    return Object.assign(clock, {
      url: `http://127.0.0.1:${port}`,
      async stop() {
        await front.close(0);
        await sets.close();
      },
    });
  };
  return { failures, start, stop: () => engine.close() };
}
