/** Times of the API, which are whole seconds, as series tell them. */
import type { ApiObject } from './api-objects.ts';

/** Unix seconds; undefined without a time, and for one that is none. */
export function secondsOf(time: string | undefined): number | undefined {
  const timeMs = time === undefined ? NaN : Date.parse(time);
  return timeMs > 0 ? Math.floor(timeMs / 1000) : undefined;
}

/** When the object was last written, as its own fields tell it; NaN where they do not. */
export function writtenMs({ metadata }: ApiObject): number {
  const times = (metadata.managedFields ?? []).flatMap(({ time }) => secondsOf(time) ?? []);
  return times.length === 0 ? NaN : Math.max(...times) * 1000;
}
