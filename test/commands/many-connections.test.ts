/** The server as users run it: probes and cached answers in a row, idle connections, no free descriptors. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { flagsOf, windowOf } from '../../bench/stored.ts';
import { prepareDays } from '../../bench/stored-days.ts';
import { measured } from '../support/measured.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import { skipWithout } from '../support/servers/services.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const IN_A_ROW = 2000;
const AT_ONCE = 8;
const IDLE = 1000;
/** With the few connections of `ask`. */
const OWN_DESCRIPTORS_MAX = 64;
/** Both ends, with what tests themselves allocate. */
const IDLE_BYTES_MAX = 8 * 1024;
const SIZE = { days: 2, rows: 1000 };
const PATHS = {
  probe: '/healthz',
  'cached answer': `/model/allocation?${windowOf(SIZE)}&aggregate=namespace`,
};

for (const frontEnd of FRONT_END_NAMES) {
  describe(`the server over ${frontEnd}`, () => {
    let server: ServerProcess;
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

    before(async () => {
      const flags = flagsOf(await prepareDays(SIZE), SIZE);
      server = await startServerProcess([...flags, `--front-end=${frontEnd}`]);
    });
    after(async () => {
      agent.destroy();
      assert.equal(await server.stop(), 0);
    });

    const ask = (path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const request = get(server.url + path, { agent }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        });
        request.on('error', reject);
      });
    const dialed = async (count: number, most: number): Promise<Socket[]> => {
      const sockets = Array.from({ length: count }, () =>
        connect(server.port, '127.0.0.1').on('error', () => undefined),
      );
      while (descriptors(server.pid) < most) await sleep(10);
      return sockets;
    };

    for (const [what, path] of Object.entries(PATHS)) {
      test(`P-L1: ${IN_A_ROW} requests of a ${what} are answered, each with 200`, async (t) => {
        assert.equal(await ask(path), 200);
        const beganMs = performance.now();
        let left = IN_A_ROW;
        const client = async (): Promise<void> => {
          while (left-- > 0) assert.equal(await ask(path), 200);
        };
        await Promise.all(Array.from({ length: AT_ONCE }, client));
        const perSecond = Math.round((1000 * IN_A_ROW) / (performance.now() - beganMs));
        // The client is slower than the server, and others have the cores: the benchmark has the limit.
        measured(t, 'P-L1', `${what} ${perSecond} a second of a slow client (${frontEnd})`);
      });
    }

    test(`P-L3: ${IDLE} idle connections take no memory to speak of, and others are answered`, async (t) => {
      const residentBytes = (): number =>
        1024 *
        Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
      const [here, there] = [process.memoryUsage().rss, residentBytes()];
      const sockets = await dialed(IDLE, IDLE);
      assert.equal(await ask('/healthz'), 200);
      const ownBytes = (residentBytes() - there) / IDLE;
      const bothBytes = ownBytes + (process.memoryUsage().rss - here) / IDLE;
      for (const socket of sockets) socket.destroy();
      measured(t, 'P-L3', `${(ownBytes / 1024).toFixed(1)} KB of ${frontEnd}, ${(bothBytes / 1024).toFixed(1)} KB with the client`); // prettier-ignore
      assert.ok(ownBytes <= IDLE_BYTES_MAX, `${ownBytes} bytes a connection`);
    });

    const skip = skipWithout('prlimit');
    test(
      'P-O4: without free descriptors who is connected is answered, and all are afterwards',
      { skip },
      async () => {
        assert.equal(await ask('/healthz'), 200);
        const limit = (soft: number): unknown =>
          execFileSync('prlimit', [`--nofile=${soft}:`, `--pid=${server.pid}`]);
        while (descriptors(server.pid) > OWN_DESCRIPTORS_MAX) await sleep(10);
        const most = descriptors(server.pid) + 20;
        limit(most);
        const sockets = await dialed(60, most - 1);
        for (let i = 0; i < 20; i++) assert.equal(await ask('/healthz'), 200);
        for (const socket of sockets) socket.destroy();
        while (descriptors(server.pid) >= most - 1) await sleep(10);
        assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
        assert.deepEqual(server.errors, []);
      },
    );
  });
}

function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
