/** A server on days of the demo and bills, with a token for each role and one for a caller that sees some rows. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLES } from '../../../src/http/index.ts';
import { fillFolder } from '../recorded-answers.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';

/** Its demo and its bills are of these days. */
export const FILLED: readonly string[] = [
  '--now=2024-05-03T08:00:00Z',
  '--timezone=UTC',
  '--workers=1',
];

export interface TokenWorld {
  /** The folder of its data, `data` in it. */
  readonly home: string;
  readonly server: ServerProcess;
  /** JSON of a path below `/model`. */
  data(path: string, token?: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** A role's name is its token, `scoped` sees the namespace web alone. */
export async function startTokenWorld(flags: readonly string[] = []): Promise<TokenWorld> {
  const home = mkdtempSync(join(tmpdir(), 'prorata-tokens-'));
  await fillFolder(home, FILLED);
  const lines = [...ROLES, 'scoped'].map((name) => {
    const sha256 = createHash('sha256').update(name).digest('hex');
    const [role, filter] = name === 'scoped' ? ['admin', ', filter: namespace:web'] : [name, ''];
    return `- {name: ${name}, sha256: ${sha256}, roles: [${role}]${filter}}\n`;
  });
  writeFileSync(join(home, 'tokens.yaml'), lines.join(''));
  const own = ['--data-dir=data', '--demo=true', '--refresh=0', '--auth=tokens', '--tokens=tokens.yaml']; // prettier-ignore
  const server = await startServerProcess([...FILLED, ...own, ...flags], { cwd: home });
  return {
    home,
    server,
    async data(path, token = 'admin') {
      const headers = { authorization: `Bearer ${token}` };
      return (await (await fetch(`${server.url}/model${path}`, { headers })).json()) as unknown;
    },
    async stop() {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
