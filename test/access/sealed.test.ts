/** What a browser keeps for the server, and where it may lead: the parts of a sign-in, alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownPath, readSessionKey } from '../../src/access/login.ts';
import { sealerOf } from '../../src/access/sealed.ts';
import { Spent } from '../../src/access/spent.ts';

const KEY = Buffer.alloc(32, 7);

test('S-12: a sealed value with any bit changed, or cut anywhere, is none', () => {
  const sealer = sealerOf(KEY, 'session', () => 0);
  const text = sealer.seal({ name: 'ana' }, 1);
  assert.deepEqual(sealer.open(text), { name: 'ana' });
  assert.notEqual(sealer.seal({ name: 'ana' }, 1), text, 'no two are alike');
  const bytes = Buffer.from(text, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(sealer.open(changed.toString('base64url')), undefined, `bit ${bit}`);
  }
  for (let length = 0; length < bytes.length; length++)
    assert.equal(sealer.open(bytes.subarray(0, length).toString('base64url')), undefined);
});

test('a sealed value is for its key, its purpose and its time alone', () => {
  let nowMs = 0;
  const sealer = sealerOf(KEY, 'session', () => nowMs);
  const text = sealer.seal({ name: 'ana' }, 1000);
  assert.equal(sealerOf(KEY, 'login', () => 0).open(text), undefined);
  assert.equal(sealerOf(Buffer.alloc(32, 8), 'session', () => 0).open(text), undefined);
  nowMs = 999;
  assert.deepEqual(sealer.open(text), { name: 'ana' });
  nowMs = 1000;
  assert.equal(sealer.open(text), undefined);
});

test('ids that are spent are bounded, and the oldest go first', () => {
  const spent = new Spent();
  for (let i = 0; i <= 10_000; i++) spent.add(`${i}`);
  assert.deepEqual(
    ['0', '1', '10000', 'other'].map((id) => spent.has(id)),
    [false, true, true, false],
  );
});

test('a sign-in leads to paths of its server, in ASCII', () => {
  assert.equal(ownPath('/a?b=c#d'), '/a?b=c#d');
  assert.equal(ownPath('/ä\r\nx: y'), '/%C3%A4x:%20y');
});

test('S-13: a key that is broken is refused and not shown', () => {
  for (const text of ['', 'ab'.repeat(31), 'secretsecret'])
    assert.throws(() => readSessionKey(text, 'key'), {
      message: 'key has no key of 64 hexadecimal digits',
    });
  assert.deepEqual(readSessionKey(`${'07'.repeat(32)}\n`, 'key'), KEY);
});
