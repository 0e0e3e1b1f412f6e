/** Labels by kernels, against parsing each text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  codesOfLabel,
  commonCodes,
  compileKernels,
  createEngine,
  DictionaryBuilder,
  MIXED_CODES,
  noCodes,
  shareLabels,
  TextIndex,
  type Texts,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(128 << 20), 1);
const { arena } = engine;
const space = { engine, owner: TASK };

const anyName = fc.constantFrom('app', 'app_x', 'app.x', 'appX', 'app-X', 'app_x_conflict1', 'app_x_conflict2', 'a', 'b', '', '__proto__', 'APP'); // prettier-ignore
const oddName = fc.constantFrom('1', '10', 'é', '"', '\\');
const anyValue = fc.oneof(anyName, fc.string({ maxLength: 4 }), fc.constant('a-long-value'));
const plainText = fc
  .uniqueArray(fc.tuple(anyName, fc.constantFrom('', 'x', 'y', 'a-long-value')), {
    maxLength: 5,
    selector: ([name]) => name,
  })
  .map((pairs) => textOf(pairs));
/** With escapes, blanks and names twice. */
const oddText = fc
  .tuple(
    fc.array(fc.tuple(fc.oneof(anyName, oddName), anyValue), { maxLength: 5 }),
    fc.constantFrom('{', '{ '),
  )
  .map(([pairs, open]) => textOf(pairs, open));
const anyText = fc.oneof({ weight: 6, arbitrary: plainText }, { weight: 1, arbitrary: oddText });

function textOf(pairs: readonly (readonly [string, string])[], open = '{'): string {
  const members = pairs.map((pair) => pair.map((text) => JSON.stringify(text)).join(':'));
  return members.length === 0 ? '' : `${open}${members.join(',')}}`;
}

function parsed(text: string): [string, string][] {
  return text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, string>);
}

const storedName = (name: string): string => name.replace(/[^a-zA-Z0-9_]/g, '_');
const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

/** `name=value` of the first name that is spelled so, else of the first that is alike. */
function labelOf(text: string, name: string): string | undefined {
  const pairs = parsed(text).map(([own, value]) => [storedName(own), value] as const);
  const isAlike = (own: string): boolean =>
    [own, own.replace(/_conflict\d+$/, '')].some((each) => snake(each) === snake(name));
  const found = pairs.find(([own]) => own === name) ?? pairs.find(([own]) => isAlike(own));
  return found?.[1] ? `${name}=${found[1]}` : undefined;
}

/** Where the texts of the rows are: in a dictionary of the arena, or in an index of it. */
function placed(rows: readonly string[], isIndex: boolean): { texts: Texts; codes: Uint32Array } {
  const builder = new DictionaryBuilder();
  builder.code('{"no":"row"');
  const codes = Uint32Array.from(rows, (text) => builder.code(text));
  const stored = builder.store(arena, TASK);
  if (!isIndex) return { texts: stored, codes };
  const index = new TextIndex(engine, TASK);
  const by = index.merge(stored, TASK);
  return { texts: index, codes: codes.map((code) => by[code] ?? 0) };
}

test('a label of each text is that which parsing finds', () => {
  const wanted = fc.constantFrom('app', 'app_x', 'appX', 'App', 'b', '__proto__', 'missing');
  fc.assert(
    fc.property(fc.array(anyText), wanted, fc.boolean(), (rows, name, isIndex) => {
      const { texts, codes } = placed(rows, isIndex);
      const [index, reference] = [new TextIndex(engine, TASK), new DictionaryBuilder()];
      const odd = (code: number): string => labelOf(texts.text(code), name) ?? 'none';
      const found = codesOfLabel(
        space,
        { codes, texts },
        { name, alike: snake(name), other: 'none', odd },
        index,
      );
      for (const code of Array.from(new Set(codes)).sort((a, b) => a - b)) {
        assert.equal(found?.[code], reference.code(odd(code)), 'in the order of the texts');
      }
      assert.deepEqual(
        Array.from(codes, (code) => index.text(found?.[code] ?? 0)),
        rows.map((text) => labelOf(text, name) ?? 'none'),
      );
      arena.release(TASK);
    }),
    { numRuns: 300 },
  );
});

