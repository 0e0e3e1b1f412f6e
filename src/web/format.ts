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

/** @param digits at most so many after the point */
function number(value: number, digits: number): string {
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
