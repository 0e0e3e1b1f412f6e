/** Retention and freshness of stored sets: accepted values by flag, variable and file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuildSettings } from '../../src/settings/build.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { Fault } from '../../src/query/index.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const ACCEPTED: readonly (readonly [string, string, string, keyof BuildSettings, number])[] = [
  ['retention', 'RETENTION', '30d', 'retentionMs', 30 * DAY],
  ['retention', 'RETENTION', '24h', 'retentionMs', DAY],
  ['refresh', 'REFRESH', '90s', 'refreshMs', 90_000],
  ['refresh', 'REFRESH', '0', 'refreshMs', 0],
  ['sealAfter', 'SEAL_AFTER', '15m', 'sealAfterMs', 15 * MINUTE],
];
for (const [key, env, text, name, expected] of ACCEPTED) {
  test(`${key} takes ${text}`, () => {
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const loaded = [
      loadConfig([`--${flag}=${text}`], {}, () => ''),
      loadConfig([], { [env]: text }, () => ''),
      loadConfig(['--config=f'], {}, () => `${key}: ${text}`),
    ];
    assert.deepEqual(
      loaded.map(({ config }) => config[name]),
      [expected, expected, expected],
    );
  });
}

for (const given of [
  '--retention=1h',
  '--retention=0',
  '--refresh=1ms',
  '--refresh=2d',
  '--seal-after=5m',
  '--seal-after=8d',
  '--refresh=often',
]) {
  // prettier-ignore
  test(`${given} is refused, with an example`, () => {
    assert.throws(
      () => loadConfig([given], {}, () => ''),
      (error) => error instanceof Fault && error.hint?.startsWith('for example ') === true,
    );
  });
}
