/**
 * Fills V8's code cache of a tree that lay-out.ts made, for images whose root cannot be written:
 *
 *   FOLDER/app/compiled/v24.22.3-x64-…-UID   one file a module, of the Node that runs this
 *
 * The server of the tree runs over the demo until it answers a query. Node keeps a cache for each user, by
 * the number at the end of the folder's name; UID is the user of the image. Before Node 22.8 there is no
 * cache, and nothing is done.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { commandLine } from './commands.ts';

const [folder = '', uid = ''] = commandLine('compile-cache').operands;

async function fill(): Promise<void> {
  const args = [join(folder, 'src/bundle/main.js'), 'serve', '--demo=true', '--port=0'];
  const child = spawn(process.execPath, [...args, '--refresh=0', '--drain-delay=0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface(child.stderr)) {
    if (!line.includes('prorata is listening')) continue;
    const { url } = JSON.parse(line) as { url: string };
    const query = '/model/allocation/compute?window=1h&aggregate=namespace';
    const { status } = await fetch(`${url}${query}`);
    if (status !== 200) throw new Error(`${query}: ${status}`);
    break;
  }
  child.stderr.resume();
  // Node writes the cache as it ends.
  child.kill('SIGTERM');
  await once(child, 'exit');
  const compiled = join(folder, 'compiled');
  const [name = '', ...others] = readdirSync(compiled);
  if (others.length > 0) throw new Error(`${compiled} has ${others.length + 1} caches, not one`);
  renameSync(join(compiled, name), join(compiled, name.replace(/-\d+$/, `-${uid}`)));
  settle(compiled);
  settleTime(folder);
}

/** Readable by everybody, and written by nobody else, as the tree. */
function settle(path: string): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder) for (const name of readdirSync(path)) settle(join(path, name));
  chmodSync(path, isFolder ? 0o755 : 0o644);
  settleTime(path);
}

function settleTime(path: string): void {
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0);
  utimesSync(path, seconds, seconds);
}

// Of Node 22.8; the types are those of Node 20.
if ('enableCompileCache' in module) await fill();
