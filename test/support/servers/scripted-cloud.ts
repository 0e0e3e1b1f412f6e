/** A server that answers as a cloud would, over real sockets, and keeps what it was asked. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CloudRequest {
  readonly method: string;
  readonly url: URL;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface CloudAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The socket is closed in place of an answer. */
  readonly isCut?: boolean;
}

export interface ScriptedCloud {
  readonly origin: string;
  readonly requests: CloudRequest[];
  /** Answers in place of the script, the first one first. */
  readonly next: CloudAnswer[];
  close(): void;
}

export async function startCloud(
  script: (request: CloudRequest) => CloudAnswer,
): Promise<ScriptedCloud> {
  const requests: CloudRequest[] = [];
  const next: CloudAnswer[] = [];
  const server = createServer((incoming, response) => {
    const parts: Uint8Array[] = [];
    incoming.on('data', (part: Uint8Array) => void parts.push(part));
    incoming.on('end', () => {
      const { method = '', url: target = '', headers } = incoming;
      const url = new URL(target, `http://${headers.host}`);
      const request = { method, url, target, headers, body: Buffer.concat(parts).toString() };
      requests.push(request);
      const answer = next.shift() ?? script(request);
      if (answer.isCut === true) {
        incoming.socket.destroy();
        return;
      }
      response.writeHead(answer.status ?? 200, answer.headers);
      response.end(method === 'HEAD' ? undefined : answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { origin, requests, next, close };
}
