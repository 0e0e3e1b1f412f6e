/**
 * Quantities of Kubernetes (`100m`, `1.5Gi`, `2e3`), exact: bigint nanos, the finest the API keeps.
 * Grammar, caps and canonical form:
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/api/resource/quantity.go
 */

/** Notations of a quantity: `1Gi`, `1G`, `1e9`. */
export type QuantityFormat = 'binary' | 'decimal' | 'exponent';

/** Nanos in one unit. */
const NANOS = 1_000_000_000n;

/** The largest quantity: 2^63 − 1 units. */
const MOST_NANOS = (2n ** 63n - 1n) * NANOS;
/** Larger powers of ten make no difference: the cap or the last nano is reached. */
const POWER_MAX = 40;
/** Longer texts are refused, as reading digits takes time by the square of their number. */
const LONGEST = 1000;

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d{1,9}))$/;

const BINARY: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Suffixes by thousands, from nanos up. */
const DECIMAL: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/**
 * @returns nanos, rounded away from zero where the text is finer and cut where it is larger than
 * 2^63 − 1 units, as the API does; undefined when the text is no quantity
 */
export function readQuantity(text: string): bigint | undefined {
  if (text.length > LONGEST) return undefined;
  const [, sign, whole = '', fraction = '', binary, decimal = '', exponent] = FORM.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const digits = BigInt(whole + fraction);
  const power = 9 - fraction.length + powerOf(decimal, exponent);
  const nanos = scaled(digits * 1024n ** BigInt(Math.max(0, BINARY.indexOf(binary ?? ''))), power);
  const capped = nanos > MOST_NANOS ? MOST_NANOS : nanos;
  return sign === '-' ? -capped : capped;
}

/** The power of ten. */
function powerOf(suffix: string, exponent: string | undefined): number {
  return exponent === undefined ? 3 * (DECIMAL.indexOf(suffix) - 3) : Number(exponent);
}

/** `digits` × 10^`power`, rounded up. */
function scaled(digits: bigint, power: number): bigint {
  if (digits === 0n) return 0n;
  if (power >= 0) return digits * 10n ** BigInt(Math.min(power, POWER_MAX));
  // The text has only so many digits: beyond them a smaller power rounds up to the same nano.
  const least = Math.max(power, -POWER_MAX - digits.toString().length);
  const divisor = 10n ** BigInt(-least);
  return (digits + divisor - 1n) / divisor;
}

/** The canonical text: no fraction, and the largest suffix that loses nothing. */
export function formatQuantity(nanos: bigint, format: QuantityFormat): string {
  if (nanos === 0n) return '0';
  const isWhole = nanos % NANOS === 0n;
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (format === 'binary' && isWhole && magnitude >= 1024n * NANOS) {
    return suffixed(nanos / NANOS, 1024n, BINARY);
  }
  if (format !== 'exponent') return suffixed(nanos, 1000n, DECIMAL);
  const suffixes = DECIMAL.map((_, index) => (index === 3 ? '' : `e${3 * (index - 3)}`));
  return suffixed(nanos, 1000n, suffixes);
}

function suffixed(amount: bigint, base: bigint, suffixes: readonly string[]): string {
  let [left, at] = [amount, 0];
  while (left % base === 0n && at < suffixes.length - 1) {
    left /= base;
    at++;
  }
  return `${left}${suffixes[at]}`;
}
