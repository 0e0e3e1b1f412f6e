import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  complement,
  Fault,
  formatFilter,
  parseFilter,
  type Filter,
  type FilterGrammar,
} from '../../src/query/index.ts';

const GRAMMAR: FilterGrammar = {
  parameter: 'filter',
  fields: [
    { name: 'namespace' },
    { name: 'pod' },
    { name: 'controllerName', aliases: ['controller'] },
    { name: 'services', aliases: ['service'] },
    { name: 'label', isMap: true },
    { name: 'annotation', isMap: true },
  ],
  example: 'namespace:"web"',
};

function parse(text: string): Filter | null {
  return parseFilter(text, GRAMMAR);
}

function canonical(text: string): string | null {
  const filter = parse(text);
  return filter === null ? null : formatFilter(filter);
}

const READ: readonly (readonly [text: string, canonical: string | null])[] = [
  ['', null],
  [' \t\r\n', null],
  ['namespace:"web"', 'namespace:"web"'],
  ['namespace:web', 'namespace:"web"'],
  ['namespace : "web"', 'namespace:"web"'],
  ['\n namespace\r\n:\t"web" ', 'namespace:"web"'],
  ['NameSpace:"Web"', 'namespace:"Web"'],
  ['controller:"a"', 'controllerName:"a"'],
  ['Service:"a"', 'services:"a"'],
  ['pod!:"a"', 'pod!:"a"'],
  ['pod~:"a"', 'pod~:"a"'],
  ['pod!~:"a"', 'pod!~:"a"'],
  ['pod<~:"a"', 'pod<~:"a"'],
  ['pod!<~:"a"', 'pod!<~:"a"'],
  ['pod~>:"a"', 'pod~>:"a"'],
  ['pod!~>:"a"', 'pod!~>:"a"'],
  ['pod:"a","b"', 'pod:"a","b"'],
  ['pod:a , "b" ,c', 'pod:"a","b","c"'],
  ['pod:a,a,b,a', 'pod:"a","b"'],
  ['pod:""', 'pod:""'],
  ['pod:"a b+c|d(e),f"', 'pod:"a b+c|d(e),f"'],
  ['pod:"a\\"b\\\\c\\d"', 'pod:"a\\"b\\\\c\\\\d"'],
  ['pod:"\\\\"', 'pod:"\\\\"'],
  ['pod:é💰,"é💰"', 'pod:"é💰"'],
  ['pod:a-b_c.d/e@f=g%h', 'pod:"a-b_c.d/e@f=g%h"'],
  ['pod:a+namespace:b', 'pod:"a"+namespace:"b"'],
  ['pod:"a" namespace:"b"', 'pod:"a"+namespace:"b"'],
  ['pod:a namespace:b', 'pod:"a"+namespace:"b"'],
  ['pod:a + namespace:b', 'pod:"a"+namespace:"b"'],
  ['pod:a | namespace:b', 'pod:"a"|namespace:"b"'],
  ['(pod:a)', 'pod:"a"'],
  ['((pod:a))|(namespace:b)', 'pod:"a"|namespace:"b"'],
  ['(pod:a) (namespace:b)', 'pod:"a"+namespace:"b"'],
  ['pod:a|(namespace:b|label:c)', 'pod:"a"|namespace:"b"|label:"c"'],
  ['pod:a+(namespace:b|label:c)', 'pod:"a"+(namespace:"b"|label:"c")'],
  ['pod:a (namespace:b | label:c)', 'pod:"a"+(namespace:"b"|label:"c")'],
  ['(pod:a+namespace:b)|(pod:c+namespace:d)', '(pod:"a"+namespace:"b")|(pod:"c"+namespace:"d")'],
  ['pod:a|pod:b|pod:a', 'pod:"a","b"'],
  ['pod:a+pod:b', 'pod:"a"+pod:"b"'],
  ['pod!:a+pod!:b', 'pod!:"a","b"'],
  ['pod!:a|pod!:b', 'pod!:"a"|pod!:"b"'],
  ['pod:a|pod~:a|namespace:x|pod:b', 'pod:"a","b"|pod~:"a"|namespace:"x"'],
  ['label[app]:"x"', 'label[app]:"x"'],
  ['label [ app ] : x', 'label[app]:"x"'],
  ['label[app.kubernetes.io/name]:"x"', 'label[app_kubernetes_io_name]:"x"'],
  ['label["a]b"]:"x"', 'label[a_b]:"x"'],
  ['label[a-b]:"x"|label[a_b]:"y"', 'label[a_b]:"x","y"'],
  ['label:"a-b","a_b"', 'label:"a_b"'],
  ['label[__proto__]:"x"+label:"constructor"', 'label[__proto__]:"x"+label:"constructor"'],
  ['annotation[é]:"é"', 'annotation[_]:"é"'],
];

