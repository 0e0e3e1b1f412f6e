/** Numbers, money and times as text, by the reader's locale. */

/** Empty for zero, so that what is there stands out. */
const NOTHING = '';
/** Not known. */
export const UNKNOWN = '–';

type Digits = Intl.NumberFormatOptions;

const formats = new Map<string, Intl.NumberFormat>();

function numberFormat(options: Digits): Intl.NumberFormat {
  const key = JSON.stringify(options);
  let format = formats.get(key);
  if (format === undefined) formats.set(key, (format = new Intl.NumberFormat(undefined, options)));
  return format;
}

const USD: Digits = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' };

/** `$1,204.50`; less than half a cent is `<$0.01`, zero is empty. */
export function money(usd: number | undefined): string {
  if (usd === undefined || Number.isNaN(usd)) return UNKNOWN;
  if (usd === 0) return NOTHING;
  if (Math.abs(usd) < 0.005) return `${usd < 0 ? '>-' : '<'}${numberFormat(USD).format(0.01)}`;
  return numberFormat(USD).format(usd);
}

/** `$0.00` too. */
export function moneyOrZero(usd: number | undefined): string {
  return usd === 0 ? numberFormat(USD).format(0) : money(usd);
}

/** In all its digits, for sums that are to be followed. */
export function moneyExact(usd: number): string {
  return numberFormat({ ...USD, minimumFractionDigits: 4, maximumFractionDigits: 4 }).format(usd);
}

/** `+$12.10`, `−$3.00`. */
export function moneyChange(usd: number | undefined): string {
  if (usd === undefined || Number.isNaN(usd)) return UNKNOWN;
  if (Math.abs(usd) < 0.005) return NOTHING;
  return numberFormat({ ...USD, signDisplay: 'always' })
    .format(usd)
    .replace('-', '−');
}

/** `$1.2K` for axes. */
export function moneyShort(usd: number): string {
  const digits: Digits = { ...USD, notation: 'compact', maximumFractionDigits: 1 };
  return numberFormat({ ...digits, minimumFractionDigits: 0 }).format(usd);
}

/** `61 %`; undefined for what divides by nothing. */
export function percent(part: number | undefined): string {
  if (part === undefined || !Number.isFinite(part)) return UNKNOWN;
  const digits = Math.abs(part) < 0.1 && part !== 0 ? 1 : 0;
  return numberFormat({ style: 'percent', maximumFractionDigits: digits }).format(part);
}

export function percentChange(part: number | undefined): string {
  if (part === undefined || !Number.isFinite(part)) return UNKNOWN;
  const options: Digits = { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' };
  return numberFormat(options).format(part).replace('-', '−');
}

/** @param digits at most so many after the point */
export function number(value: number, digits: number = 2): string {
  return numberFormat({ maximumFractionDigits: digits }).format(value);
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

export function bytes(value: number): string {
  let unit = 0;
  let rest = value;
  while (Math.abs(rest) >= 1024 && unit < BYTE_UNITS.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${number(rest, rest < 10 ? 1 : 0)} ${BYTE_UNITS[unit] ?? ''}`;
}

const times = new Map<string, Intl.DateTimeFormat>();

function timeFormat(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  let format = times.get(key);
  if (format === undefined) {
    times.set(key, (format = new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone })));
  }
  return format;
}

/** `22 Nov`. */
export function day(ms: number, zone: string): string {
  return timeFormat(zone, { day: 'numeric', month: 'short' }).format(ms);
}

/** `Sunday`. */
export function weekday(ms: number, zone: string): string {
  return timeFormat(zone, { weekday: 'long' }).format(ms);
}

const MINUTES = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;

/** `22 Nov, 14:05`. */
export function moment(ms: number, zone: string): string {
  return timeFormat(zone, MINUTES).format(ms);
}

/** `22 Nov, 14:05:30`. */
export function momentExact(ms: number, zone: string): string {
  return timeFormat(zone, { ...MINUTES, second: '2-digit' }).format(ms);
}

/** `2026-11-22`: the local date, as the API reads it. */
export function isoDate(ms: number, zone: string): string {
  const parts = new Map(
    DATES(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  return `${parts.get('year') ?? ''}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
}

function DATES(zone: string): Intl.DateTimeFormat {
  const key = `${zone} iso`;
  let format = times.get(key);
  if (format === undefined) {
    const options = { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    times.set(key, (format = new Intl.DateTimeFormat('en-US', options)));
  }
  return format;
}
