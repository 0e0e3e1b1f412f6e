/** Tools over HTTP, by the SDK's own client, from the bundle. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { connectOverHttp, type McpClient } from '../support/clients/mcp-client.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';

const NOW = '--now=2024-05-03T08:00:00Z';
const DAYS = '2024-05-01,2024-05-03';

interface Row {
  readonly name: string;
  readonly totalCostUsd: number;
}

for (const frontEnd of ['uws', 'node'])
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
  });
