/**
 * Replies by the text of the request: the same request again is answered before anything is
 * parsed. A reply counts as long as no set was written and the clock has changed nothing of it.
 */
import { Cache } from '../../cache/index.ts';
import { scopeOf, type AdmittedRequest, type HttpReply } from '../../http/index.ts';

export interface WarmReply {
  /** With frozen headers, which are checked once. */
  readonly reply: HttpReply;
  /** The sets' version. */
  readonly version: number;
  readonly untilMs: number;
}

const REPLIES_MAX = 512;
/** A longer question is not remembered. */
const QUESTION_MAX = 2048;

export class WarmReplies {
  readonly #replies: Cache<WarmReply>;

  /** @param budgetBytes of all replies together */
  constructor(budgetBytes: number) {
    this.#replies = new Cache({ budget: budgetBytes, entriesMax: REPLIES_MAX, sizeOf: bytesOf });
  }

  get(request: AdmittedRequest, version: number, nowMs: number): HttpReply | undefined {
    const question = questionOf(request);
    const known = this.#replies.get(question);
    if (known === undefined) return undefined;
    if (known.version === version && nowMs < known.untilMs) return known.reply;
    this.#replies.delete(question);
    return undefined;
  }

  add(request: AdmittedRequest, reply: WarmReply): void {
    const question = questionOf(request);
    if (question.length <= QUESTION_MAX) this.#replies.set(question, reply);
  }
}

function bytesOf({ reply: { body } }: WarmReply, question: string): number {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  return question.length + (isWhole ? body.length : 0);
}

/** All of a request that an answer depends on, its entity tag apart. */
function questionOf(request: AdmittedRequest): string {
  const question = `${request.header('accept')}\n${request.path}?${request.query}`;
  const scope = scopeOf(request.caller);
  return scope === null ? question : `${question}\n${scope}`;
}
