// Loaded before each unit test: what would open something outside the process throws instead, so that
// `scripts/unit-tests.ts` cannot be wrong unseen. Plain JavaScript, as it is loaded so often.
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import threads from 'node:worker_threads';

/** @param {string} what */
function refused(what) {
  return function refuse() {
    throw new Error(`a unit test opens ${what}: scripts/unit-tests.ts has to see its import`);
  };
}

for (const name of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'])
  childProcess[name] = refused(`a process (${name})`);
net.Server.prototype.listen = refused('a server');
net.Socket.prototype.connect = refused('a connection');
dgram.createSocket = refused('a socket');
threads.Worker = refused('a thread');
globalThis.fetch = refused('a connection (fetch)');
syncBuiltinESMExports();
