/** One request over a socket of its own, byte by byte as it is given, and what comes back. */
import { connect } from 'node:net';
import type { HostileRequest } from './hostile-requests.ts';

export interface Outcome {
  /** Undefined: the connection ended without an answer. */
  readonly status: number | undefined;
  /** The server was waiting for the rest of a body. */
  readonly wasGivenUp: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  /** The begin of the answer. */
  readonly begin: string;
}

const GIVE_UP_MS = 90_000;
/** For requests that promise more than they send. */
const GIVE_UP_LONG_MS = 300;
const BEGIN_BYTES = 4096;

export function bytesOf(request: HostileRequest): Buffer {
  const { method, target, headers, body, framing } = request;
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const tell = (bytes: number): string => `content-length: ${bytes}\r\n`;
  if (framing === 'length') lines.push(tell(body.length));
  if (framing === 'short') lines.push(tell(Math.max(0, body.length - 5)));
  if (framing === 'long') lines.push(tell(body.length + 100));
  if (framing === 'chunks') lines.push('transfer-encoding: chunked\r\n');
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: fuzz\r\n${lines.join('')}\r\n`);
  return Buffer.concat([head, framing === 'chunks' ? chunked(body) : body]);
}

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  const bytes = Math.max(1, Math.ceil(body.length / 3));
  for (let at = 0; at < body.length; at += bytes) {
    const part = body.subarray(at, at + bytes);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

/** Never rejects. */
export function send(port: number, request: HostileRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const fromMs = Date.now();
    const answer = new Answer(request.method);
    const socket = connect(port, '127.0.0.1');
    let wasGivenUp = false;
    const timer = setTimeout(
      () => {
        wasGivenUp = true;
        socket.destroy();
      },
      request.framing === 'long' ? GIVE_UP_LONG_MS : GIVE_UP_MS,
    );
    socket.on('error', () => undefined);
    socket.on('data', (part: Buffer) => {
      answer.take(part);
      if (answer.isWhole()) socket.destroy();
    });
    socket.on('close', () => {
      clearTimeout(timer);
      const { status, begin } = answer;
      resolve({ status, wasGivenUp, fromMs, toMs: Date.now(), begin });
    });
    // A server that answers early may close while the body is under way.
    socket.write(bytesOf(request), () => undefined);
  });
}

/** As much of HTTP/1.1 as tells where an answer ends. */
class Answer {
  readonly #method: string;
  #head = Buffer.alloc(0);
  #bodyBytes = 0;
  #tail = '';
  #lengthBytes: number | undefined;
  #isHeadWhole = false;
  begin = '';

  constructor(method: string) {
    this.#method = method;
  }

  get status(): number | undefined {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(this.begin)?.[1];
    return status === undefined ? undefined : Number(status);
  }

  take(part: Buffer): void {
    if (this.begin.length < BEGIN_BYTES) this.begin += part.toString('latin1', 0, BEGIN_BYTES);
    if (this.#isHeadWhole) return this.#takeBody(part);
    this.#head = Buffer.concat([this.#head, part]);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return;
    this.#isHeadWhole = true;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#head.toString('latin1', 0, end))?.[1];
    this.#lengthBytes = length === undefined ? undefined : Number(length);
    this.#takeBody(this.#head.subarray(end + 4));
  }

  isWhole(): boolean {
    if (!this.#isHeadWhole) return false;
    if (this.#method === 'HEAD' || this.status === 204 || this.status === 304) return true;
    if (this.#lengthBytes !== undefined) return this.#bodyBytes >= this.#lengthBytes;
    return this.#tail.endsWith('0\r\n\r\n');
  }

  #takeBody(part: Buffer): void {
    this.#bodyBytes += part.length;
    this.#tail = (this.#tail + part.toString('latin1', Math.max(0, part.length - 8))).slice(-8);
  }
}
