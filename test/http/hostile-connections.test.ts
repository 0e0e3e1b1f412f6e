/** Connections that take their time, and paths that want out, on real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytes } from '../../src/http/reply.ts';
import { dial, exchange, FRONT_ENDS, serving } from './front-ends.ts';
import { openRouter } from '../support/servers/open-router.ts';

/** Longer than any of them lives; the engines look at their clocks every four seconds. */
const CUT_WITHIN_MS = 60_000;
const DRIP_MS = 500;

/** What is sent at once, and then again and again. */
const SLOW: Readonly<Record<string, readonly [string, string]>> = {
  'says nothing': ['', ''],
  'sends its head byte by byte': ['GET / HTTP/1.1\r\nHost: a\r\nX-A: ', 'b'],
  'sends header after header': ['GET / HTTP/1.1\r\nHost: a\r\n', 'X-A: b\r\n'],
  'is idle after its answer': ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', ''],
};

const PATHS: readonly string[] = [
  '/../healthz',
  '/model/../../healthz',
  '/%2e%2e/healthz',
  '/..%2fhealthz',
  '/..%5chealthz',
  '/healthz%00',
  '/healthz/../healthz',
  '/healthz;a',
  '/./healthz',
  '/etc/passwd',
  '/%2e%2e%2f%2e%2e%2fetc/passwd',
  '/src/main.ts',
  '/package.json',
];

for (const { name, frontEnd } of FRONT_ENDS) {
  describe(`hostile connections to the front end ${name}`, () => {
    test('S-3: whoever is slow is cut off, and others are answered', async () => {
      const handler = (): ReturnType<typeof bytes> => bytes('text/plain', 'seen');
      await serving(frontEnd, handler, async ({ port, url }) => {
        const ends = Object.entries(SLOW).map(async ([what, [first, again]]) => {
          const socket = await dial(port);
          socket.resume().write(first);
          const drip = setInterval(() => again !== '' && socket.write(again), DRIP_MS);
          const closed = once(socket, 'close').then(() => 'cut off');
          const late = sleep(CUT_WITHIN_MS, 'still open', { ref: false });
          const end = await Promise.race([closed, late]);
          clearInterval(drip);
          socket.destroy();
          return `who ${what} is ${end}`;
        });
        assert.equal(await (await fetch(url)).text(), 'seen');
        const expected = Object.keys(SLOW).map((what) => `who ${what} is cut off`);
        assert.deepEqual(await Promise.all(ends), expected);
      });
    });

    test('S-10: no path but a route’s own is answered', async () => {
      const route = {
        method: 'GET',
        path: '/healthz',
        needs: 'nobody',
        scoping: 'unneeded',
        handle: () => bytes('text/plain', 'a'),
      } as const;
      await serving(frontEnd, openRouter([route], { log: assert.fail }), async ({ port }) => {
        const statusOf = async (path: string): Promise<string> =>
          (await exchange(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`, 60)).slice(9, 12);
        assert.equal(await statusOf('/healthz'), '200');
        for (const path of PATHS) assert.match(await statusOf(path), /^(40[04])?$/, path);
        // Spelled otherwise it is named, on this host.
        assert.match(
          await exchange(port, 'GET //healthz HTTP/1.1\r\nHost: a\r\n\r\n', 60),
          /^HTTP\/1.1 30[178] [\s\S]*\r\nlocation: \/healthz\r\n/,
        );
      });
    });
  });
}
