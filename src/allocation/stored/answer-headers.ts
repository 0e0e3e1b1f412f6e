/** Headers that answers of allocations share. */
import { caveatHeaders } from '../../http/index.ts';
import type { Caveats, Window } from '../../query/index.ts';
import {
  ACCEPTED_FORMATS,
  MEDIA_TYPES,
  type AcceptedFormat,
  type Format,
} from '../params/format.ts';

/** The format of the first known media type that an Accept header names. */
export function formatAccepted(accept: string): AcceptedFormat {
  const types = accept.split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase());
  const formats = types.map((type) => ACCEPTED_FORMATS.find((name) => MEDIA_TYPES[name] === type));
  return formats.find((format) => format !== undefined) ?? 'json';
}

/** @param caveats go into headers where the format has no place for them */
export function answerHeaders(
  kind: Format['kind'],
  window: Window,
  caveats: Caveats,
): Record<string, string> {
  return {
    'content-type': MEDIA_TYPES[kind],
    vary: 'accept',
    ...(kind === 'csv' ? fileHeader(window) : {}),
    ...(kind === 'json' ? {} : caveatHeaders(caveats)),
  };
}

/** The name of a saved CSV. */
function fileHeader(window: Window): Record<string, string> {
  const days = [window.startMs, window.endMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const name = `allocation-${days.join('-to-')}.csv`;
  return { 'content-disposition': `attachment; filename="${name}"` };
}
