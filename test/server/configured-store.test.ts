/** What a server takes and refuses of its metrics stores at the start, so that nobody waits for its first question. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '../../src/query/index.ts';
import { openConfiguredStore } from '../../src/server/configured-store.ts';
import { openConfiguredStores } from '../../src/server/metrics-stores/open-stores.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { quickFolder } from '../support/quick-folder.ts';

const home = quickFolder('configured-store');

function open(path: string): { close(): Promise<void> } {
  const { config } = loadConfig(['--metrics-url', `file://${path}`], {}, () => '');
  return openConfiguredStore(config, config.metricsUrl ?? '', { idleTimeoutMs: 1000 });
}

test('a folder of blocks that is not there is refused, and an empty one is not', async () => {
  const file = join(home, 'file');
  writeFileSync(file, '');
  for (const path of [join(home, 'nowhere'), file, join(file, 'below')])
    assert.throws(
      () => open(path),
      (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.message, `--metrics-url: there is no folder ${path}`);
        assert.equal(error.parameter, '--metrics-url');
        return /the folder that blocks are in/.test(error.hint ?? '');
      },
    );
  await open(home).close();
});

test('stores of an address have names of their own, also those that are named as a second one would be', async () => {
  const stores = [
    'a=http://one',
    'a=http://two',
    'a-2=http://three',
    'ä=http://four',
    'ö=http://five',
    'http://six:9090',
  ];
  const { config } = loadConfig(['--metrics-url', stores.join(' ')], {}, () => '');
  const many = openConfiguredStores(config, ['cluster'], { idleTimeoutMs: 1000 });
  const names = many.stores.map(({ entry }) => entry.name);
  assert.deepEqual(names, ['a', 'a-3', 'a-2', '_', '_-2', 'six_9090']);
  await many.close();
});
