/** The command line as a caller sees it: its own process, exit code, both streams. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  bin: { prorata: string };
};
const BIN = join(ROOT, MANIFEST.bin.prorata);

/** A foreign folder with a tsconfig.json that must not matter. */
const elsewhere = mkdtempSync(join(tmpdir(), 'prorata-cli-'));
writeFileSync(join(elsewhere, 'tsconfig.json'), '{ "extends": "./none.json", ');
after(() => rmSync(elsewhere, { recursive: true, force: true }));

async function run(program: string, args: readonly string[], cwd = elsewhere): Promise<Outcome> {
  // npx puts a link to the project into its cache, and would build the kernels for it.
  const own = { npm_config_cache: join(elsewhere, 'npm'), npm_config_ignore_scripts: 'true' };
  const env = { ...process.env, ...own };
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

describe('the command line', { concurrency: 2 }, () => {
  for (const args of [['--help'], ['serve', '--help']]) {
    test(`prorata ${args.join(' ')} prints commands and settings, from any folder`, async () => {
      const { code, stdout, stderr } = await run(BIN, args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^prorata <command> \[flags\]\n\n {2}serve /);
      assert.match(stdout, /--port VALUE, PORT, port\n.*\n {6}default: 9003\n/);
    });
  }

  const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
    [['srve'], /^prorata: 'srve' is not a command\ndid you mean 'serve'\?\n$/],
    [['constructor'], /^prorata: 'constructor' is not a command\nprorata <command>[^]*serve/],
    [['serve', '--prot', '1'], /^prorata: unknown flag: '--prot'\ndid you mean '--port'\?\n$/],
    [
      ['--port', 'http'],
      /^prorata: --port: 'http' is not a port in 0 to 65535\nfor example 9003\n$/,
    ],
    [['--config', 'none.yaml'], /^prorata: --config: cannot read none\.yaml: ENOENT/],
  ];
  for (const [args, message] of REFUSED) {
    test(`prorata ${args.join(' ')} ends with 1 and says why on standard error`, async () => {
      const { code, stdout, stderr } = await run(BIN, args);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
    });
  }

  for (const frontEnd of FRONT_END_NAMES) {
    test(`P-O6: a port in use ends ${frontEnd} with 1 and is named`, async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const args = ['serve', '--port', String(port), '--front-end', frontEnd];
      const { code, stderr } = await run(BIN, args);
      other.close();
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`prorata: cannot listen on 127.0.0.1:${port}: it is taken`));
      assert.match(stderr, /choose another with --port\n$/);
    });
  }

  test('a link to the command runs it', async () => {
    const link = join(elsewhere, 'prorata');
    symlinkSync(BIN, link);
    assert.equal((await run(link, ['-h'])).code, 0);
  });

  for (const args of [['start'], ['run', '-s', 'prorata']]) {
    test(`npm ${args.join(' ')} passes flags on`, async () => {
      const { code, stderr } = await run('npm', [...args, '--', '--port', '99999'], ROOT);
      assert.equal(code, 1);
      assert.match(stderr, /prorata: --port: '99999' is not a port in 0 to 65535/);
    });
  }

  test('npx in the project finds the command', async () => {
    const { code, stdout } = await run('npx', ['prorata', '--help'], ROOT);
    assert.equal(code, 0);
    assert.match(stdout, /^prorata <command>/);
  });
});
