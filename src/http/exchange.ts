import { Fault, Unavailable } from '../query/index.ts';
import { Incoming } from './incoming.ts';
import { checkedHeaders, type ReplyHead } from './reply-head.ts';
import { errorReply } from './reply.ts';
import { declaredBodyBytes, HEAD_BYTES_MAX, headBytes, type RequestHead } from './request-head.ts';
import type { HttpReply } from './server.ts';
import type { Site } from './site.ts';
import type { Watched } from './watch.ts';
import { Visit } from './visit.ts';
import type { Taken, Wire, WireEvents } from './wire.ts';

/** Statuses without body and length, RFC 9110 sections 15.3.5 and 15.4.5. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
type Chunks = AsyncIterator<Uint8Array, unknown, boolean | undefined>;

/** Headers that decide on an answer's bytes. */
const LOGGED_HEADERS = ['accept', 'accept-encoding'];
const LOGGED_CHARACTERS = 4000;

const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * One request and its answer, the same on all HTTP engines:
 *
 *     body ──► answer ──► sending ──► done
 *
 * `body` collects what the client sends, `answer` waits for the handler (and the first chunk),
 * `sending` for the reader. Each has its limit; a client that leaves goes to `done` from anywhere.
 */
export class Exchange implements Watched, WireEvents {
  readonly #site: Site;
  readonly #wire: Wire;
  readonly #head: RequestHead;
  #phase: 'body' | 'answer' | 'sending' | 'done' = 'body';
  #bodyParts: Uint8Array[] = [];
  #bodyBytes: number = 0;
  /** Bytes taken from `Site.inbound` until the answer was sent. */
  #heldBytes: number = 0;
  #request: Incoming | undefined;
  #chunks: Chunks | undefined;
  readonly #visit: Visit;
  readonly #beganMs: number = performance.now();
  /** The answer's; 0 before there is one. */
  #status: number = 0;
  #sentBytes: number = 0;
  /** When the timed period began: the phase, or the reader's last progress; Infinity stops the timer. */
  #sinceMs: number = this.#beganMs;

