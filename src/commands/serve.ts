/** `prorata serve`: puts the parts together and listens. Computes nothing. */
import { readFileSync } from 'node:fs';
import { allocationRoutes, SCHEMA_VERSION } from '../allocation/index.ts';
import type { Config } from '../config.ts';
import { loadFrontEnd, router } from '../http/index.ts';
import type { Logger } from '../log.ts';
import { createAdmission } from '../pool/index.ts';
import { ownRoutes } from '../routes.ts';
import { openSource, startEngine, type Patience } from './engine.ts';

export interface Running {
  readonly url: string;
  readonly source: string;
  /** Bytes of the arena that are held now. */
  usedBytes(): number;
  close(graceMs: number): Promise<void>;
}

/** Queries computed at once: each already uses every worker and several reads of the store. */
const HEAVY_QUERIES = 2;

export async function startServer(
  config: Config,
  log: Logger,
  patience?: Patience,
): Promise<Running> {
  const source = openSource(config, patience);
  const engine = await startEngine(config, log);
  const admission = createAdmission({
    running: HEAVY_QUERIES,
    waiting: 4 * config.workers,
    waitMs: 10_000,
  });
  const routes = [
    ...ownRoutes({
      version: packageVersion(),
      allocationSchema: SCHEMA_VERSION,
      source: source.name,
      timezone: config.timezone,
    }),
    ...allocationRoutes({ ...engine, source, admission }),
  ];
  const logFailure = (message: string, error: unknown): void => log.error({ err: error }, message);
  const frontEnd = await loadFrontEnd(config.frontEnd);
  const server = frontEnd(router(routes, { log: logFailure }), { log: logFailure });
  const port = await server.listen(config.host, config.port);
  return {
    url: `http://${config.host}:${port}`,
    source: source.name,
    usedBytes: () => engine.arena.usedBytes,
    async close(graceMs) {
      await server.close(graceMs);
      await engine.close();
      await source.close();
    },
  };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
