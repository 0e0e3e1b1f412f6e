/** A person who changes one collection again and again, at any server: what was acknowledged is what all come to. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Restarting } from './restarting.ts';
import type { Tally } from './tally.ts';

const REST_MS = 500;
const ANSWER_WITHIN_MS = 30_000;

export class Writer {
  readonly #servers: readonly Restarting[];
  readonly #tally: Tally;
  #id: string | undefined;
  #tried = 0;
  #acknowledged = -1;
  refused = 0;
  acknowledged = 0;

  constructor(servers: readonly Restarting[], tally: Tally) {
    this.#servers = servers;
    this.#tally = tally;
  }

  async run(
    pick: (servers: readonly Restarting[]) => Restarting,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await this.#change(pick(this.#servers));
      await sleep(REST_MS);
    }
  }

  /** @returns whether the server has the last change that was acknowledged, or one that was tried after it */
  async isAt({ url, name }: Restarting): Promise<boolean> {
    if (url === undefined) return false;
    if (this.#id === undefined) return true;
    const answer = await fetch(`${url}/model/collection?id=${this.#id}`);
    if (answer.status !== 200) return false;
    const number = Number(((await answer.json()) as { readonly name: string }).name.slice(2));
    if (number > this.#tried) this.#tally.fail(`${name}: change ${number} was never made`);
    return number >= this.#acknowledged;
  }

  async #change(server: Restarting): Promise<void> {
    const { url, lives } = server;
    if (url === undefined) return;
    const number = ++this.#tried;
    const path = this.#id === undefined ? 'collections' : `collection?id=${this.#id}`;
    try {
      const answer = await fetch(`${url}/model/${path}`, {
        method: this.#id === undefined ? 'POST' : 'PUT',
        headers: { 'content-type': 'application/json' },
        // A first one of which no answer came has its name.
        body: JSON.stringify({ name: `n-${number}`, category: 'kills' }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const text = await answer.text();
      if (answer.status === 200) {
        this.#id ??= (JSON.parse(text) as { readonly id: string }).id;
        this.acknowledged++;
        this.#acknowledged = number;
      } else if (answer.status === 503 && answer.headers.has('retry-after')) this.refused++;
      else this.#tally.fail(`${server.name} changes a collection: ${answer.status} ${text}`);
    } catch (error) {
      await sleep(1000);
      if (server.url === url && server.lives === lives)
        this.#tally.fail(`${server.name} changes a collection: ${String(error)}`);
    }
  }
}
