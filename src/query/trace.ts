/**
 * W3C trace context (https://www.w3.org/TR/trace-context-1/): which request a call to another server is for.
 *
 *     traceparent: 00-<trace id, 32 hex>-<span id, 16 hex>-<flags, 2 hex>
 *
 * A trace goes with the signal of its request, as all work for one has that signal or one made of it.
 */
import { randomFillSync } from 'node:crypto';

export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: string;
  /** What other tracing systems have to say: passed on as it came; '' for nothing. */
  readonly state: string;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const STATE_CHARACTERS_MAX = 512;
const STATE = /^[\x20-\x7e]+$/;

/** @returns undefined for headers that are no trace context, and are ignored as the standard says */
export function readTrace(traceparent: string, tracestate: string): Trace | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) {
    return undefined;
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const isState = tracestate.length <= STATE_CHARACTERS_MAX && STATE.test(tracestate);
  return { traceId, spanId, flags, state: isState ? tracestate : '' };
}

/** A further span of the same trace; of a new one, which nobody records, without a parent. */
export function childOf(parent: Trace | undefined): Trace {
  const spanId = randomHex(8);
  if (parent !== undefined) return { ...parent, spanId };
  return { traceId: randomHex(16), spanId, flags: '00', state: '' };
}

export function traceHeaders({ traceId, spanId, flags, state }: Trace): Record<string, string> {
  // A version that we do not know is passed on as ours, with the flags that ours has.
  const ours = (Number.parseInt(flags, 16) & 1).toString().padStart(2, '0');
  const traceparent = `00-${traceId}-${spanId}-${ours}`;
  return state === '' ? { traceparent } : { traceparent, tracestate: state };
}

/** Who asks, and in which trace. */
export interface Asking {
  readonly trace: Trace;
  /** The same for all that one client asks. */
  readonly client: string;
}

const ASKING: WeakMap<AbortSignal, Asking | AbortSignal> = new WeakMap();

/** @param source who asks, or the signal of whose request it is part */
export function askedOn(signal: AbortSignal, source: Asking | AbortSignal): void {
  ASKING.set(signal, source);
}

function askingOf(signal: AbortSignal): Asking | undefined {
  let source = ASKING.get(signal);
  while (source instanceof AbortSignal) source = ASKING.get(source);
  return source;
}

/** The trace of the request that a signal is of. */
export function traceOf(signal: AbortSignal): Trace | undefined {
  return askingOf(signal)?.trace;
}

/** The client whose request a signal is of; '' for work of the server itself. */
export function clientOf(signal: AbortSignal): string {
  return askingOf(signal)?.client ?? '';
}

/** Aborted with `request`, whose trace it has, or with `other`. */
export function either(request: AbortSignal, other: AbortSignal): AbortSignal {
  const signal = AbortSignal.any([request, other]);
  askedOn(signal, request);
  return signal;
}

/** Random bytes for several ids: each fetch of few takes as long as one of many. */
const POOL = new Uint8Array(4096);
let used = POOL.length;

/** Never only zeros, which would be no id. */
function randomHex(bytes: number): string {
  if (used + bytes > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const hex = Buffer.from(POOL.buffer, used, bytes).toString('hex');
  used += bytes;
  return /[1-9a-f]/.test(hex) ? hex : randomHex(bytes);
}
