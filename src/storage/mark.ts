/** What a commit says of the builder that made it, where several processes share a store. */
import { Unavailable } from '../query/index.ts';

export interface Mark {
  readonly holder: string;
  /** Each builder has a higher one than the builder before. */
  readonly term: number;
}

/** A commit of a builder that others have followed since. */
export class StaleBuilder extends Unavailable {}

/**
 * Whether a commit of a builder may follow another.
 * @param last of the newest commit of a builder, if there is one
 * @throws {StaleBuilder} where a later builder has committed
 */
export function refuseStale(last: Mark | undefined, { holder, term }: Mark): void {
  if (last === undefined || last.term < term) return;
  if (last.term === term && last.holder === holder) return;
  throw new StaleBuilder(
    `nothing is stored: ${last.holder} has built since, in term ${last.term}, and this process is of term ${term}`,
  );
}
