/** What a lease says. */
import { randomUUID } from 'node:crypto';
import { checkedText, readChecked } from '../checked-text.ts';
import type { Mark } from '../mark.ts';

export interface Written extends Mark {
  /** For how long nobody takes it over that is not renewed. */
  readonly ttlMs: number;
}

/** Another text each time. */
export function leaseText({ holder, term, ttlMs }: Written): string {
  const beat = randomUUID();
  return checkedText('lease', `${JSON.stringify({ holder, term, ttlMs, beat })}\n`);
}

/** @returns undefined where it is not as it was written */
export function readLease(text: string): Written | undefined {
  const read = readChecked('lease', text);
  if ('damage' in read) return undefined;
  const { holder, term, ttlMs } = JSON.parse(read.body) as Written;
  return { holder, term, ttlMs };
}
