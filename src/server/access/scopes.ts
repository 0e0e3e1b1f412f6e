/**
 * Filters of callers, which each route joins to its plan in its own language of filters. A word that two languages
 * take for different fields would tell other rows than were meant: such a filter is refused.
 */
import { readAllocationFilter } from '../../allocation/index.ts';
import { readAssetFilter } from '../../assets/index.ts';
import { readCloudFilter } from '../../billing/cloud/index.ts';
import { readExternalFilter } from '../../billing/external/index.ts';
import { comparisonsIn, Fault, formatFilter, type Filter } from '../../query/index.ts';

type Read = (text: string, parameter: string) => Filter | null;

/** What the first says of a mistake is told. */
const LANGUAGES: readonly (readonly [rows: string, read: Read])[] = [
  ['allocations', readAllocationFilter],
  ['assets', readAssetFilter],
  ['cloud costs', readCloudFilter],
  ['external costs', readExternalFilter],
];

/** A filter is joined to each plan of its caller. */
const COMPARISONS_MAX = 100;

/** @throws {Fault} for a filter that no route can read, and for one that two routes would read differently */
export function checkScope(text: string): void {
  const mistakes: Fault[] = [];
  const readings = LANGUAGES.flatMap(([rows, read]) => {
    const filter = readOr(mistakes, () => read(text, 'filter'));
    return filter === null ? [] : [{ rows, filter, means: formatFilter(filter) }];
  });
  const [first] = readings;
  if (first === undefined) throw mistakes[0] ?? new Fault('it selects everything');
  const other = readings.find(({ means }) => means.toLowerCase() !== first.means.toLowerCase());
  if (other !== undefined) {
    throw new Fault(
      `it is ${first.means} for ${first.rows} and ${other.means} for ${other.rows}: name fields that are the same`,
    );
  }
  const comparisons = comparisonsIn(first.filter);
  if (comparisons > COMPARISONS_MAX) {
    throw new Fault(`${comparisons} comparisons, at most ${COMPARISONS_MAX} are accepted`);
  }
}

/** The result, or null where it is a mistake, which is kept. */
function readOr(mistakes: Fault[], read: () => Filter | null): Filter | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    mistakes.push(error);
    return null;
  }
}
