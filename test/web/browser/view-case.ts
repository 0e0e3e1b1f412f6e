/** What is held of a view of the page: where it is, in which states it is looked at, a number of it, and what one does there. */
import assert from 'node:assert/strict';
import type { OpenPage } from '../../support/browser/browser.ts';

/** JSON of a path of the server. */
export type Ask = <T>(path: string) => Promise<T>;

export interface ViewCase {
  readonly title: string;
  /** After `g`. */
  readonly key: string;
  readonly query: string;
  /** Queries of further states, which are looked at in one width each. */
  readonly states: readonly string[];
  /** A number of the view, as it is shown and as the API's figures make it. */
  readonly number: {
    readonly says: string;
    readonly shown: (open: OpenPage) => Promise<string>;
    readonly figure: (ask: Ask) => Promise<string>;
  };
  /** What the flow shows, as a sentence. */
  readonly does: string;
  readonly flow: (open: OpenPage) => Promise<void>;
}

export type Costs = Readonly<Record<string, { readonly totalCost: number }>>;

export const USD: Intl.NumberFormat = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
});

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export async function costs(ask: Ask, window: string, aggregate: string): Promise<Costs> {
  const query = `window=${window}&exactWindow=true&aggregate=${aggregate}&accumulate=true&idle=true`;
  const { data } = await ask<{ readonly data: readonly Costs[] }>(`/model/allocation?${query}`);
  assert.equal(data.length, 1);
  return data[0] ?? {};
}

/** `+$12.10`, `<$0.01` and `$1,204.5000` as numbers. */
export function usdOf(text: string): number {
  if (/[<>]/.test(text)) return 0;
  return Number(text.replace('−', '-').replace(/[$,+]/g, ''));
}
