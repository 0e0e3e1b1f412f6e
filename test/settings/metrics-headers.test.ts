/** Headers that every request to the metrics store has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig, type Config } from '../../src/settings/config.ts';

function load({ env }: { readonly env: Readonly<Record<string, string>> }): Config {
  return loadConfig([], env, () => '').config;
}

test('headers for the store are one on each line', () => {
  const text = 'X-Team: costs\n\n  X-Key:a: b \r\n';
  const expected = { 'X-Team': 'costs', 'X-Key': 'a: b' };
  assert.deepEqual(load({ env: { METRICS_HEADER: text } }).metricsHeader, expected);
});

for (const text of [
  'X-Team',
  ': costs',
  'X Team: costs',
  'X-Team:',
  'X-Team: caf\u00e9',
  'a: b\nc',
])
  test(`'${text}' is not headers`, () => {
    assert.throws(() => load({ env: { METRICS_HEADER: text } }), { name: 'Fault' });
  });
