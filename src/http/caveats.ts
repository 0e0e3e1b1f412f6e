/** How answers tell their caveats: in the body where it is an object, else in headers. */
import {
  listedWarnings,
  uncertainCost,
  type Caveats,
  type Warning,
  type WarningLike,
} from '../query/index.ts';

/**
 * For answers without a place in their body: `x-prorata-warnings`, `x-prorata-uncertain-cost`, and
 * `x-prorata-partial` if a part of the window is not known.
 */
export function caveatHeaders({ warnings, isPartial }: Caveats): Record<string, string> {
  const texts = listedWarnings(warnings).map(({ message }) => message);
  const text = texts.join('; ').replaceAll(/[^\u0020-\u007e]/g, '?');
  const cost = { 'x-prorata-uncertain-cost': String(uncertainCost(warnings)) };
  return {
    ...(text === '' ? {} : { 'x-prorata-warnings': text, ...cost }),
    ...(isPartial ? { 'x-prorata-partial': 'true' } : {}),
  };
}

/** What answers show of a warning. */
type Detail = Omit<Warning, 'assets'>;

function detailOf({ message, cost, clusters, nodes }: Warning): Detail {
  return { message, cost, clusters, nodes };
}

/** Members of a JSON object, left out where they do not apply. */
interface CaveatFields {
  /** Messages by cost, the highest first. */
  readonly warnings?: readonly string[];
  /** The same with their costs, clusters and nodes. */
  readonly warningDetails?: readonly Detail[];
  /** Sum of the known costs of warnings, USD. */
  readonly uncertainCost?: number;
  readonly partial?: true;
}

export function caveatFields({ warnings, isPartial }: Caveats): CaveatFields {
  const listed = listedWarnings(warnings);
  const about = {
    warnings: listed.map(({ message }) => message),
    warningDetails: listed.map(detailOf),
    uncertainCost: uncertainCost(listed),
  };
  return { ...(listed.length > 0 ? about : {}), ...(isPartial ? { partial: true } : {}) };
}

/** The same as text before the end of a JSON object: `,"warnings":[…],…,"partial":true`. */
export function caveatMembers(caveats: Caveats): string {
  const members = JSON.stringify(caveatFields(caveats)).slice(1, -1);
  return members === '' ? '' : `,${members}`;
}

/** `warnings` of a JSON object that cannot be partial. */
export function withWarnings(warnings: readonly WarningLike[]): CaveatFields {
  return caveatFields({ warnings, isPartial: false });
}
