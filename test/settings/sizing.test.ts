/** Settings of recommendations: accepted values by flag, variable and file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/settings/config.ts';
import { Fault } from '../../src/query/index.ts';
import type { SizingSettings } from '../../src/settings/sizing.ts';

const ROWS: readonly (readonly [keyof SizingSettings, string, string, string, string])[] = [
  ['armProvider', 'arm-provider', 'ARM_PROVIDER', 'armProvider', 'GCP'],
  [
    'requestSizingShape',
    'request-sizing-shape',
    'REQUEST_SIZING_SHAPE',
    'requestSizing.shape',
    'array',
  ],
];
for (const [name, flag, env, key, text] of ROWS) {
  test(`${key} takes ${text}`, () => {
    const [group = '', member] = key.split('.');
    const yaml = member === undefined ? `${key}: ${text}` : `${group}:\n  ${member}: ${text}`;
    for (const { config } of [
      loadConfig([`--${flag}=${text}`], {}, () => ''),
      loadConfig([], { [env]: text }, () => ''),
      loadConfig(['--config=f'], {}, () => yaml),
    ]) {
      assert.equal(config[name], text);
    }
  });
}

for (const given of ['--request-sizing-shape=list', '--arm-provider=a/b']) {
  test(`${given} is refused, with an example`, () => {
    const load = (): unknown => loadConfig([given], {}, () => '');
    assert.throws(load, (error) => error instanceof Fault && error.hint?.startsWith('for example'));
  });
}
