/**
 * Clients that ask all the time, in a process of their own: argv is the server's URL and a JSON of how many
 * there are of each class, and their questions. Each message it gets is answered with what came so far.
 */
import { Agent, request, type IncomingMessage } from 'node:http';

/** `{n}` in a question is a number that was in none before. */
export interface ClientClass {
  readonly name: string;
  readonly clients: number;
  readonly path: string;
}

/** What a class got until now. */
export interface ClassCounts {
  readonly answers: number;
  readonly refused: number;
  /** Bodies together. */
  readonly bytes: number;
  /** Statuses other than 200, 429 and 503, and broken connections. */
  readonly others: number;
  readonly tookMs: readonly number[];
}

const [url = '', told = '[]'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
const counts = new Map<string, { -readonly [Field in keyof ClassCounts]: ClassCounts[Field] }>();
const PAUSE_MS = 50;
let asked = Math.floor(Math.random() * 1e9);

async function askAlways({ name, path }: ClientClass, localAddress: string): Promise<never> {
  const own = counts.get(name);
  if (!own) throw new Error(`BUG: no class ${name}`);
  for (;;) {
    const begunMs = performance.now();
    const status = await ask(path.replaceAll('{n}', String(asked++)), localAddress, (bytes) => {
      own.bytes += bytes;
    });
    if (status === 200) {
      own.answers++;
      own.tookMs = [...own.tookMs.slice(-999), performance.now() - begunMs];
    } else if (status === 503 || status === 429) own.refused++;
    else own.others++;
    if (status !== 200) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** @returns the status; 0 where the connection broke */
function ask(
  path: string,
  localAddress: string,
  onBytes: (bytes: number) => void,
): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url + path, { agent, localAddress }, (response: IncomingMessage) => {
      response.on('data', (part: Buffer) => onBytes(part.length));
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    sent.on('error', () => resolve(0));
    sent.end();
  });
}

for (const [i, each] of (JSON.parse(told) as ClientClass[]).entries()) {
  counts.set(each.name, { answers: 0, refused: 0, bytes: 0, others: 0, tookMs: [] });
  for (let one = 0; one < each.clients; one++) void askAlways(each, `127.0.1.${i + 1}`);
}
process.on('message', () => process.send?.(Object.fromEntries(counts)));