for (const [text, expected] of READ) {
  test(`${JSON.stringify(text)} is ${expected ?? 'everything'}, whose text means the same`, () => {
    assert.equal(canonical(text), expected);
    if (expected !== null) assert.deepEqual(parse(expected), parse(text));
  });
}

const REFUSED: readonly (readonly [text: string, says: string])[] = [
  ['()', "')' at character 2 is not a field or '('"],
  ['(', "the end at character 2 is not a field or '('"],
  [')', "')' at character 1 is not a field or '('"],
  ['"a"', "'\"' at character 1 is not a field or '('"],
  ['pod', "the end at character 4 is not an operator: ':', '~:', '<~:', '~>:', or"],
  ['pod="a"', "'=' at character 4 is not an operator"],
  ['pod.:"a"', "'.' at character 4 is not an operator"],
  ['pod!="a"', "'=' at character 5 is not an operator"],
  ['pod~"a"', "'~' at character 4 is not an operator"],
  ['pod:', 'the end at character 5 is not a value'],
  ['pod:,a', "',' at character 5 is not a value"],
  ['pod:a,', 'the end at character 7 is not a value'],
  ['pod:a, +pod:b', "'+' at character 8 is not a value"],
  ['pod:*', "'*' at character 5 is not a value"],
  ['pod:a*', "'*' at character 6 is not ',', '+', '|', ')' or the end"],
  ["pod:'a'", "''' at character 5 is not a value"],
  ['pod:a:b', "':' at character 6 is not ','"],
  ['pod:a"b"', "'\"' at character 6 is not ','"],
  ['pod:a,namespace:b', "':' at character 16 is not ','"],
  ['pod:"a"namespace:"b"', "'n' at character 8 is not ','"],
  ['(pod:a)(pod:b)', "'(' at character 8 is not ','"],
  ['pod:a b', "'b' at character 7 is not one of namespace, pod"],
  ['pod:"a', "the end at character 7 is not '\"', which would close the one at character 5"],
  ['pod:"a\\"', "the end at character 9 is not '\"', which would close the one at character 5"],
  ['💰pod:a', "'💰' at character 1 is not a field"],
  ['pod:"💰é"=', "'=' at character 9 is not ','"],
  ['(pod:a', "the end at character 7 is not ')'"],
  ['pod:a)', "')' at character 6 is not the end: no '(' is open"],
  ['pod:a+', "the end at character 7 is not a field or '('"],
  ['|pod:a', "'|' at character 1 is not a field or '('"],
  ['pod:a||pod:b', "'|' at character 7 is not a field or '('"],
  ['pod:a+pod:b|pod:c', "'|' at character 12 is not '+' as before it: parentheses"],
  ['pod:a|pod:b+pod:c', "'+' at character 12 is not '|' as before it: parentheses"],
  ['pod:a|pod:b pod:c', "'a blank for +' at character 13 is not '|' as before it"],
  ['pods:a', "'pods' at character 1 is not one of namespace, pod, controllerName, services"],
  ['pod:a+nmespace:b', "'nmespace' at character 7 is not one of"],
  ['__proto__:a', "'_' at character 1 is not a field"],
  ['constructor:a', "'constructor' at character 1 is not one of"],
  ['pod[a]:b', "'[' at character 4 is not an operator: only label and annotation take a name"],
  ['label[]:b', "'[]' at character 6 is not a name in brackets, such as label[app]"],
  ['label[ ]:b', "'[]' at character 6 is not a name in brackets"],
  ['label[""]:b', "'[]' at character 6 is not a name in brackets"],
  ['label[a:b', "the end at character 10 is not ']' after the name in label[…]"],
  ['label["a"b]:b', "'b' at character 10 is not ']' after the name"],
];

