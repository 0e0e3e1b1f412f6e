/** The server as users run it, asked over sockets. */
import { request } from 'node:http';
import { startServerProcess, type Logged } from './server-process.ts';

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

export interface BundleServer {
  readonly url: string;
  /** What was logged as an error. */
  readonly errors: readonly Logged[];
  /** @param path as it goes on the wire, such as `/healthz?x=%zz` */
  ask(path: string, method?: string): Promise<Answer>;
  /** `ask` of the on-demand allocation query. */
  compute(query: string): Promise<Answer>;
  /** @throws when it does not end by itself, and well */
  stop(): Promise<void>;
}

/** @param flags such as `--metrics-url=http://127.0.0.1:9090` */
export async function startBundleServer(flags: readonly string[]): Promise<BundleServer> {
  const server = await startServerProcess(['--refresh=0', ...flags]);
  const ask = (path: string, method: string = 'GET'): Promise<Answer> =>
    answerOf(server.url, path, method);
  return {
    url: server.url,
    get errors() {
      return server.errors;
    },
    ask,
    compute: (query) => ask(`/model/allocation/compute?${query}`),
    async stop() {
      const code = await server.stop();
      if (code !== 0) throw new Error(`the server ended with ${code}`);
    },
  };
}

export function errorOf(answer: Answer): ErrorForm {
  return JSON.parse(answer.text) as ErrorForm;
}

/** What the server at `url` answers, and how. */
export function answerOf(url: string, path: string, method: string): Promise<Answer> {
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
