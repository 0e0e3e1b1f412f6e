/** Plan and apply over the wire, on the demo's simulated cluster. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startOwnServer, type ErrorForm, type OwnServer } from '../support/servers/own-server.ts';
import { row } from '../support/servers/sizing-cluster.ts';

const PATH = '/cluster/requestsizer';

/** The result of an apply or an undo. */
interface Result {
  readonly TimeInitiated: string;
  readonly TimeFinished: string;
  readonly Errors: readonly string[];
  readonly Warnings: readonly string[];
  readonly FromApply?: string;
}

const shop = row('web/deployment:storefront/storefront', '200m', '256Mi', 'production');

async function post(
  server: OwnServer,
  path: string,
  body: string | Uint8Array,
  type: string = 'application/json',
): Promise<Response> {
  const headers = { 'content-type': type };
  return await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
}

describe('with the controller switched on', () => {
  let server: OwnServer;
  before(async () => void (server = await startOwnServer(['--cluster-controller=true'])));
  after(() => server.stop());

  test('plan answers the plan and names what it drops, with and without the prefix', async () => {
    const far = row('web/deployment:storefront/storefront', '1m', '1Mi', 'development');
    for (const path of [`${PATH}/plan`, `${PATH}/planV2`, `/model${PATH}/plan`]) {
      const answer = await post(server, path, JSON.stringify([far, shop]));
      assert.equal(answer.status, 200);
      assert.deepEqual(await answer.json(), {
        production: {
          web: [
            {
              Name: 'storefront',
              Kind: 'deployment',
              ContainerPlans: {
                storefront: {
                  TargetCPURequestMillicores: 200,
                  TargetRAMRequestBytes: 256 * 2 ** 20,
                },
              },
            },
          ],
        },
      });
      const dropped = JSON.parse(answer.headers.get('x-plan-dropped') ?? '') as string[];
      assert.deepEqual(dropped, ['development: all 1, as it is another cluster']);
    }
  });

  test('the header of dropped recommendations is ASCII and of limited length', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => ({
      ...row(`web/deployment:gone-${i}/app`, '1m', '1Mi', 'production'),
      containerName: 'ünï',
    }));
    const answer = await post(server, `${PATH}/plan`, JSON.stringify(rows));
    const header = answer.headers.get('x-plan-dropped') ?? '';
    const dropped = JSON.parse(header) as string[];
    assert.ok(header.length < 4100, String(header.length));
    assert.match(dropped[0] ?? '', /ünï/);
    assert.match(dropped.at(-1) ?? '', /^and \d+ more$/);
  });

  const BAD: readonly (readonly [string, string | Uint8Array, string, number])[] = [
    ['no body', '', 'application/json', 400],
    ['no JSON', '{"Recommendations":', 'application/json', 400],
    ['JSON behind a mark of byte order', '\ufeff[]', 'application/json', 400],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400],
    ['another type', '[]', 'text/csv', 415],
    ['no recommendation', '{"production":{}}', 'application/json', 400],
    ['5 million lists', '['.repeat(5_000_000), 'application/json', 400],
    ['50 MB', ' '.repeat(50_000_000), 'application/json', 413],
  ];
  for (const [name, body, type, status] of BAD) {
    test(`${name} is refused with ${status}`, async () => {
      const answer = await post(server, `${PATH}/plan`, body, type);
      assert.equal(answer.status, status);
      assert.equal(((await answer.json()) as ErrorForm).code, status);
      assert.deepEqual(server.errors, []);
    });
  }

  test('apply takes what plan answers, echoes it byte by byte, and undo restores', async () => {
    const plan = await (await post(server, `${PATH}/plan`, JSON.stringify([shop]))).text();
    // Numbers and blanks as the client writes them.
    const own = plan.replace(':200,', ': 2.00e2 ,');
    assert.notEqual(own, plan);
    const answer = await post(server, `/model${PATH}/apply`, ` ${own}\n`);
    const text = await answer.text();
    assert.equal(answer.status, 200);
    assert.ok(text.endsWith(`,"FromPlan":${own}}`), text);
    const { TimeInitiated, TimeFinished, Errors, Warnings } = JSON.parse(text) as Result;
    assert.ok(Date.parse(TimeInitiated) <= Date.parse(TimeFinished), text);
    assert.deepEqual(Errors, []);
    assert.match(Warnings.join(), /autoscaler storefront goes by the utilization of cpu/);
    const planned = await post(server, `${PATH}/plan`, JSON.stringify([shop]));
    assert.equal(await planned.text(), '{}');
    const [run] = JSON.parse((await server.ask(`${PATH}/applies`)).text) as { id: string }[];
    assert.equal(run?.id, answer.headers.get('x-apply-id'));
    const undone = await (await post(server, `${PATH}/undo`, '')).json();
    assert.deepEqual((undone as Result).Errors, []);
    assert.equal((undone as Result).FromApply, run?.id);
    const again = await post(server, `${PATH}/plan`, JSON.stringify([shop]));
    assert.equal(await again.text(), plan);
  });

  const NO_PLANS: readonly (readonly [string, string, string, number])[] = [
    ['apply', 'no JSON', '', 400],
    ['apply', 'a recommendation', JSON.stringify([shop]), 400],
    ['apply', 'another cluster', '{"development":{}}', 422],
    ['apply', 'a list within an object', '{"production":{"web":[[]]}}', 400],
    ['apply', 'a name that is said twice', '{"production":{"web":[],"w\\u0065b":[]}}', 400],
    ['undo', 'an apply that is not there', '{"id":"x"}', 404],
    ['undo', 'something else', '[]', 400],
    ['undo', 'a field that is not known', '{"ids":"x"}', 400],
  ];
  for (const [path, name, body, status] of NO_PLANS) {
    test(`${path} refuses ${name} with ${status}`, async () => {
      const answer = await post(server, `${PATH}/${path}`, body);
      assert.equal(answer.status, status, await answer.text());
    });
  }

  test('GET is no way to plan', async () => {
    assert.equal((await server.ask(`${PATH}/plan`)).status, 405);
  });
});

test('P-A7: with the controller switched off every route answers 403 and names the switch', async () => {
  const server = await startOwnServer([]);
  for (const path of ['plan', 'planV2', 'apply', 'undo']) {
    const answer = await post(server, `${PATH}/${path}`, '[]');
    const { code, parameter, hint } = (await answer.json()) as ErrorForm;
    assert.equal(code, 403);
    assert.equal(parameter, 'clusterController.enabled');
    assert.match(hint ?? '', /CLUSTER_CONTROLLER_ENABLED/);
  }
  await server.stop();
});