for (const [text, says] of REFUSED) {
  test(`${JSON.stringify(text)} is refused: ${says}`, () => {
    assert.throws(
      () => parse(text),
      (fault) => {
        assert.ok(fault instanceof Fault, String(fault));
        assert.ok(fault.message.startsWith(`parameter 'filter': ${says}`), fault.message);
        assert.deepEqual([fault.status, fault.parameter], [400, 'filter']);
        assert.equal(fault.hint, 'for example filter=namespace:"web"');
        return true;
      },
    );
  });
}

test('the error for a mistyped field suggests the nearest name', () => {
  assert.throws(() => parse('nmespace:a'), /did you mean namespace\?$/);
  assert.throws(() => parse('xyz:a'), /label, annotation$/);
});

test('a hundred open parentheses are read, one more is refused at its place', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}pod:a${')'.repeat(depth)}`;
  assert.equal(canonical(nested(100)), 'pod:"a"');
  const says = "'(' at character 101 is not within 100 open parentheses";
  for (const depth of [101, 100_000])
    assert.throws(() => parse(nested(depth)), { message: new RegExp(says.replace('(', '\\(')) });
});

test('S-8: long texts are read: ten thousand values, comparisons and blanks, 100 KB of one value', () => {
  const values = Array.from({ length: 10_000 }, (_, i) => `v${i}`);
  const list = parse(`pod:${values.join(',')}`);
  assert.ok(list?.kind === 'comparison', 'one comparison');
  assert.deepEqual(list.values, values);
  assert.deepEqual(parse(values.map((value) => `pod:${value}`).join('|')), list);
  const all = parse(values.map((value) => `pod~:${value}`).join(' '));
  assert.ok(all?.kind === 'all', 'all of them');
  assert.equal(all.parts.length, 10_000);
  const blank = ' '.repeat(10_000);
  assert.equal(canonical(`pod${blank}:${blank}a${blank},${blank}b${blank}`), 'pod:"a","b"');
  const long = 'é"\\'.repeat(33_000);
  const quoted = parse(`pod:"${long.replace(/["\\]/g, '\\$&')}"`);
  assert.deepEqual(quoted?.kind === 'comparison' && quoted.values, [long]);
});

test('any text of these words is refused with 400, or read as a filter whose text is read as the same filter', () => {
  const words = ['pod', 'label', 'Service', 'app', ' ', '  ', '"a"', '"\\""', 'é', '💰', '\uD800'];
  const unit = fc.constantFrom(...words, ...'[]()"\\:!~<>,*+|='.split(''));
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 14 }), (text) => {
      try {
        const filter = parse(text);
        if (filter) assert.deepEqual(parse(formatFilter(filter)), filter);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        const at = /at character (\d+) is not /.exec(error.message)?.[1];
        assert.ok(Number(at) >= 1 && Number(at) <= Array.from(text).length + 1, error.message);
      }
    }),
    { numRuns: 10_000 },
  );
});

test('a complement is written with ! and exchanged joints, and its complement is the filter', () => {
  const filter = parse('pod:a+(label[x]!:b|namespace~:c)');
  assert.ok(filter !== null, 'a filter');
  assert.equal(formatFilter(complement(filter)), 'pod!:"a"|(label[x]:"b"+namespace!~:"c")');
  assert.deepEqual(complement(complement(filter)), filter);
});
