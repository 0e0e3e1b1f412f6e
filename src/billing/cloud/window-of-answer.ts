/** The input of a view, which writes one text of it. */
import type { ChargeGroups, ChargeQuery } from '../charges/index.ts';
import type { CloudShown } from './params.ts';

/** A window of the answer. */
export interface WindowOfAnswer {
  readonly groups: ChargeGroups;
  readonly query: ChargeQuery;
  readonly shown: CloudShown;
  /** The window's place. */
  readonly place: number;
  /** Groups of the page. */
  readonly page: readonly number[];
}
