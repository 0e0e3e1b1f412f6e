/** Collections that are being written. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ALLOCATION_FILTER } from '../../../src/allocation/index.ts';
import { checkCollection } from '../../../src/collections/collection.ts';
import { CLOUD_FILTER } from '../../../src/billing/cloud/index.ts';
import {
  Fault,
  matchesFilter,
  parseFilter,
  type Filter,
  type FilterGrammar,
} from '../../../src/query/index.ts';
import { bodyOf, changesOf, draftOf, lineOf, saidOfLine, withDomain, withFilter, withLine, withoutLine, workloadsOf, type Collection } from '../../../src/web/collections/draft.ts'; // prettier-ignore

const workloads = (filterString: string): object => ({
  kubernetes: { kind: 'container', filterString },
});
const charges = (filterString: string): object => ({ cloud: { filterString } });
const collectionOf = (...selectors: object[]): Collection => ({
  id: '1',
  name: 'Shop',
  category: 'Team',
  groups: selectors.map((each) => ({ selectors: each })),
});

const readerOf =
  (grammar: Omit<FilterGrammar, 'parameter'>) =>
  (text: string, parameter: string): Filter | null =>
    parseFilter(text, { parameter, ...grammar });

const filter = fc.constantFrom('', 'namespace:"web"', 'a:"b"|c:"d"', 'pod~:"x"');
const selectors = fc.oneof(
  filter.map(workloads),
  filter.map(charges),
  fc.tuple(filter, filter).map(([one, other]) => ({ ...workloads(one), ...charges(other) })),
);
const collection = fc.array(selectors, { maxLength: 5 }).map((each) => collectionOf(...each));

test('a collection that nothing is changed of is sent back as it came', () => {
  fc.assert(
    fc.property(collection, (own) => {
      const draft = draftOf(own);
      assert.deepEqual({ id: own.id, ...bodyOf(draft) }, own);
      assert.deepEqual(changesOf(draft, draft), []);
    }),
  );
});

test('a line that is written, added or removed leaves the others as they are', () => {
  fc.assert(
    fc.property(collection, fc.nat({ max: 9 }), (own, place) => {
      const draft = draftOf(own);
      assert.deepEqual(withoutLine(withLine(draft), draft.lines.length), draft);
      if (draft.lines.length === 0) return;
      const at = place % draft.lines.length;
      const rest = (lines: readonly unknown[]): unknown[] => lines.filter((_, each) => each !== at);
      const written = withFilter(draft, at, 'team:"x"');
      assert.equal(written.lines[at]?.filter, 'team:"x"');
      assert.deepEqual(rest(written.lines), rest(draft.lines));
      const turned = withDomain(draft, at, 'cloud');
      assert.deepEqual(rest(turned.lines), rest(draft.lines));
      const [line] = turned.lines.slice(at);
      assert.deepEqual([line?.domain, line?.filter], ['cloud', '']);
      assert.equal(turned.lines.filter(({ group }) => group === line?.group).length, 1);
    }),
  );
});

describe('an error of the API stands at the line that it is of', () => {
  const draft = draftOf(collectionOf({ ...workloads('a'), ...charges('b') }, charges('c')));
  // Lines 0 and 1 are one group; the first is gone in the other draft.
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['groups[0].selectors.kubernetes.filterString', 0],
    ['groups[0].selectors.cloud.filterString', 1],
    ['groups[1].selectors.cloud.filterString', 2],
    ['groups[1].selectors.kubernetes.filterString', undefined],
    ['groups[7].selectors.cloud.filterString', undefined],
    ['window', undefined],
    ['', undefined],
  ];
  for (const [parameter, line] of rows) {
    test(`'${parameter}' is line ${line}`, () => assert.equal(lineOf(draft, parameter), line));
  }

  test('where lines before it were removed', () => {
    const other = withoutLine(withoutLine(draft, 0), 0);
    assert.equal(lineOf(other, 'groups[0].selectors.cloud.filterString'), 0);
  });

  test('as the server says it, without the place', () => {
    const body = bodyOf(draftOf(collectionOf(workloads('namespace:"a"'), workloads('nam:"b"'))));
    const readers = { kubernetes: readerOf(ALLOCATION_FILTER), cloud: readerOf(CLOUD_FILTER) };
    assert.throws(
      () => checkCollection(body, 'the body', readers),
      (fault) => {
        assert.ok(fault instanceof Fault);
        assert.equal(lineOf(draftOf({ id: '', ...body }), fault.parameter ?? ''), 1);
        assert.match(saidOfLine(fault.message), /^'nam' at character 1 is not one of/);
        assert.match(saidOfLine(fault.hint ?? ''), /^for example namespace:/);
        return true;
      },
    );
  });
});

test('what saving changes is told in words', () => {
  const before = draftOf(collectionOf(workloads('a'), workloads('b')));
  const rows = [
    [{ ...before, name: 'Store' }, ['the name, from Shop to Store']],
    [{ ...before, category: ' ' }, ['the category, from Team to none']],
    [{ ...before, name: ' Shop ' }, []],
    [withFilter(before, 0, 'c'), ['1 filter changed']],
    [withFilter(before, 0, ' a '), []],
    [withoutLine(before, 0), ['1 filter removed']],
    [withLine(withLine(before)), ['2 filters added']],
    [withDomain(withLine(before), 0, 'cloud'), ['1 filter changed', '1 filter added']],
  ] as const;
  for (const [after, says] of rows) assert.deepEqual(changesOf(before, after), says);
});

test('the workloads of a collection as one filter are those that any of its filters selects', () => {
  const read = (text: string): Filter | null =>
    parseFilter(text, { parameter: 'filter', ...ALLOCATION_FILTER });
  const has = (text: string, namespace: string): boolean => {
    const own = read(text);
    return own === null || matchesFilter(own, () => namespace);
  };
  const some = fc.constantFrom(
    'namespace:"a"',
    'namespace:"b"|namespace:"c"',
    'namespace!:"a"',
    '',
  );
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 3 }), (filters) => {
      const whole = workloadsOf(collectionOf(...filters.map(workloads))) ?? 'none';
      for (const namespace of ['a', 'b', 'c', 'd']) {
        const expected = filters.some((own) => has(own, namespace));
        assert.equal(has(whole, namespace), expected, `${whole} has ${namespace}`);
      }
    }),
  );
  assert.equal(workloadsOf(collectionOf(charges('service:"S3"'))), undefined);
});
