/** Errors of answers that would be too large, with hints at smaller ones. */
import { Fault } from '../../query/index.ts';

export function tooManyGroups(most: number): Fault {
  return new Fault(`the answer would have more than ${most} items`, {
    status: 422,
    parameter: 'aggregate',
    hint: 'group by fewer or by coarser properties, or ask for a shorter window',
  });
}

export function tooManyItems(found: number, most: number): Fault {
  return new Fault(`the answer would have ${found} items, at most ${most} are given at once`, {
    status: 422,
    parameter: 'limit',
    hint: 'ask page by page, for example limit=1000&offset=0, or for coarser groups',
  });
}
