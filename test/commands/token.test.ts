/** Tokens as users make and use them: the command, the file, the server, its log. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { startServerProcess } from '../support/servers/server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'prorata-token-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function token(...args: readonly string[]): { code: number | null; out: string; err: string } {
  const child = spawnSync(process.execPath, [COMMAND, 'token', ...args], {
    encoding: 'utf8',
  });
  return { code: child.status, out: child.stdout, err: child.stderr };
}

test('S-13: a token that the command makes opens a server, and is in no line of its log', async () => {
  const path = join(folder, 'tokens.yaml');
  const made = token('ci "main"', '--roles', 'viewer,editor', '--expires', '90d');
  assert.deepEqual([made.code, made.err.length], [0, 'prorata_'.length + 44]);
  assert.match(
    made.out,
    /^- \{name: "ci \\"main\\"", sha256: [0-9a-f]{64}, roles: \[viewer, editor\], expires: "2/,
  );
  writeFileSync(path, made.out);
  const server = await startServerProcess([
    '--demo=true',
    '--auth=tokens',
    '--access-log=true',
    `--tokens=${path}`,
    '--refresh=0',
  ]);
  const secret = made.err.trim();
  const statuses = async (one: string): Promise<number[]> => {
    const urls = ['/whoami', `/none?token=${one}`, '/model/allocation?window=zzz'];
    const replies = await Promise.all(
      urls.map((url) =>
        fetch(`${server.url}${url}`, { headers: { authorization: `Bearer ${one}` } }),
      ),
    );
    for (const reply of replies) assert.ok(!(await reply.text()).includes(secret.slice(0, 20)));
    return replies.map(({ status }) => status);
  };
  try {
    assert.deepEqual(await statuses(secret), [200, 404, 400]);
    assert.deepEqual(await statuses(`${secret}x`), [401, 401, 401]);
    appendFileSync(path, '- {name: broken}\n');
    for (let i = 0; i < 1000 && server.errors.length === 0; i++) {
      assert.deepEqual(await statuses(secret), [200, 404, 400]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.match(String(server.errors[0]?.msg), /line 2: a token without sha256.*1 tokens.*stay/);
  } finally {
    await server.stop();
  }
  const log = server.lines.join('\n');
  assert.match(log, /"who":"ci \\"main\\""/);
  for (const part of [secret, secret.slice(8), made.out.slice(30, 80)])
    assert.ok(!log.includes(part));
});

const REFUSED: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [[], /a token needs a name/],
  [['ci'], /a token needs --roles/],
  [['ci', '--roles', 'root'], /--roles: 'root' is not one of viewer, editor, operator, admin/],
  [['ci', 'x', '--roles', 'viewer'], /'x' is one too many/],
  [['ci', '--roles', 'viewer', '--expires', '2020-01-01T00:00:00Z'], /--expires: '2020.* is to come/],
  [['ci', '--roles', 'viewer', '--idle'], /idle is for tokens with a filter/],
  [['a\nb', '--roles', 'viewer'], /name is not a name of at most 100 printable characters/],
]; // prettier-ignore

for (const [args, message] of REFUSED)
  test(`prorata token ${JSON.stringify(args)} is refused, and shows no token`, () => {
    const { code, out, err } = token(...args);
    assert.ok(code === 2 || code === 1, `ends with ${code}`);
    assert.equal(out, '');
    assert.match(err, message);
    assert.doesNotMatch(err, /prorata_/);
  });
