/** Instants in requests and settings: RFC 3339 timestamps and Unix seconds. */

/** Windows and clocks stay within 1970-01-01 and the end of the year 9999, both UTC. */
export const LAST_INSTANT_MS: number = Date.UTC(10_000, 0);

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,30})?(?:[Zz]|([+\- ])(\d\d):(\d\d))$/;

/**
 * An RFC 3339 timestamp (https://www.rfc-editor.org/rfc/rfc3339#section-5.6) of any offset, its
 * fraction cut to milliseconds. A blank stands for the `+` of an offset, which is what an
 * unescaped `+` in a query becomes. Leap seconds (`:60`) are not accepted: Unix time has none.
 *
 * @returns Unix milliseconds, possibly outside 1970 to 9999; undefined for another form and for
 *   dates that do not exist, such as February 30
 */
export function readTimestamp(text: string): number | undefined {
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const part = (index: number): number => Number(parts[index] ?? 0);
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) {
    return undefined;
  }
  const day = new Date(0);
  day.setUTCFullYear(part(1), part(2) - 1, part(3));
  if (day.getUTCMonth() !== part(2) - 1 || day.getUTCDate() !== part(3)) return undefined;
  const sign = parts[8] === '-' ? -1 : 1;
  const offsetMinutes = sign * (offsetHour * 60 + offsetMinute);
  const fractionMs = Number((parts[7] ?? '.').slice(1, 4).padEnd(3, '0'));
  return day.getTime() + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 + fractionMs;
}

/** Whole Unix seconds, as milliseconds; undefined for anything but digits. */
export function readUnixSeconds(text: string): number | undefined {
  return /^\d{1,20}$/.test(text) ? Number(text) * 1000 : undefined;
}