test('plain texts alone are read by the kernel', () => {
  for (const [text, isOdd] of [
    ['{"app":"x"}', false],
    ['', false],
    ['{"a":"1","app":"x y"}', false],
    ['{"app":"x","app":"y"}', true],
    ['{"a":"1","1":"x"}', true],
    ['{"app":"\\u0041"}', true],
    ['{"app":"é"}', true],
    ['{ "app":"x"}', true],
    ['{"app":"x"', true],
    ['{"app":"x"}}', true],
    ['{"app":1}', true],
    ['{}', true],
  ] as const) {
    const { texts, codes } = placed([text], false);
    const index = new TextIndex(engine, TASK);
    const asked: number[] = [];
    const odd = (code: number): string => `app=${asked.push(code)}`;
    const found = codesOfLabel(
      space,
      { codes, texts },
      { name: 'app', alike: 'app', other: 'none', odd },
      index,
    );
    assert.equal(asked.length, isOdd ? 1 : 0, text);
    const value = isOdd ? 'app=1' : (labelOf(text, 'app') ?? 'none');
    assert.equal(index.text(found?.[codes[0] ?? 0] ?? 0), value);
    arena.release(TASK);
  }
});

/** Rows of each group, in several parts. */
const anyParts = fc.array(fc.array(fc.tuple(fc.nat(5), anyText), { maxLength: 12 }), {
  minLength: 1,
  maxLength: 3,
});

test('pairs of labels are shared that all texts of a group have', () => {
  const outcomes = new Set<boolean>();
  fc.assert(
    fc.property(anyParts, fc.boolean(), fc.boolean(), (parts, isIndex, isOwn) => {
      const groups = 6;
      const all = parts.flat();
      const { texts, codes } = placed(
        all.map(([, text]) => text),
        isIndex,
      );
      let at = 0;
      const rows = parts.map((part) => ({
        codes: codes.slice(at, (at += part.length)),
        groups: Uint32Array.from(part, ([group]) => group),
      }));
      const common = noCodes(space, groups);
      for (const each of rows) commonCodes(space, each.codes, each.groups, common);
      const to = arena.u32(arena.allocateZeroed(4 * groups, TASK), groups);
      // Texts may be added to the index that they are read from.
      const index = isOwn && texts instanceof TextIndex ? texts : new TextIndex(engine, TASK);
      const isDone = shareLabels(space, rows, texts, common, index, to);
      outcomes.add(isDone);
      for (let group = 0; group < groups; group++) {
        const [first = '', ...others] = all.flatMap(([of, text]) => (of === group ? [text] : []));
        const shared = parsed(first).filter(([key, value]) =>
          others.every((text) => new Map(parsed(text)).get(key) === value),
        );
        const isMixed = common[group] === MIXED_CODES;
        const expected = isMixed ? textOf(shared) : first;
        assert.equal(index.text(to[group] ?? 0), isDone ? expected : '');
      }
      arena.release(TASK);
    }),
    { numRuns: 300 },
  );
  assert.equal(outcomes.size, 2, 'odd texts are left to the caller');
});

test('thousands of labels find room as tables grow', () => {
  const rows = Array.from(
    { length: 30_000 },
    (_, i) => `{"app":"service-${Math.floor(i / 2)}","tier":"t${i % 2}","n${i % 300}":"x"}`,
  );
  const { texts, codes } = placed(rows, false);
  const index = new TextIndex(engine, TASK);
  const wanted = { name: 'app', alike: 'app', other: 'none', odd: () => 'odd' };
  const found = codesOfLabel(space, { codes, texts }, wanted, index);
  const groups = codes.map((code) => found?.[code] ?? 0);
  assert.equal(index.text(groups[29_999] ?? 0), 'app=service-14999');
  const common = noCodes(space, index.size);
  commonCodes(space, codes, groups, common);
  const to = arena.u32(arena.allocateZeroed(4 * index.size, TASK), index.size);
  assert.ok(shareLabels(space, [{ codes, groups }], texts, common, index, to));
  const shared = Array.from(groups, (group) => index.text(to[group] ?? 0));
  assert.deepEqual(
    shared,
    rows.map((_, row) => `{"app":"service-${Math.floor(row / 2)}"}`),
  );
  arena.release(TASK);
});
