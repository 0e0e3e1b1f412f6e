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
  readonly bytes?: Buffer;
}

export interface CloudAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The socket is closed in place of an answer. */
  readonly isCut?: boolean;
  /** The same, once the script has done what was asked. */
  readonly isLost?: boolean;
  /** The body ends with the socket after so many bytes. */
  readonly cutAfter?: number;
}

export interface ScriptedCloud {
  readonly origin: string;
  readonly requests: CloudRequest[];
  /** Answers in place of the script, the first one first. */
  readonly next: CloudAnswer[];
  /** What it answers to everything while it is there. */
  outage?: CloudAnswer;
  close(): void;
}

export async function startCloud(
  script: (request: CloudRequest) => CloudAnswer,
  port = 0,
): Promise<ScriptedCloud> {
  const requests: CloudRequest[] = [];
  const next: CloudAnswer[] = [];
  const cloud: Pick<ScriptedCloud, 'requests' | 'next' | 'outage'> = { requests, next };
  const server = createServer((incoming, response) => {
    const parts: Uint8Array[] = [];
    incoming.on('data', (part: Uint8Array) => void parts.push(part));
    incoming.on('end', () => {
      const { method = '', url: target = '', headers } = incoming;
      const url = new URL(target, `http://${headers.host}`);
      const bytes = Buffer.concat(parts);
      const request = { method, url, target, headers, body: bytes.toString(), bytes };
      requests.push(request);
      const planned = cloud.outage ?? next.shift();
      const isScripted = planned === undefined || planned.isLost === true || 'cutAfter' in planned;
      const answer = isScripted ? script(request) : planned;
      if (answer.isCut === true || planned?.isLost === true) {
        incoming.socket.destroy();
        return;
      }
      response.writeHead(answer.status ?? 200, answer.headers);
      if (planned?.cutAfter !== undefined) {
        response.write(Buffer.from(answer.body ?? '').subarray(0, planned.cutAfter), () =>
          incoming.socket.destroy(),
        );
        return;
      }
      response.end(method === 'HEAD' ? undefined : answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return Object.assign(cloud, { origin, close });
}
