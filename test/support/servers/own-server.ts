/** The whole server in the test's own process, so that its memory can be watched. */
import { startServer, type Running } from '../../../src/commands/serve.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { answerOf, type Answer } from './bundle-server.ts';

export { errorOf, type Answer, type ErrorForm } from './bundle-server.ts';

export interface OwnServer {
  readonly url: string;
  readonly routes: Running['routes'];
  /** What was logged as an error. */
  readonly errors: readonly unknown[];
  /** Bytes of the arena that are held now. */
  usedBytes(): number;
  /** @param path as it goes on the wire, such as `/healthz?x=%zz` */
  ask(path: string, method?: string): Promise<Answer>;
  /** `ask` of the on-demand allocation query. */
  compute(query: string): Promise<Answer>;
  stop(): Promise<void>;
}

/** @param flags such as `--metrics-url=http://127.0.0.1:9090` */
export async function startOwnServer(
  flags: readonly string[],
  idleTimeoutMs: number = 5000,
  env: Readonly<Record<string, string>> = {},
): Promise<OwnServer> {
  const { config } = loadConfig(['--port=0', '--refresh=0', ...flags], env, () => '');
  const errors: unknown[] = [];
  const none = (): void => undefined;
  const log = { info: none, warn: none, error: (fields: object) => void errors.push(fields) };
  const running = await startServer(config, log, { idleTimeoutMs });
  const ask = (path: string, method: string = 'GET'): Promise<Answer> =>
    answerOf(running.url, path, method);
  return {
    url: running.url,
    routes: running.routes,
    errors,
    usedBytes: () => running.usedBytes(),
    ask,
    compute: (query) => ask(`/model/allocation/compute?${query}`),
    stop: async () => void (await running.close(0)),
  };
}