  constructor(site: Site, wire: Wire, head: RequestHead) {
    this.#site = site;
    this.#wire = wire;
    this.#head = head;
    this.#visit = new Visit(head, () => wire.peer());
    site.watch.add(this);
    site.observer.began(this.#visit);
  }

  /** Called once, when the wire is ready for an answer. */
  start(): void {
    const bodyBytes = declaredBodyBytes(this.#head.headers);
    if (headBytes(this.#head) > HEAD_BYTES_MAX) this.#refuse(headTooLong());
    else if (bodyBytes === 0) this.#answer(NOTHING);
    else if (bodyBytes !== Infinity && bodyBytes > this.#site.limits.bodyMaxBytes) {
      this.#refuse(this.#bodyTooLong());
    } else this.#lookAtHead();
  }

  /** Takes a copy of `part`, the next of the request's body. */
  takeBody(part: Uint8Array, isLast: boolean): void {
    if (this.#phase !== 'body') return;
    this.#bodyBytes += part.length;
    if (this.#bodyBytes > this.#site.limits.bodyMaxBytes) return this.#refuse(this.#bodyTooLong());
    if (!this.#site.inbound.take(part.length)) {
      this.#site.observer.bodyRefused();
      return this.#refuse(noRoomForBody());
    }
    this.#heldBytes += part.length;
    this.#bodyParts.push(new Uint8Array(part));
    if (isLast) this.#answer(Buffer.concat(this.#bodyParts));
  }

  progressed(): void {
    if (this.#phase === 'sending' && this.#sinceMs !== Infinity) this.#sinceMs = performance.now();
  }

  gone(): void {
    if (this.#phase === 'done') return;
    this.#done(true);
    this.#request?.abort(new Unavailable('the client went away'));
    this.#stopChunks();
  }

  cut(): void {
    this.#wire.cut();
    this.gone();
  }

  check(nowMs: number): void {
    const { limits } = this.#site;
    const elapsedMs = nowMs - this.#sinceMs;
    if (this.#phase === 'body' && elapsedMs > limits.bodyMs) {
      this.#refuse(new Fault('the body took too long to arrive', { status: 408 }));
    } else if (this.#phase === 'answer' && elapsedMs > limits.answerMs) this.#giveUp();
    else if (this.#phase === 'sending' && elapsedMs > limits.stallMs) this.cut();
    else if (this.#phase === 'sending') this.#wire.keepWaiting();
  }

  /** Refuses the request before its body, which may arrive meanwhile. An error occurs again in the handler. */
  #lookAtHead(): void {
    const refuse = (reply: HttpReply | undefined): void => {
      if (reply !== undefined && this.#phase === 'body') this.#send(reply, true);
    };
    try {
      const reply = this.#site.beforeBody(new Incoming(this.#head, NOTHING, this.#visit));
      if (reply instanceof Promise) reply.then(refuse, () => undefined);
      else refuse(reply);
    } catch {
      // As for a rejected promise.
    }
  }

  #answer(body: Uint8Array): void {
    this.#phase = 'answer';
    this.#sinceMs = performance.now();
    this.#bodyParts = [];
    this.#request = new Incoming(this.#head, body, this.#visit);
    try {
      const reply = this.#site.handler(this.#request);
      if (reply instanceof Promise) void this.#later(reply);
      else this.#send(reply);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #later(reply: Promise<HttpReply>): Promise<void> {
    try {
      this.#send(await reply);
    } catch (error) {
      this.#fail(error);
    }
  }

  #send(reply: HttpReply, close: boolean = false): void {
    const { body } = reply;
    if (typeof body === 'string') this.#sendWhole(reply, Buffer.from(body), close);
    else if (body instanceof Uint8Array) this.#sendWhole(reply, body, close);
    else this.#sendChunks(reply, body[Symbol.asyncIterator]());
  }

  #sendChunks(reply: HttpReply, chunks: Chunks): void {
    this.#chunks = chunks;
    if (this.#phase !== 'answer') return this.#stopChunks();
    const head = this.#replyHead(reply, false);
    if (this.#head.method !== 'HEAD') return void this.#stream(head, chunks);
    this.#stopChunks();
    this.#finish(this.#sending(() => this.#wire.whole(head, undefined)));
  }

  #sendWhole(reply: HttpReply, body: Uint8Array, close: boolean): void {
    if (this.#phase === 'done' || this.#phase === 'sending') return;
    const head = this.#replyHead(reply, close);
    const isBodiless = BODILESS.has(reply.status);
    const sent = isBodiless || this.#head.method === 'HEAD' ? undefined : body;
    this.#sentBytes = sent?.length ?? 0;
    const lengthBytes = isBodiless ? undefined : body.length;
    this.#finish(this.#sending(() => this.#wire.whole(head, sent, lengthBytes)));
  }

  async #stream(head: ReplyHead, chunks: Chunks): Promise<void> {
    try {
      // The head waits for the first chunk: until then an error can still become an error answer.
      let step = await chunks.next();
      if (this.#phase !== 'answer') return;
      const begun = this.#sending(() => this.#wire.begin(head));
      if (begun !== undefined) await begun;
      if (this.#isDone()) return;
      while (step.done !== true) {
        this.#sinceMs = performance.now();
        this.#sentBytes += step.value.length;
        const taken = step.value.length > 0 ? this.#wire.write(step.value) : undefined;
        if (taken !== undefined) await taken;
        if (this.#isDone()) return;
        // From here the maker of the chunk is waited for, not the reader.
        this.#sinceMs = Infinity;
        step = await chunks.next(taken === undefined);
        if (this.#isDone()) return;
      }
      this.#chunks = undefined;
      this.#wire.end();
      this.#done();
    } catch (error) {
      this.#chunks = undefined;
      this.#fail(error);
    }
  }

  #sending<T>(send: () => T): T {
    this.#phase = 'sending';
    this.#sinceMs = performance.now();
    return send();
  }

  #finish(taken: Taken): void {
    if (taken === undefined) this.#done();
    else void taken.then(() => this.#done());
  }

  #isDone(): boolean {
    return this.#phase === 'done';
  }

  #done(isCut: boolean = false): void {
    if (this.#phase === 'done') return;
    this.#phase = 'done';
    this.#bodyParts = [];
    this.#site.inbound.give(this.#heldBytes);
    this.#site.watch.delete(this);
    this.#site.observer.ended(this.#visit, this.#head, {
      status: this.#status,
      ms: performance.now() - this.#beganMs,
      bytes: this.#sentBytes,
      isCut,
    });
  }

  #replyHead(reply: HttpReply, close: boolean): ReplyHead {
    const headers = checkedHeaders(reply.headers);
    this.#status = reply.status;
    const { id: requestId } = this.#visit;
    return {
      status: reply.status,
      headers,
      requestId,
      close: close || this.#site.watch.closing,
    };
  }

  /** Before the first byte an error becomes an answer; after it the client must see a broken transfer. */
  #fail(error: unknown): void {
    if (this.#phase === 'done') return;
    if (this.#phase === 'sending') {
      this.#site.log(`an answer broke off: ${requestText(this.#head)}`, error);
      return this.cut();
    }
    this.#stopChunks();
    this.#send(errorReply(error, this.#site.log));
  }

  #refuse(why: Fault | Unavailable): void {
    this.#send(errorReply(why, this.#site.log), true);
  }

  #bodyTooLong(): Fault {
    const { bodyMaxBytes } = this.#site.limits;
    return new Fault(`the body has more than ${bodyMaxBytes} bytes`, { status: 413 });
  }

  #giveUp(): void {
    const seconds = this.#site.limits.answerMs / 1000;
    const reason = new Unavailable(`there was no answer within ${seconds} s`, {
      hint: 'ask for less at once',
    });
    this.#request?.abort(reason);
    this.#fail(reason);
  }

  #stopChunks(): void {
    const chunks = this.#chunks;
    this.#chunks = undefined;
    if (chunks !== undefined) void this.#returned(chunks);
  }

  async #returned(chunks: Chunks): Promise<void> {
    try {
      await chunks.return?.();
    } catch (error) {
      this.#site.log('cleaning up after an answer failed', error);
    }
  }
}

/** The request as text for the log, so that it can be repeated. */
function requestText({ method, path, query, headers }: RequestHead): string {
  const line = `${method} ${path}${query === '' ? '' : `?${query}`}`.slice(0, LOGGED_CHARACTERS);
  const logged = LOGGED_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [`${name}: ${value.slice(0, 200)}`];
  });
  return [line, ...logged].join(', ');
}

function noRoomForBody(): Unavailable {
  return new Unavailable('other bodies that are under way leave no room for this one', {
    retryAfterSeconds: 1,
    hint: 'ask again',
  });
}

function headTooLong(): Fault {
  return new Fault(`the request line and headers have more than ${HEAD_BYTES_MAX} bytes`, {
    status: 431,
    hint: 'shorten filters and lists, or ask in several requests',
  });
}
