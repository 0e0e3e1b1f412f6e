/** Headers that answers of allocations share. */
import type { NodeCosts } from '../../assets/node-costs.ts';
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

/** Notes beside the rows of an answer. */
export interface ToldBeside extends Caveats {
  readonly nodeCosts: NodeCosts;
}

/** @param told goes into headers where the format has no place for it */
export function answerHeaders(
  kind: Format['kind'],
  window: Window,
  told: ToldBeside,
): Record<string, string> {
  return {
    'content-type': MEDIA_TYPES[kind],
    vary: 'accept',
    ...(kind === 'csv' ? fileHeader(window) : {}),
    ...(kind === 'json' ? {} : { ...caveatHeaders(told), ...nodeCostsHeader(told.nodeCosts) }),
  };
}

function nodeCostsHeader(nodeCosts: NodeCosts): Record<string, string> {
  const costs = Object.entries(nodeCosts).map(([source, usd]) => `${source}=${usd}`);
  return costs.length === 0 ? {} : { 'x-prorata-node-costs': costs.join('; ') };
}

/** The name of a saved CSV. */
function fileHeader(window: Window): Record<string, string> {
  const days = [window.startMs, window.endMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const name = `allocation-${days.join('-to-')}.csv`;
  return { 'content-disposition': `attachment; filename="${name}"` };
}
