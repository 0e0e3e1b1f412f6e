/**
 * prorata's receiver behind the simplest server, in a process of its own:
 *
 *   node --import tsx bench/receive-server.ts FOLDER
 *
 * Says its port. GET /cut moves the clock on, so that what came is cut into blocks, and tells the figures.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openReceiver } from '../src/receiver/index.ts';

const HOUR_MS = 3_600_000;
let aheadMs = 0;

const [folder = ''] = process.argv.slice(2);
const receiver = await openReceiver({
  folder,
  outOfOrderMs: HOUR_MS,
  retentionMs: 24 * HOUR_MS,
  maxSeries: 1e6,
  maxSamplesPerSecond: 1e9,
  nowMs: () => Date.now() + aheadMs,
});

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/cut') {
    aheadMs = 12 * HOUR_MS;
    // Malformed: it only tells the time.
    await receiver.write(new Uint8Array(1), '1.0');
    response.end(JSON.stringify(receiver.figures()));
    return;
  }
  const outcome = await receiver.write(await bodyOf(request), '1.0');
  response.statusCode = outcome.kind === 'stored' ? 204 : 500;
  response.end(outcome.kind === 'stored' ? '' : JSON.stringify(outcome));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
