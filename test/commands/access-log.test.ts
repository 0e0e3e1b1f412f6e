/** The access log of the server as users run it, and the trace that goes on to the metrics store. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createLogger } from '../../src/terminal/log.ts';
import { exchange, until } from '../http/front-ends.ts';
import { parsed, startServerProcess, type Logged } from '../support/servers/server-process.ts';
import { startScriptedStore, streaming } from '../support/stores/scripted-store.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SECRET = 'hunter2hunter2';

describe('the access log', { concurrency: 2 }, () => {
  for (const frontEnd of FRONT_END_NAMES) {
    test(`${frontEnd}: has the id, trace, route and end of each request, and no secrets`, async () => {
      const store = await startScriptedStore(streaming());
      const server = await startServerProcess([
        '--refresh=0',
        '--workers=1',
        '--access-log=true',
        `--front-end=${frontEnd}`,
        `--metrics-url=${store.url}`,
        '--metrics-reader=remote-read',
      ]);
      const requests = (): Logged[] =>
        server.lines.flatMap(parsed).filter(({ msg }) => msg === 'request');
      try {
        const query = `window=1h&aggregate=namespace&token=${SECRET}&filter=namespace:"${SECRET}"&${SECRET}`;
        await fetch(`${server.url}/model/allocation/compute?${query}`, {
          headers: {
            'x-request-id': 'mine-1',
            traceparent: `00-${TRACE}-${SPAN}-01`,
            tracestate: 'vendor=1',
            authorization: `Bearer ${SECRET}`,
          },
        }).then((reply) => reply.text());
        await exchange(server.port, `GET /${'x'.repeat(500)} HTTP/1.1\r\nHost: a\r\n\r\n`);
        await until(() => requests().length === 2, 'both are logged');
        const [computed, unknown] = requests();
        assert.ok(computed !== undefined);
        const { request, trace, span, route, from, query: shown } = computed;
        assert.deepEqual(
          { request, trace, route, from, shown },
          {
            request: 'mine-1',
            trace: TRACE,
            route: '/allocation/compute',
            from: '127.0.0.1',
            shown: 'window=1h&aggregate=namespace and 3 others',
          },
        );
        assert.notEqual(span, SPAN);
        assert.ok(store.requests.length > 1, `${store.requests.length} reads`);
        const spans = store.requests.map(({ headers }) => {
          assert.equal(headers['tracestate'], 'vendor=1');
          const parts = String(headers['traceparent']).split('-');
          assert.deepEqual([parts[0], parts[1], parts[3]], ['00', TRACE, '01']);
          return parts[2];
        });
        assert.equal(new Set([...spans, SPAN, span]).size, spans.length + 2);
        assert.equal(unknown?.['status'], 404);
        assert.equal(String(unknown?.['path']).length, 200);
        assert.ok(!server.lines.join('\n').includes(SECRET));
      } finally {
        assert.equal(await server.stop(), 0);
        await store.stop();
      }
    });
  }
});

test('S-18: a line of the log is one line of JSON, whatever is in it', () => {
  let written = '';
  const stream = {
    writableLength: 0,
    write: (line: string) => void (written += line),
    once: () => undefined,
    on: () => undefined,
  };
  const log = createLogger('info', stream);
  const odd = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(odd, odd, (path, message) => {
      written = '';
      log.info({ path }, message);
      assert.equal(written.indexOf('\n'), written.length - 1);
      // eslint-disable-next-line no-control-regex -- control characters are what it looks for
      assert.doesNotMatch(written.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
      assert.ok(parsed(written).length === 1, written);
    }),
  );
});
