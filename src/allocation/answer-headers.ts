/** Headers that answers of allocations share. */
import type { Window } from '../query/index.ts';
import { MEDIA_TYPES } from './format.ts';

/** The first of JSON and NDJSON that an Accept header names. */
export function formatAccepted(accept: string): 'json' | 'ndjson' {
  const types = accept.split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase());
  const first = types.find((type) => type === MEDIA_TYPES.json || type === MEDIA_TYPES.ndjson);
  return first === MEDIA_TYPES.ndjson ? 'ndjson' : 'json';
}

/** A CSV is to be saved under a name of its own. */
export function fileHeader(window: Window): Record<string, string> {
  const days = [window.startMs, window.endMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const name = `allocation-${days.join('-to-')}.csv`;
  return { 'content-disposition': `attachment; filename="${name}"` };
}

/** Lines of rows have no place for warnings among them. */
export function warningsHeader(
  warnings: readonly string[],
  isPartial: boolean,
): Record<string, string> {
  const told = warnings.join('; ').replaceAll(/[^\u0020-\u007e]/g, '?');
  return {
    ...(told === '' ? {} : { 'x-prorata-warnings': told }),
    ...(isPartial ? { 'x-prorata-partial': 'true' } : {}),
  };
}
