/** How answers tell their caveats: in the body where it is an object, else in headers. */
import type { Caveats } from '../query/index.ts';

/**
 * For answers without a place in their body: `x-prorata-warnings`, and `x-prorata-partial` if a part of
 * the window is not known.
 */
export function caveatHeaders({ warnings, isPartial }: Caveats): Record<string, string> {
  const text = warnings.join('; ').replaceAll(/[^\u0020-\u007e]/g, '?');
  return {
    ...(text === '' ? {} : { 'x-prorata-warnings': text }),
    ...(isPartial ? { 'x-prorata-partial': 'true' } : {}),
  };
}

/** `warnings` and `partial` of a JSON object, left out where they do not apply. */
export function caveatFields({ warnings, isPartial }: Caveats): {
  readonly warnings?: readonly string[];
  readonly partial?: true;
} {
  return {
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(isPartial ? { partial: true } : {}),
  };
}

/** The same as text before the end of a JSON object: `,"warnings":[…],"partial":true`. */
export function caveatMembers(caveats: Caveats): string {
  const members = JSON.stringify(caveatFields(caveats)).slice(1, -1);
  return members === '' ? '' : `,${members}`;
}

/** `warnings` of a JSON object that cannot be partial. */
export function withWarnings(warnings: readonly string[]): {
  readonly warnings?: readonly string[];
} {
  return caveatFields({ warnings, isPartial: false });
}
