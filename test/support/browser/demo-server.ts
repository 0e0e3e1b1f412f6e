/** The demo fleet with two weeks of stored days, its requests may be lowered, and its clock stands still. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startServerProcess, type ServerProcess } from '../servers/server-process.ts';

/** A Thursday. */
export const NOW_MS: number = Date.UTC(2024, 4, 16, 8);

/** Half a minute of two cores, where others have most of them. */
const FILLED_WITHIN_MS = 300_000;

/** @param flags beside those of the demo */
export async function startDemo(flags: readonly string[] = []): Promise<ServerProcess> {
  const server = await startServerProcess([
    '--demo=true',
    '--cluster-controller=true',
    '--cost-events-audit=true',
    '--timezone=UTC',
    `--now=${new Date(NOW_MS).toISOString()}`,
    ...flags,
  ]);
  const deadlineMs = Date.now() + FILLED_WITHIN_MS;
  while (!(await isFilled(server.url))) {
    await sleep(50);
    if (Date.now() < deadlineMs) continue;
    await server.stop();
    throw new Error(`not filled: ${server.lines.join('\n')}`);
  }
  return server;
}

async function isFilled(url: string): Promise<boolean> {
  const ready = (await (await fetch(`${url}/readyz?verbose`)).json()) as {
    readonly backfill?: { readonly done: number; readonly total: number };
  };
  const { done = 0, total = 0 } = ready.backfill ?? {};
  return total > 0 && done >= total;
}
