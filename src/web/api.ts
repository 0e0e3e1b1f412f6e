/** The API, as the page asks it: by relative paths, so that it works behind any prefix. */
import { hashOf } from './hash.ts';
import { signal, type Signal } from './preact.ts';

export { pathOf } from './path.ts';

/** What is to be known beside the data of an answer. */
export interface Answer<T> {
  readonly data: T;
  readonly warnings: readonly string[];
  readonly isPartial: boolean;
  readonly message: string;
  /** What nodes cost, by where their prices come from. */
  readonly nodeCosts: Readonly<Record<string, number>>;
  /** When it came, in Unix ms. */
  readonly atMs: number;
}

/** The API's own words for what went wrong. */
export class ApiError extends Error {
  /** 0: there was no answer. */
  readonly status: number;
  readonly hint: string;
  readonly parameter: string;

  constructor(status: number, message: string, hint: string = '', parameter: string = '') {
    super(message);
    this.status = status;
    this.hint = hint;
    this.parameter = parameter;
  }
}

/** Entered by hand, and forgotten with the page: nothing is kept in the browser. */
export const token: Signal<string> = signal('');
/** What writes of a browser's session have to show. */
export const csrfToken: Signal<string> = signal('');
/** Bytes that are read of each answer that is under way. */
export const underWay: Signal<ReadonlyMap<symbol, number>> = signal(new Map());
/** The last request found no server. */
export const isOffline: Signal<boolean> = signal(false);
/** When the server answered last, in Unix ms. */
export const answeredMs: Signal<number> = signal(0);

/** What each path was answered with last, by a hash: two answers can be told apart without keeping them. */
const answered = new Map<string, number>();

/** Undefined: it was not asked yet. */
export function lastAnswer(path: string): number | undefined {
  return answered.get(path);
}

/** The request as a command. */
export function curlOf(path: string): string {
  const url = new URL(path, document.baseURI).href;
  const sign = token.value === '' ? '' : ` -H "Authorization: Bearer $TOKEN"`;
  return `curl -s${sign} '${url.replaceAll("'", '%27')}'`;
}

/** @throws {ApiError} */
export async function askText(path: string, abort?: AbortSignal): Promise<string> {
  const [text] = await askWhole(path, abort);
  return text;
}

async function askWhole(path: string, abort?: AbortSignal): Promise<readonly [string, Headers]> {
  const id = Symbol(path);
  tell(id, 0);
  try {
    const response = await request(path, { signal: abort ?? null });
    const text = await readText(response, (bytes) => tell(id, bytes));
    if (!response.ok) throw errorOf(response.status, text);
    answered.set(path, hashOf(text));
    return [text, response.headers];
  } finally {
    tell(id, undefined);
  }
}

/** JSON with its warnings, whether or not it is wrapped. @throws {ApiError} */
export async function ask<T>(path: string, abort?: AbortSignal): Promise<Answer<T>> {
  return answerOf<T>(...(await askWhole(path, abort)));
}

/** Whether a path is there for anybody: it says what it takes without being asked who they are. */
export async function isOpen(path: string): Promise<boolean> {
  try {
    return (await fetch(path, { method: 'OPTIONS' })).ok;
  } catch {
    return false;
  }
}

/** @throws {ApiError} */
export async function send<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
  const [answer] = await sendFor<T>(method, path, body, '');
  return answer;
}

/**
 * `send`, and a header of the answer, '' where it has none.
 * @param more headers of the request
 * @throws {ApiError}
 */
export async function sendFor<T>(
  method: string,
  path: string,
  body: unknown,
  header: string,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly [Answer<T>, string]> {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...more };
  if (csrfToken.value !== '') headers['x-csrf-token'] = csrfToken.value;
  const sent = body === undefined ? null : JSON.stringify(body);
  const response = await request(path, { method, headers, body: sent });
  const text = await response.text();
  if (!response.ok) throw errorOf(response.status, text);
  const told = header === '' ? '' : (response.headers.get(header) ?? '');
  return [answerOf<T>(text === '' ? 'null' : text, response.headers), told];
}

async function request(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token.value !== '') headers.set('authorization', `Bearer ${token.value}`);
  try {
    const response = await fetch(path, { ...init, headers, cache: 'no-cache' });
    isOffline.value = false;
    answeredMs.value = Date.now();
    return response;
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    isOffline.value = true;
    throw new ApiError(0, 'the server does not answer', 'it is asked again each minute');
  }
}

async function readText(response: Response, onBytes: (bytes: number) => void): Promise<string> {
  if (response.body === null) return await response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    bytes += step.value.byteLength;
    text += decoder.decode(step.value, { stream: true });
    onBytes(bytes);
  }
  return text + decoder.decode();
}

function tell(id: symbol, bytes: number | undefined): void {
  const next = new Map(underWay.value);
  if (bytes === undefined) next.delete(id);
  else next.set(id, bytes);
  underWay.value = next;
}

interface WarningDetail {
  readonly message: string;
  /** USD; null: unknown. */
  readonly cost: number | null;
}

interface Wrapped {
  readonly code?: number;
  readonly data?: unknown;
  readonly warnings?: readonly string[];
  readonly warningDetails?: readonly WarningDetail[];
  readonly partial?: boolean;
  readonly message?: string;
  readonly hint?: string;
  readonly parameter?: string;
  readonly nodeCosts?: Readonly<Record<string, number>>;
}

/** What answers without a place for them tell in headers. */
const WARNINGS = 'x-prorata-warnings';
const PARTIAL = 'x-prorata-partial';

function answerOf<T>(text: string, headers: Headers): Answer<T> {
  const value = JSON.parse(text) as unknown;
  const wrapped: Wrapped = isObject(value) ? value : {};
  return {
    data: (wrapped.code !== undefined && 'data' in wrapped ? wrapped.data : value) as T,
    warnings:
      wrapped.warningDetails?.map(warningText) ??
      wrapped.warnings ??
      headers.get(WARNINGS)?.split('; ') ??
      [],
    isPartial: wrapped.partial === true || headers.get(PARTIAL) === 'true',
    message: wrapped.message ?? '',
    nodeCosts: wrapped.nodeCosts ?? {},
    atMs: Date.now(),
  };
}

/** The message with its cost, where it does not state it. */
function warningText({ message, cost }: WarningDetail): string {
  const isStated = cost === null || cost === 0 || message.includes('$');
  return isStated ? message : `${message} (about $${cost.toFixed(2)})`;
}

function errorOf(status: number, text: string): ApiError {
  try {
    const value = JSON.parse(text) as unknown;
    const { message = '', hint = '', parameter = '' }: Wrapped = isObject(value) ? value : {};
    if (message !== '') return new ApiError(status, message, hint, parameter);
  } catch {
    // A proxy's page, not the API's words.
  }
  return new ApiError(status, `the answer has the status ${status}`);
}

function isObject(value: unknown): value is Wrapped {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
