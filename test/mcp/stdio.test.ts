/** Tools over standard input and output: of a process that computes, and of one that asks a server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { connectOverHttp, connectOverStdio } from '../support/clients/mcp-client.ts';
import { FILLED, startTokenWorld, type TokenWorld } from '../support/servers/token-world.ts';

const DAYS = { window: '2024-05-01,2024-05-03' };
const OWN = [...FILLED, '--data-dir=copy', '--demo=true', '--refresh=0'];

let world: TokenWorld;
before(async () => {
  world = await startTokenWorld();
  // The server has its own folder for itself.
  cpSync(join(world.home, 'data'), join(world.home, 'copy'), {
    recursive: true,
    filter: (path) => !path.endsWith('/lock'),
  });
  for (const name of ['viewer', 'admin', 'scoped'])
    writeFileSync(join(world.home, `${name}.token`), `${name}\n`);
});
after(() => world.stop());

/** Runs the command to its end. @param input what it reads */
async function run(
  args: readonly string[],
  input: string,
): Promise<[number | null, string, string]> {
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, [COMMAND, 'mcp', ...args], { cwd: world.home, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, stdout, stderr];
}

describe('prorata mcp', () => {
  for (const [what, args] of [
    ['a process of its own', OWN],
    ['a server', ['--token-file=admin.token']],
  ] as const)
    test(`tools of ${what} answer as those over HTTP, and change nothing`, async () => {
      const isRemote = what === 'a server';
      const own = await connectOverStdio(
        isRemote ? [`--url=${world.server.url}`, ...args] : args,
        world.home,
      );
      const http = await connectOverHttp(world.server.url, 'viewer');
      assert.deepEqual(await own.tools(), await http.tools());
      for (const tool of ['allocations', 'assets', 'cloud_costs', 'request_sizing'])
        assert.deepEqual(await own.call(tool, DAYS), await http.call(tool, DAYS), tool);
      const refused = await own.call('create_collection', { collection: {} });
      assert.match(refused.text, /needs the role editor: (stdio|admin) has the role viewer/);
      await assert.rejects(own.call('nothing'), /there is no tool 'nothing'/);
      await own.close();
      await http.close();
    });

  test('--role permits what the caller may do: a change is made', async () => {
    const own = await connectOverStdio(
      [`--url=${world.server.url}`, '--token-file=admin.token', '--role=editor'],
      world.home,
    );
    const collection = { name: 'By stdio', category: 'Team', groups: [] };
    assert.equal((await own.call('create_collection', { collection })).isError, false);
    await own.close();
    assert.match(JSON.stringify(await world.data('/collection')), /By stdio/);
  });

  test('a token that sees some rows sees those alone', async () => {
    const own = await connectOverStdio(
      [`--url=${world.server.url}`, '--token-file=scoped.token'],
      world.home,
    );
    const { text } = await own.call('allocations', DAYS);
    assert.match(text, /^web: /m);
    assert.doesNotMatch(text, /^payments: /m);
    await own.close();
  });

  test('every message that came is answered before it ends, and nothing else is written', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'allocations', arguments: DAYS },
    };
    const [code, stdout, stderr] = await run(OWN, `${JSON.stringify(call)}\n`);
    assert.equal(code, 0, stderr);
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    assert.deepEqual(
      messages.map(({ id }) => id),
      [7],
    );
    assert.match(stderr, /prorata answers standard input/);
  });

  test('a server that is not there, or knows no such token, is an error of each request', async () => {
    const list = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`;
    const [code, stdout, stderr] = await run(['--url=http://127.0.0.1:1'], list);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /"id":1,"error":\{"code":-32603,"message":"cannot ask http:\/\/127.0.0.1:1\/mcp: /,
    );
    assert.match(stderr, /cannot ask/);
    const [, unknown] = await run([`--url=${world.server.url}`], list);
    assert.match(unknown, /answers 401: /);
  });

  const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
    [['--url=ftp://x'], /--url: 'ftp:\/\/x' is not a URL/],
    [['--token-file=admin.token'], /--token-file is for a server: it needs --url/],
    [['--role=root'], /'--role': 'root' is not one of viewer, editor, operator, admin/],
    [['--rol=editor'], /unknown flag: '--rol'\n.*did you mean '--role'/],
  ];
  for (const [args, message] of REFUSED)
    test(`${args.join(' ')} is wrong usage, and ends with 2`, async () => {
      const [code, stdout, stderr] = await run(args, '');
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    });
});
