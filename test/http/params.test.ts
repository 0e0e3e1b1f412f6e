import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../src/query/fault.ts';
import { parseQuery, type QueryParams } from '../../src/http/params.ts';

test('a parameter is decoded once: plus is a space, empty is unset, unknown is ignored', () => {
  const rows: readonly [query: string, a: string | undefined][] = [
    ['', undefined],
    ['a=b', 'b'],
    ['?a=b', undefined],
    ['a=', undefined],
    ['a', undefined],
    ['&&a=b&', 'b'],
    ['A=b', 'b'],
    ['a=b=c', 'b=c'],
    ['a=b+c%20d%2B', 'b c d+'],
    ['a=%2525', '%25'],
    ['a=%C3%A9é', 'éé'],
    ['a=%F0%9F%92%B0', '💰'],
    ['%61=b', 'b'],
    ['a=b&x=1&x=2', 'b'],
    ['a=b;c', 'b;c'],
    ['__proto__=c&a=b', 'b'],
  ];
  for (const [query, a] of rows) assert.equal(parseQuery(query).text('a'), a, query);
  assert.equal(parseQuery('x=1').text('__proto__'), undefined);
  assert.equal(parseQuery('__proto__=c').text('__proto__'), 'c');
});

test('damaged percent-encoding is a Fault that names its parameter and shows the value', () => {
  const damaged = [
    '%',
    '%z',
    '%zz',
    'a%2',
    '%00',
    'x%00y',
    '%C3',
    '%C0%AF',
    '%ED%A0%80',
    '%FF',
    '\uFFFD',
  ];
  for (const value of damaged) {
    assert.throws(
      () => parseQuery(`ok=1&window=${value}`),
      (error) => {
        assert.ok(error instanceof Fault, value);
        assert.equal(error.status, 400);
        assert.equal(error.parameter, 'window');
        assert.ok(error.message.includes(value), error.message);
        return true;
      },
    );
  }
  assert.throws(() => parseQuery('%zz=1'), Fault);
});

test('a query above 32 KiB is 414, counted in bytes', () => {
  const longest = `a=${'x'.repeat(32 * 1024 - 2)}`;
  assert.equal(parseQuery(longest).text('a')?.length, 32 * 1024 - 2);
  for (const query of [`${longest}x`, 'é'.repeat(20_000)]) {
    assert.throws(() => parseQuery(query), { name: 'Fault', status: 414 });
  }
});

test('a repeated parameter is a Fault when it is read', () => {
  for (const query of ['a=1&a=2', 'a=1&a=1', 'a=&a=1', 'a&a', 'a=1&%61=1']) {
    const params = parseQuery(query);
    assert.equal(params.text('b'), undefined);
    assert.throws(() => params.text('a'), { name: 'Fault', status: 400, parameter: 'a' });
    assert.throws(() => params.flag('a', true), { name: 'Fault', status: 400, parameter: 'a' });
  }
});

test('lists may come item by item, and names in any case', () => {
  const rows: readonly [query: string, name: string, value: string | undefined][] = [
    ['filterNamespaces=a&filterNamespaces=b', 'filterNamespaces', 'a,b'],
    ['filterNamespaces=a,b&filternamespaces=c', 'filterNamespaces', 'a,b,c'],
    ['FILTERNAMESPACES=a', 'filterNamespaces', 'a'],
    ['filterLabels=&filterLabels=a:b&filterLabels', 'filterLabels', 'a:b'],
    ['filterLabels=&filterLabels=', 'filterLabels', undefined],
    ['aggregate=namespace&Aggregate=pod', 'aggregate', 'namespace,pod'],
    ['shareNamespaces=a&shareNamespaces=b', 'shareNamespaces', 'a,b'],
    ['shareLabels=a:b&shareLabels=c:d', 'shareLabels', 'a:b,c:d'],
  ];
  for (const [query, name, value] of rows) assert.equal(parseQuery(query).text(name), value, query);
  for (const name of ['filter', 'filterTotalCostLowerBound', 'window', 'shareCost', 'limit']) {
    const params = parseQuery(`${name}=1&${name.toUpperCase()}=2`);
    assert.throws(() => params.text(name), { name: 'Fault', parameter: name });
  }
});

test('a name in another case is known, and one that is not is told as it came', () => {
  const params = parseQuery('WINDOW=7d&Aggregat=pod&CHARTTYPE=bar');
  assert.equal(params.text('window'), '7d');
  assert.equal(params.has('aggregate'), false);
  assert.deepEqual(params.ignored(), [
    "parameter 'Aggregat' is not known and was ignored; did you mean 'aggregate'?",
  ]);
});

