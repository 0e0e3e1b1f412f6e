/** The whole server in the test's own process, so that its memory can be watched. */
import { request } from 'node:http';
import { startServer, type Running } from '../../src/commands/serve.ts';
import { loadConfig } from '../../src/config.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly text: string;
  /** The connection ended before the body did. */
  readonly wasCut: boolean;
  readonly tookMs: number;
}

/** The one error form. */
export interface ErrorForm {
  readonly code: number;
  readonly message: string;
  readonly data: null;
  readonly parameter?: string;
  readonly hint?: string;
}

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
): Promise<OwnServer> {
  const { config } = loadConfig(['--port=0', '--refresh=0', ...flags], {}, () => '');
  const errors: unknown[] = [];
  const none = (): void => undefined;
  const log = { info: none, warn: none, error: (fields: object) => void errors.push(fields) };
  const running = await startServer(config, log, { idleTimeoutMs });
  const ask = (path: string, method: string = 'GET'): Promise<Answer> =>
    get(running.url, path, method);
  return {
    url: running.url,
    routes: running.routes,
    errors,
    usedBytes: () => running.usedBytes(),
    ask,
    compute: (query) => ask(`/model/allocation/compute?${query}`),
    stop: () => running.close(0),
  };
}

export function errorOf(answer: Answer): ErrorForm {
  return JSON.parse(answer.text) as ErrorForm;
}

function get(url: string, path: string, method: string): Promise<Answer> {
  const beganMs = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(url, { path, method, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', () => undefined);
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          retryAfter: response.headers['retry-after'],
          text: Buffer.concat(parts).toString('utf8'),
          wasCut: !response.complete,
          tookMs: performance.now() - beganMs,
        }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}
