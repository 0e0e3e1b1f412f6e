/** What is made of names of parameters that a route does not know. */
import { nearest } from '../../query/index.ts';

/**
 * Parameters that clients of Kubecost and OpenCost send to every route and that change no cost: charts and
 * currencies of pages, metadata that rows always have, and `_` against caches. In lower case.
 */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  '_',
  'charttype',
  'costunit',
  'includeaggregatedmetadata',
  'metrics',
]);

/** Longer names are cut. */
const NAME_CHARACTERS = 64;

/** The warning of a name that nothing has read. */
export function ignoredText(name: string, known: readonly string[]): string {
  const shown = name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS)}…` : name;
  const near = nearest(name, known);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  return `parameter '${shown}' is not known and was ignored${hint}`;
}
