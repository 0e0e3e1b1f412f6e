/** Times as bills spell them. FOCUS asks for `2024-09-18T22:00:00Z`; a time without a zone is of UTC. */
import { readTimestamp } from '../../query/index.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)( ?UTC|Z)?$/;
/** Such as `2024-09-18 22:00:00+00`, as databases write it. */
const SHORT_OFFSET = /^(.*[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?)([+-]\d\d)$/;

/** Years that bills can have; other years are mistakes. */
const FIRST_MS = Date.UTC(2000, 0);
const END_MS = Date.UTC(2101, 0);

/** @returns Unix ms; undefined for another form, for no date, and outside the years 2000 to 2100 */
export function readTime(text: string): number | undefined {
  const ms = readTimestamp(asRfc3339(text));
  return ms !== undefined && ms >= FIRST_MS && ms < END_MS ? ms : undefined;
}

function asRfc3339(text: string): string {
  if (DATE.test(text)) return `${text}T00:00:00Z`;
  const [, day = '', time = ''] = WITHOUT_ZONE.exec(text) ?? [];
  if (day !== '') return `${day}T${time.length === 5 ? `${time}:00` : time}Z`;
  const [, local = '', offset = ''] = SHORT_OFFSET.exec(text) ?? [];
  return local === '' ? text : `${local}${offset}:00`;
}
