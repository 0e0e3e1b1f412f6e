/**
 * Clients of every kind at half load: each rests as long as its answer took. Those of a fault come and go:
 * they leave in the midst, stand still, send garbage, or come all at once.
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Question {
  readonly name: string;
  readonly clients: number;
  readonly method?: 'GET' | 'POST';
  /** `{n}` is a number that was in none before. */
  readonly path: string;
  readonly body?: string;
}

/** What came of the questions of a name. */
export interface Outcome {
  /** 0: the connection broke. */
  readonly statuses: Map<number, number>;
  /** When an answer ended, and how long it took. */
  readonly answers: { readonly atMs: number; readonly tookMs: number }[];
  /** How connections broke. */
  readonly breaks: string[];
}

export interface Load {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  stop(): Promise<void>;
}

const LEAST_REST_MS = 20;
const ANSWER_WITHIN_MS = 60_000;

export function startLoad(url: string, questions: readonly Question[]): Load {
  const outcomes = new Map<string, Outcome>();
  const agent = new Agent({ keepAlive: true });
  const stopping = new AbortController();
  let asked = 0;
  const client = async (question: Question, outcome: Outcome): Promise<void> => {
    while (!stopping.signal.aborted) {
      const beganMs = performance.now();
      const path = question.path.replaceAll('{n}', String(asked++));
      const body = question.body?.replaceAll('{n}', String(asked));
      const { status, broken } = await ask(agent, url + path, question.method ?? 'GET', body);
      const atMs = performance.now();
      if (broken !== undefined)
        outcome.breaks.push(`${broken} after ${(atMs - beganMs).toFixed(0)} ms`);
      outcome.statuses.set(status, (outcome.statuses.get(status) ?? 0) + 1);
      if (status === 200) outcome.answers.push({ atMs, tookMs: atMs - beganMs });
      await sleep(Math.max(LEAST_REST_MS, atMs - beganMs));
    }
  };
  const clients = questions.flatMap((question) => {
    const outcome: Outcome = { statuses: new Map(), answers: [], breaks: [] };
    outcomes.set(question.name, outcome);
    return Array.from({ length: question.clients }, () => client(question, outcome));
  });
  return {
    outcomes,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

interface Asked {
  /** 0: the connection broke or the answer was not whole. */
  readonly status: number;
  /** How it broke. */
  readonly broken?: string;
}

function ask(agent: Agent, url: string, method: string, body?: string): Promise<Asked> {
  return new Promise((resolve) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const options = { agent, method, headers, timeout: ANSWER_WITHIN_MS };
    const broke = (why: string): void => {
      const kept = sent.reusedSocket ? 'a kept connection' : 'a new connection';
      resolve({ status: 0, broken: `${kept}: ${why}` });
    };
    const sent = request(url, options, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => (bytes += part.length)).on('error', () => undefined);
      response.on('close', () =>
        response.complete
          ? resolve({ status: response.statusCode ?? 0 })
          : broke(`${response.statusCode} ended within its body, after ${bytes} bytes`),
      );
    });
    sent.on('timeout', () => sent.destroy()).on('error', ({ message }) => broke(message));
    sent.end(body);
  });
}

export type ClientFault = (url: string, path: string) => Promise<void>;

const CROWD = 40;
const STANDING = 5;
const STANDING_MS = 5000;

/** By what such clients do. */
export const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = {
  async 'clients leave in the midst'(url, path) {
    for (let i = 0; i < CROWD; i++) {
      const socket = dialed(url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await sleep(i);
      socket.destroy();
    }
  },
  async 'readers stand still'(url, path) {
    const get = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const sockets = Array.from({ length: STANDING }, () => dialed(url, get).pause());
    await sleep(STANDING_MS);
    for (const socket of sockets) socket.destroy();
  },
  async 'clients send garbage'(url) {
    const garbage = [
      '\0\x01\x02\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
      'GET /%zz?window=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ];
    const sockets = Array.from({ length: CROWD }, (_, i) =>
      dialed(url, garbage[i % garbage.length] ?? ''),
    );
    await sleep(500);
    for (const socket of sockets) socket.destroy();
  },
  async 'a crowd comes at once'(url, path) {
    const agent = new Agent({ maxSockets: CROWD });
    const one = (_: unknown, i: number): Promise<Asked> =>
      ask(agent, `${url}${path}&limit=${i + 1}`, 'GET');
    await Promise.all(Array.from({ length: CROWD }, one));
    agent.destroy();
  },
};

function dialed(url: string, text: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.write(Buffer.from(text, 'latin1'));
  return socket.resume();
}
