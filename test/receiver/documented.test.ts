/** Configurations that docs/install/receiver.md shows, as far as a program that is here can read them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { requireService, skipWithout } from '../support/servers/services.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-receiver-docs-'));
after(() => rmSync(home, { recursive: true, force: true }));
const page = readFileSync(new URL('../../docs/install/receiver.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```yaml (\w+)\n([^]*?)^```$/gm)];

/**
 * What promtool says of a configuration. Files that only a cluster has are others, and the discovery of Kubernetes, which
 * Debian's build lacks, finds nothing.
 */
function said(name: string, config: string, flags: readonly string[]): string {
  const path = join(home, `${name}.yml`);
  const here = config
    .replaceAll(/(credentials_file|ca_file): [^ ,}\n]+/g, `$1: ${path}`)
    .replaceAll(/kubernetes_sd_configs: .*/g, 'static_configs: []');
  writeFileSync(path, here);
  const promtool = requireService('promtool') ?? '';
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'config', ...flags, path], {
    encoding: 'utf8',
  });
  return `${status} ${stdout}${stderr}`;
}

test(
  'promtool takes the configurations of Prometheus and of its agent',
  { skip: skipWithout('promtool') },
  () => {
    const names = blocks.map(([, name]) => name);
    assert.deepEqual(names, ['prometheus', 'agent']);
    for (const [, name = '', text = ''] of blocks) {
      const flags = name === 'agent' ? ['--agent'] : [];
      assert.match(said(name, text, flags), /^0 .*SUCCESS/s, name);
      const wrong = text.replace('retry_on_http_429', 'retry_on_429');
      assert.notEqual(wrong, text, name);
      assert.match(said(name, wrong, flags), /^1 .*retry_on_429 not found/s, name);
    }
  },
);
