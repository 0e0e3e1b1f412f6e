import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault, parseAggregate, storeName, type AggregateName } from '../../src/query/index.ts';

const ALLOWED: readonly AggregateName[] = [
  ...(['cluster', 'node', 'namespace', 'controllerKind', 'controller', 'pod'] as const),
  ...(['container', 'label'] as const),
];

/** Keys as text, for short tables. */
function keys(text: string, allowed: readonly AggregateName[] = ALLOWED): string[] {
  return parseAggregate(text, allowed).map((key) =>
    key.kind === 'property' ? key.property : `${key.kind} ${key.name}`,
  );
}

const READ: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  [' , ,', []],
  ['none', []],
  ['None', []],
  ['namespace', ['namespace']],
  ['NameSpace', ['namespace']],
  ['controllerkind', ['controllerKind']],
  ['cluster,namespace,pod', ['cluster', 'namespace', 'pod']],
  ['pod,cluster', ['pod', 'cluster']],
  [' pod , ,node,', ['pod', 'node']],
  ['pod,POD,pod', ['pod']],
  ['label:app', ['label app']],
  ['LABEL:App', ['label App']],
  ['label : app', ['label app']],
  ['label:app.kubernetes.io/name', ['label app_kubernetes_io_name']],
  ['label:a-b,label:a.b,label:a_b', ['label a_b']],
  ['label:a:b', ['label a_b']],
  ['label:__proto__', ['label __proto__']],
  ['label:pod,pod', ['label pod', 'pod']],
];

for (const [text, expected] of READ) {
  test(`'${text}' groups by [${expected.join(' | ')}]`, () => {
    assert.deepEqual(keys(text), expected);
  });
}

const REFUSED: readonly (readonly [string, string])[] = [
  ['namespaces', 'namespaces'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['pod,toString', 'toString'],
  ['service', 'service'],
  ['annotation:team', 'annotation:team'],
  ['label', 'label'],
  ['label:', 'label:'],
  ['pod:x', 'pod:x'],
  ['pod,none', 'none'],
  ['namespace;pod', 'namespace;pod'],
];

for (const [text, item] of REFUSED) {
  test(`'${text}' is refused, naming '${item}' and what is accepted`, () => {
    assert.throws(
      () => keys(text),
      (fault: unknown) => {
        assert.ok(fault instanceof Fault, String(fault));
        assert.deepEqual([fault.status, fault.parameter], [400, 'aggregate']);
        assert.match(fault.message, /one of cluster, node, .*container, label:<name>$/);
        assert.ok(fault.message.includes(`'${item}'`), fault.message);
        return true;
      },
    );
  });
}

test('the hint suggests the nearest name', () => {
  assert.throws(() => keys('namespaces'), { hint: 'did you mean aggregate=namespace?' });
  assert.throws(() => keys('labels'), { hint: 'did you mean aggregate=label:app?' });
  assert.throws(() => keys('lable:team'), { hint: 'did you mean aggregate=label:team?' });
  assert.throws(() => keys('cluter,pod'), { hint: 'did you mean aggregate=cluster?' });
  assert.throws(() => keys('x'), { hint: 'for example aggregate=namespace,label:app' });
});

test('service and annotations are read where the endpoint offers them', () => {
  const allowed: readonly AggregateName[] = ['service', 'annotation'];
  assert.deepEqual(keys('Service,annotation:co/st', allowed), ['service', 'annotation co_st']);
});

test('S-4: ten thousand repeats are one key, ten thousand different ones a Fault', () => {
  assert.deepEqual(keys('pod,'.repeat(10_000)), ['pod']);
  const many = Array.from({ length: 10_000 }, (_, index) => `label:l${index}`);
  assert.throws(() => keys(many.join(',')), /at most 32 different keys/);
  assert.throws(() => keys('x,'.repeat(10_000)), Fault);
  assert.equal(keys(many.slice(0, 32).join(',')).length, 32);
});

test('the store name of a store name is the same, for any label', () => {
  fc.assert(
    fc.property(fc.string(), (label) => {
      assert.match(storeName(label), /^[a-zA-Z0-9_]*$/);
      assert.equal(storeName(storeName(label)), storeName(label));
      assert.equal(storeName(label).length, label.length);
    }),
  );
});
