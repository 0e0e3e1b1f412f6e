/**
 * Clients of the Kubecost and OpenCost API: what they ask, and how they read the answers. Each reader is written anew
 * after the client's own, of the version that it names: the same members, types, dates and orders decide.
 */
import assert from 'node:assert/strict';

export interface Client {
  readonly name: string;
  /** The place of its source, and the commit that was read. */
  readonly read: string;
  readonly replays: readonly Replay[];
}

export interface Replay {
  readonly name: string;
  /** Asks as the client does, and holds what it shows. */
  run(ask: Ask): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export type Ask = (path: string, init?: RequestInit) => Promise<Answered>;

/** The time of the server, by which clients that count days from today count. */
export const NOW = '2024-05-03T08:00:00Z';

/** Rows of a set, or any other object. */
export type Members = Readonly<Record<string, unknown>>;

/** The JSON of an answer that the client takes for a success. */
export async function jsonOf(ask: Ask, path: string, init?: RequestInit): Promise<Members> {
  const { status, contentType, text } = await ask(path, init);
  assert.equal(status, 200, `${path}: ${text}`);
  assert.match(contentType, /^application\/json/);
  return members(JSON.parse(text) as unknown);
}

export function members(value: unknown): Members {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), shown(value));
  return value as Members;
}

export function list(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value), shown(value));
  return value as readonly unknown[];
}

export function sets(value: unknown): readonly Members[] {
  return list(value).map(members);
}

export function number(of: Members, name: string): number {
  const value = of[name];
  assert.ok(typeof value === 'number' && Number.isFinite(value), `${name} is ${shown(value)}`);
  return value;
}

export function text(of: Members, name: string): string {
  const value = of[name];
  assert.ok(typeof value === 'string', `${name} is ${shown(value)}`);
  return value;
}

/** A time as Go's `time.RFC3339` reads it, as a date. */
export function dateOf(of: Members, name: string): string {
  const value = text(of, name);
  assert.match(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  assert.ok(Number.isFinite(Date.parse(value)), value);
  return value.slice(0, 10);
}

export const query = (params: Readonly<Record<string, string>>): string =>
  new URLSearchParams(params).toString();

/** Sums that are equal but for the order of additions. */
export function near(actual: number, expected: number, what: string, bound = 1e-9): void {
  within(actual, expected, what, bound * Math.max(1, Math.abs(expected)));
}

/** Sums over other sets: points of a grid lie at other edges, by less than any client shows. */
export function alike(actual: number, expected: number, what: string): void {
  near(actual, expected, what, 1e-6);
}

function within(actual: number, expected: number, what: string, bound: number): void {
  assert.ok(Math.abs(actual - expected) <= bound, `${what}: ${actual}, not ${expected}`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 200);
}