test('a flag takes twelve words in any case and its default when unset', () => {
  const rows: readonly [string, boolean][] = [
    ['1', true],
    ['t', true],
    ['true', true],
    ['T', true],
    ['TRUE', true],
    ['tRuE', true],
    ['yes', true],
    ['Y', true],
    ['on', true],
    ['+true', true],
    ['no', false],
    ['N', false],
    ['OFF', false],
    ['0', false],
    ['f', false],
    ['false', false],
    ['F', false],
    ['False', false],
  ];
  for (const [value, flag] of rows) {
    assert.equal(parseQuery(`a=${value}`).flag('a', !flag), flag, value);
  }
  for (const byDefault of [true, false]) {
    assert.equal(parseQuery('a=').flag('a', byDefault), byDefault);
    assert.equal(parseQuery('').flag('a', byDefault), byDefault);
  }
  for (const value of ['yess', 'nope', '2', 'enabled', '-', 'null']) {
    assert.throws(() => parseQuery(`a=${value}`).flag('a', false), {
      name: 'Fault',
      status: 400,
      parameter: 'a',
      message: /is not a boolean: true, yes, on, t, y, 1, or false, no, off, f, n, 0/,
      hint: 'for example a=true',
    });
  }
});

test('the error for a missing or empty required parameter says what is accepted, with an example', () => {
  assert.equal(parseQuery('window=7d').required('window', 'a window', '7d'), '7d');
  for (const query of ['', 'window=', 'windows=7d']) {
    assert.throws(() => parseQuery(query).required('window', 'a window', '7d'), {
      name: 'Fault',
      status: 400,
      parameter: 'window',
      message: "parameter 'window' is missing: it takes a window",
      hint: 'for example window=7d',
    });
  }
});

test('a parameter is parsed only if it is set', () => {
  const params: QueryParams = parseQuery('a=12&b=');
  assert.equal(params.parsed('a', Number, 5), 12);
  assert.equal(params.parsed('b', assert.fail, 5), 5);
  assert.equal(params.parsed('c', assert.fail, undefined), undefined);
});

test('the output of URLSearchParams is read back unchanged', () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .filter((s) => !s.includes('\0') && !s.includes('\uFFFD'));
  fc.assert(
    fc.property(fc.dictionary(text, text), (pairs) => {
      const params = parseQuery(new URLSearchParams(Object.entries(pairs)).toString());
      for (const [name, value] of Object.entries(pairs)) {
        assert.equal(params.text(name), value === '' ? undefined : value);
      }
    }),
  );
});

test('any text is either parsed or refused with a Fault', () => {
  const unit = fc.constantFrom(
    'a',
    'b',
    '=',
    '&',
    '%',
    '0',
    '4',
    '1',
    'C',
    '3',
    'é',
    '\uD800',
    '+',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 30 }), (raw) => {
      try {
        parseQuery(raw);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        assert.equal(error.status, 400);
      }
    }),
    { numRuns: 2000 },
  );
});

test('parameters that nothing read are told with the nearest of those that were', () => {
  const params = parseQuery('window=7d&aggregat=pod&x=1&x=2&chartType=bar&_=5&idle=&step=1d');
  assert.equal(params.text('window'), '7d');
  assert.equal(params.has('idle'), true);
  assert.equal(params.text('aggregate'), undefined);
  params.accept('step', ['1d', '24h']);
  assert.deepEqual(params.ignored(), [
    "parameter 'aggregat' is not known and was ignored; did you mean 'aggregate'?",
    "parameter 'x' is not known and was ignored",
  ]);
});

test('a parameter that is accepted for some values is told for others', () => {
  const params = parseQuery('step=1h&resolution=1m');
  params.accept('step', ['1d']);
  params.accept('resolution');
  assert.deepEqual(params.ignored(), ["parameter 'step' is not known and was ignored"]);
});

test('many and long names of unknown parameters are cut', () => {
  const names = Array.from({ length: 25 }, (_, i) => `${'n'.repeat(100)}${i}=1`);
  const ignored = parseQuery(names.join('&')).ignored();
  assert.equal(ignored.length, 11);
  assert.equal(ignored[0], `parameter '${'n'.repeat(64)}…' is not known and was ignored`);
  assert.equal(ignored.at(-1), '15 more parameters are not known and were ignored');
});
