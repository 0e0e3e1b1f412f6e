/** A receiver of remote write over a socket that answers as a script says, and keeps what it was sent. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { uncompress } from 'snappyjs';
import { seriesOfOne, seriesOfTwo, type WrittenSeries } from '../references/write-requests.ts';

export interface WriteCall {
  readonly headers: IncomingMessage['headers'];
  readonly series: readonly WrittenSeries[];
}

/** Answers a call; a string is the text of a 400. */
export type WriteAnswer = (call: WriteCall, response: ServerResponse) => void;

export interface WriteReceiver {
  readonly url: string;
  readonly calls: readonly WriteCall[];
  stop(): Promise<void>;
}

export const STORED: WriteAnswer = ({ series }, response) => {
  response.writeHead(204, { 'x-prometheus-remote-write-samples-written': series.length }).end();
};

/** @param script the answers to the first calls; all others are stored */
export async function startWriteReceiver(
  script: readonly WriteAnswer[] = [],
  port: number = 0,
): Promise<WriteReceiver> {
  const calls: WriteCall[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void bodyOf(request).then((body) => {
      const call = { headers: request.headers, series: seriesIn(request, body) };
      calls.push(call);
      (script[calls.length - 1] ?? STORED)(call, response);
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/write`,
    calls,
    async stop() {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function seriesIn({ headers }: IncomingMessage, body: Buffer): WrittenSeries[] {
  const message = uncompress(body);
  const isTwo = headers['content-type']?.includes('io.prometheus.write.v2.Request') === true;
  return isTwo ? seriesOfTwo(message) : seriesOfOne(message);
}
