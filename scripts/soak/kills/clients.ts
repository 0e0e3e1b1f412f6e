/** Clients that ask servers without pause while these are killed. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Question } from './expected.ts';
import type { Restarting } from './restarting.ts';
import type { Came, Tally } from './tally.ts';

const REST_MS = 20;
const ANSWER_WITHIN_MS = 60_000;
/** Until the end of a process is told that broke a connection by it. */
const TOLD_MS = 1000;

export class Clients {
  readonly #servers: readonly Restarting[];
  readonly #tally: Tally;
  readonly #agent: Agent = new Agent({ keepAlive: true });
  #asked = 0;

  constructor(servers: readonly Restarting[], tally: Tally) {
    this.#servers = servers;
    this.#tally = tally;
  }

  /** Asks one question after the other, of each server in turn. */
  async run(
    questions: readonly Question[],
    random: () => number,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      const question = questions[Math.floor(random() * questions.length)];
      const server = this.#servers[Math.floor(random() * this.#servers.length)];
      if (question !== undefined && server !== undefined) await this.ask(question, server);
      await sleep(REST_MS);
    }
  }

  /** @returns as `Tally.add`; nothing is asked of a server that is not there */
  async ask(question: Question, server: Restarting): Promise<'absent' | number | undefined> {
    const { url, lives } = server;
    if (url === undefined) return undefined;
    const path = question.path.replaceAll('{n}', String(++this.#asked));
    const came = await got(this.#agent, url + path);
    if (!('broken' in came)) return this.#tally.add(question, server.name, came);
    const isGone = (): boolean => server.url !== url || server.lives !== lives;
    if (!isGone()) await sleep(TOLD_MS);
    return this.#tally.add(question, server.name, { ...came, isGone: isGone() });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function got(agent: Agent, url: string): Promise<Came> {
  return new Promise((resolve) => {
    let isBegun = false;
    const broke = (broken: string): void => resolve({ broken, isBegun, isGone: false });
    const sent = request(url, { agent, timeout: ANSWER_WITHIN_MS }, (response) => {
      isBegun = true;
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined);
      response.on('close', () => {
        const { statusCode: status = 0, headers, complete } = response;
        const retryAfter = headers['retry-after'];
        if (complete) resolve({ status, retryAfter, body: Buffer.concat(parts) });
        else broke(`${status} ended within its body`);
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${ANSWER_WITHIN_MS} ms`)));
    sent.on('error', ({ message }) => broke(message));
    sent.end();
  });
}
