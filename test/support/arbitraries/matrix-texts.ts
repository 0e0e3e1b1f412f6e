/** Results of range selectors as JSON, in all the ways that JSON can be written. */
import fc from 'fast-check';

type Text = fc.Arbitrary<string>;

/** Mostly nothing. */
const blank: Text = fc.oneof(
  { weight: 9, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.stringMatching(/^[ \t\r\n]{1,20}$/) },
);

const plainPart = fc.constantFrom('a', 'é', '€', '😀', '/', ' ', "'", 'x'.repeat(40), '\u007f');
const escapedPart = fc.constantFrom(
  '\\"',
  '\\\\',
  '\\/',
  '\\b',
  '\\f',
  '\\n',
  '\\r',
  '\\t',
  '\\u0041',
  '\\u00e9',
  '\\u20AC',
  '\\ud83d\\ude00',
  '\\uD83D\\uDE00',
  '\\u003c',
  '\\u0000',
  '\\u07ff',
  '\\u0800',
  '\\uffff',
);
/** Halves of pairs of UTF-16. */
const halfPart = fc.constantFrom('\\ud83d', '\\ude00', '\\ud83dx', '\\ud83d\\ud83d', '\\udbff\\n');

function quoted(...parts: readonly fc.Arbitrary<string>[]): Text {
  return fc.array(fc.oneof(...parts), { maxLength: 8 }).map((all) => `"${all.join('')}"`);
}

const labelText = quoted(plainPart, plainPart, escapedPart, halfPart);
const labelName = fc.oneof(
  fc.constantFrom('"__name__"', '"pod"', '"node"', '"a"', '"b"', '"p\\u006fd"', '"__proto__"'),
  quoted(plainPart, escapedPart),
);

const digits = fc.stringMatching(/^\d{1,25}$/);
const exponent = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.integer({ min: -400, max: 400 }).map((n) => `e${n}`) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 }).map((n) => `E+${n}`) },
);
const whole = fc.stringMatching(/^-?(0|[1-9]\d{0,24})$/);
const fraction = fc.oneof(
  fc.constant(''),
  digits.map((text) => `.${text}`),
);

/** Any number that JSON has. */
export const jsonNumber: Text = fc.tuple(whole, fraction, exponent).map((parts) => parts.join(''));

const shortest: Text = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => (Object.is(value, -0) ? '-0' : String(value)));

/** Any text that stands for a value; the last few only some stores write. */
export const valueText: Text = fc.oneof(
  { weight: 4, arbitrary: shortest },
  { weight: 4, arbitrary: fc.nat().map((n) => String(n / 1000)) },
  { weight: 2, arbitrary: jsonNumber },
  { weight: 1, arbitrary: fc.constantFrom('NaN', '+Inf', '-Inf', 'Inf', 'Infinity', '-Infinity') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('+1', '.5', '5.', '-.5e3', '007', '\\u0031', '1\\u002e5'),
  },
);

const timeText: Text = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 4e9 }).map(String) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 4e12 }).map((ms) => String(ms / 1000)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('0', '0.5', '1.7e9', '1700000000.1234', '17E+8', '-5.5'),
  },
  { weight: 1, arbitrary: jsonNumber.filter((text) => Math.abs(Number(text)) < 1e300) },
);

/** `open a , b , c close` with blanks between. */
function listed(open: string, close: string, items: fc.Arbitrary<string[]>): Text {
  return fc.tuple(items, fc.array(blank, { maxLength: 5 })).map(([all, blanks]) => {
    const [inside = '', ...others] = blanks;
    const around = (text: string, i: number): string => {
      const one = others[i % Math.max(1, others.length)] ?? '';
      return `${one}${text}${inside}`;
    };
    return all.length === 0
      ? `${open}${inside}${close}`
      : `${open}${all.map(around).join(',')}${close}`;
  });
}

function member(name: Text, value: Text): Text {
  return fc.tuple(name, blank, blank, value).map(([a, b, c, d]) => `${a}${b}:${c}${d}`);
}

const pair: Text = fc
  .tuple(
    blank,
    timeText,
    blank,
    blank,
    fc.oneof(
      valueText.map((text) => `"${text}"`),
      jsonNumber,
    ),
    blank,
  ) // prettier-ignore
  .map(([a, time, b, c, value, d]) => `[${a}${time}${b},${c}${value}${d}]`);

const near = fc.constantFrom('"value"', '"metrics"', '"\\"values\\""', '"Metric"');
/** No edit of a few bytes makes them known. */
const far = fc.constantFrom('"histograms"', '"x"', '""');
const other = fc.oneof(
  fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('[[1,{"count":"5","buckets":[[0,"-1","1",null]]}]]', '-0.5e-3', '[ ]', '{ }'),
);

const name = (text: string, escaped: string): Text => fc.constantFrom(text, text, text, escaped);
const orNull = (text: Text): Text => fc.oneof({ weight: 9, arbitrary: text }, fc.constant('null'));
const values = listed('[', ']', fc.array(pair, { maxLength: 12 }));
const valuesMember = member(name('"values"', '"v\\u0061lues"'), orNull(values));

function labelled([name, a, b, text]: readonly [string, string, string, string]): string {
  return `${name}${a}:${b}${text}`;
}

/** A result, from behind its opening bracket on. @param isOnce no name stands twice in an object */
export function matrixTexts(isOnce: boolean): Text {
  const label = fc.tuple(labelName, blank, blank, labelText);
  const options = { maxLength: 6, selector: ([text]: readonly string[]) => text };
  const labels = isOnce ? fc.uniqueArray(label, options) : fc.array(label, options);
  const metric = listed(
    '{',
    '}',
    labels.map((all) => all.map(labelled)),
  );
  const metricMember = member(name('"metric"', '"m\\u0065tric"'), orNull(metric));
  const members = isOnce
    ? fc
        .tuple(metricMember, valuesMember, member(far, other))
        .chain((all) => fc.shuffledSubarray(all))
    : fc.array(fc.oneof(metricMember, valuesMember, member(fc.oneof(near, far), other)), {
        maxLength: 5,
      });
  return listed('', ']', fc.array(orNull(listed('{', '}', members)), { maxLength: 5 }));
}
