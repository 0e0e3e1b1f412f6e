/** Tools over HTTP, by the SDK's own client, from the bundle. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { connectOverHttp, type McpClient } from '../support/clients/mcp-client.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const NOW = '--now=2024-05-03T08:00:00Z';
const DAYS = '2024-05-01,2024-05-03';

interface Row {
  readonly name: string;
  readonly totalCostUsd: number;
}

for (const frontEnd of FRONT_END_NAMES)
  describe(`tools over HTTP, of the front end ${frontEnd}`, () => {
    let server: ServerProcess;
    let client: McpClient;
    before(async () => {
      server = await startServerProcess([
        NOW,
        '--demo=true',
        '--workers=1',
        `--front-end=${frontEnd}`,
      ]);
      client = await connectOverHttp(server.url);
    });
    after(async () => {
      await client.close();
      assert.deepEqual(server.errors, []);
      await server.stop();
    });

    const ask = async (path: string): Promise<unknown> =>
      (await (await fetch(`${server.url}/model${path}`)).json()) as unknown;

    test('every tool is listed with a schema that JSON Schema 2020-12 accepts', async () => {
      const { tools } = await client.tools();
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      assert.ok(tools.length > 0);
      for (const { name, description = '', inputSchema, annotations } of tools) {
        assert.ok(ajv.validateSchema(inputSchema), `${name}: ${JSON.stringify(ajv.errors)}`);
        assert.ok(description.length > 40, name);
        assert.equal(typeof annotations?.readOnlyHint, 'boolean', name);
      }
    });

    test('allocations computed now are those of the route, to the digit', async () => {
      const hours = '2024-05-03T02:00:00Z,2024-05-03T04:00:00Z';
      const { data, isError, text } = await client.call('allocations_on_demand', {
        window: hours,
        limit: 2,
      });
      assert.equal(isError, false, text);
      const path = `/allocation/compute/summary?window=${hours}&aggregate=namespace&accumulate=true&limit=2`;
      const answer = (await ask(path)) as {
        data: { sets: { allocations: Record<string, { totalCost: number }> }[] };
      };
      const expected = Object.entries(answer.data.sets[0]?.allocations ?? {});
      assert.equal(expected.length, 2);
      assert.deepEqual(
        (data['rows'] as Row[]).map(({ name, totalCostUsd }) => [name, totalCostUsd]),
        expected.map(([name, { totalCost }]) => [name, totalCost]),
      );
      assert.equal((data['page'] as { nextOffset: number }).nextOffset, 2);
    });

    const WRONG: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
      ['a misspelled argument', { windwo: '3d' }, /no argument 'windwo'\ndid you mean 'window'\?/],
      ['a window that is none', { window: '3x' }, /'window': '3x' is not a window[^]*for example window=7d/],
      ['a list', { window: ['3d'] }, /'window' is a list; it takes a text/],
      ['a limit that is none', { limit: -1 }, /'limit' is -1; it takes a whole number of 1 to 1000/],
      ['a filter that is none', { window: DAYS, filter: 'namespace:"' }, /'filter'/],
    ]; // prettier-ignore
    for (const [what, args, message] of WRONG)
      test(`an argument that is ${what} is named, with what is accepted`, async () => {
        const { isError, text } = await client.call('allocations', args);
        assert.equal(isError, true);
        assert.match(text, message);
      });

    test('a tool that is not there is refused with the names of those that are', async () => {
      await assert.rejects(
        client.call('allocation'),
        /no tool 'allocation': did you mean 'allocations'\?/,
      );
    });

    const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const JSON_TYPE = { 'content-type': 'application/json' };
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"allocations","arguments":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const HOSTILE: readonly (readonly [string, RequestInit, number, RegExp])[] = [
      ['of a stream', { method: 'GET', headers: { accept: 'text/event-stream' } }, 405, /does not take GET/],
      ['that ends a session', { method: 'DELETE' }, 405, /does not take DELETE/],
      ['of another type', { body: LIST, headers: { 'content-type': 'text/plain' } }, 415, /content-type/],
      ['of another site', { body: LIST, headers: { ...JSON_TYPE, origin: 'http://evil.example' } }, 403, /another site/],
      ['of a page without origin', { body: LIST, headers: { ...JSON_TYPE, origin: 'null' } }, 403, /another site/],
      ['that takes no JSON', { body: LIST, headers: { ...JSON_TYPE, accept: 'text/html' } }, 406, /answers are application\/json/],
      ['without a body', { headers: JSON_TYPE }, 400, /is not JSON/],
      ['that is a list', { body: `[${LIST},${LIST}]`, headers: JSON_TYPE }, 400, /a request has one message/],
      ['that nests deep', { body: deep, headers: JSON_TYPE }, 400, /nests deeper than 64 levels/],
      ['that is no message', { body: '{"a":1}', headers: JSON_TYPE }, 400, /Invalid JSON-RPC message/],
      ['of a version that is not known', { body: LIST, headers: { ...JSON_TYPE, 'mcp-protocol-version': '1999-01-01' } }, 400, /[Uu]nsupported protocol version/],
      ['of a method that is not known', { body: LIST.replace('tools/list', 'tools/lst'), headers: JSON_TYPE }, 200, /"code":-32601/],
      ['of arguments that are a text', { body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"allocations","arguments":"x"}}', headers: JSON_TYPE }, 200, /"error":\{"code":-32/],
      ['of 9 MB of blanks', { body: ' '.repeat(9 * 2 ** 20), headers: JSON_TYPE }, 400, /is not JSON/],
      ['that needs no answer', { body: '{"jsonrpc":"2.0","method":"notifications/initialized"}', headers: JSON_TYPE }, 202, /^$/],
    ]; // prettier-ignore
    for (const [what, options, status, told] of HOSTILE)
      test(`a request ${what} gets one answer, ${status}`, async () => {
        const reply = await fetch(`${server.url}/mcp`, { method: 'POST', ...options });
        const text = await reply.text();
        assert.equal(reply.status, status, text);
        assert.match(text, told);
      });

    test('an unknown parameter of the address is named', async () => {
      const reply = await fetch(`${server.url}/mcp?rol=viewer`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: LIST,
      });
      assert.equal(reply.status, 400);
      assert.match(await reply.text(), /'rol' is not known here.*did you mean 'role'/);
    });
  });
