/**
 * Two dialects of one API. Kubecost serves its routes below `/model`, from stored days; OpenCost serves routes of the
 * same names without a prefix, computed on demand, in other shapes. A path tells which one its client expects.
 */

export const DIALECTS = ['kubecost', 'opencost'] as const;

export type Dialect = (typeof DIALECTS)[number];

/** `prefix`: below `/model` Kubecost's, else OpenCost's. Else all paths speak one. */
export const DIALECT_RULES = ['prefix', 'kubecost', 'opencost'] as const;

export type DialectRule = (typeof DIALECT_RULES)[number];

const PREFIX = '/model';

/** The path that a route has, whichever of its spellings is asked for. */
export function withoutPrefix(path: string): string {
  return hasPrefix(path) ? path.slice(PREFIX.length) : path;
}

/** The dialect in which a path is answered. */
export function dialectOf(path: string, rule: DialectRule): Dialect {
  if (rule !== 'prefix') return rule;
  return hasPrefix(path) ? 'kubecost' : 'opencost';
}

function hasPrefix(path: string): boolean {
  return path.startsWith(`${PREFIX}/`);
}
