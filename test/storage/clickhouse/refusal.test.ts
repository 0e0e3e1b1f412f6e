/** Errors of ClickHouse in words, as Debian's server and later ones send them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../../src/query/index.ts';
import { mayPass, refusalIn } from '../../../src/storage/clickhouse/refusal.ts';

const SAID: readonly (readonly [text: string, message: string, hint: RegExp, passes: boolean])[] = [
  [
    'Code: 241, e.displayText() = DB::Exception: Memory limit (for query) exceeded: would use 2.00 MiB, maximum: 9.77 KiB, e.what() = DB::Exception\n',
    'ClickHouse cannot store rows: Memory limit (for query) exceeded: would use 2.00 MiB, maximum: 9.77 KiB (code 241)',
    /max_memory_usage/,
    true,
  ],
  [
    'Code: 241. DB::Exception: Query memory limit exceeded: would use 1.01 GiB. (MEMORY_LIMIT_EXCEEDED) (version 26.9.2.1)',
    'ClickHouse cannot store rows: Query memory limit exceeded: would use 1.01 GiB. (MEMORY_LIMIT_EXCEEDED) (code 241)',
    /max_memory_usage/,
    true,
  ],
  [
    'Code: 193, e.displayText() = DB::Exception: Wrong password for user eve, e.what() = DB::Exception',
    'ClickHouse cannot store rows: Wrong password for user eve (code 193)',
    /STORE_PASSWORD/,
    false,
  ],
  [
    'Code: 62, e.displayText() = DB::Exception: Syntax error: failed at position 1: selec, e.what() = x',
    'ClickHouse cannot store rows: Syntax error: failed at position 1: selec (code 62)',
    /^$/,
    false,
  ],
];

test('an error of the server is told by its words and its code, with what to do', () => {
  for (const [text, message, hint, passes] of SAID) {
    const refused = refusalIn(`0,1\n${text}`, 'store rows');
    assert.ok(refused instanceof Unavailable, text);
    assert.equal(refused.message, message);
    assert.match(refused.hint ?? '', hint);
    assert.equal(mayPass(refused), passes, text);
  }
});

test('a long error is cut, and a text without one is none', () => {
  const long = `Code: 47. DB::Exception: ${'x'.repeat(9000)}`;
  assert.ok((refusalIn(long, 'read')?.message.length ?? 9999) < 400);
  assert.equal(refusalIn('{"rows":1}\n', 'read'), undefined);
  assert.equal(refusalIn('Code: ', 'read'), undefined);
});
