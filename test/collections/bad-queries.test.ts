/** Queries of collections that are refused, each naming its parameter. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { collect, rowsOf } from '../support/servers/estate.ts';
import { errorOf, startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';

let server: BundleServer;
let id = '';
before(async () => {
  server = await startBundleServer(['--workers=1']);
  id = await collect(server, { name: 'a', category: 'Team', groups: [rowsOf('namespace:a')] });
});
after(() => server.stop());

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const KUBERNETES = '/collection/query/complement/kubernetes?id=ID&window=1d';
const CLOUD = '/collection/query/complement/cloud?id=ID&window=1d';

const MISTAKES: readonly [string, string, number, string, RegExp][] = [
  ['an unknown category', '/collections/query/total?category=Teams&window=1d', 404, 'category', /no category 'Teams'/],
  ['no category', '/collections/query/total?window=1d', 400, 'category', /'category' is missing/],
  ['no id', '/collection/query/total?window=1d', 400, 'id', /'id' is missing/],
  ['an id that is none', '/collection/query/total?id=a&window=1d', 400, 'id', /'a' is not the id/],
  ['an id nobody has', `/collections/query/complement?id=${UNKNOWN_ID}&window=1d`, 404, 'id', /no collection 0000/],
  ['an id and a category', '/collections/query/complement?id=ID&category=Team&window=1d', 400, 'id', /came both/],
  ['no window', '/collections/query/total?category=Team', 400, 'window', /'window' is missing/],
  ['no window of a complement', '/collections/query/complement?id=ID', 400, 'window', /'window' is missing/],
  ['a window that is none', '/collection/query/timeseries?id=ID&window=soon', 400, 'window', /'soon' is not a window/],
  ['a flag that is none', '/collections/query/total?category=Team&window=1d&collections=sure', 400, 'collections', /'sure' is not a boolean/],
  ['another flag that is none', '/collection/query/total?id=ID&window=1d&groups=all', 400, 'groups', /'all' is not a boolean/],
  ['an aggregate that is none', `${KUBERNETES}&aggregate=team,nonsense`, 400, 'aggregate', /'nonsense' is not one of/],
  ['an aggregate of the other domain', `${CLOUD}&aggregate=namespace`, 400, 'aggregate', /'namespace' is not one of providerID/],
  ['a filter that does not parse', `${KUBERNETES}&filter=namespace:"a`, 400, 'filter', /the end at character 13 is not '"'/],
  ['a filter of the other domain', `${CLOUD}&filter=namespace:a`, 400, 'filter', /'namespace' at character 1 is not one of/],
  ['a limit below 0', `${KUBERNETES}&aggregate=namespace&limit=-1`, 400, 'limit', /'-1' is not a whole number/],
  ['a parameter that has no effect', `${KUBERNETES}&shareIdle=weighted`, 400, 'shareIdle', /'shareIdle' is not known here; it came with 'weighted'/],
  ['a parameter of the other domain', `${CLOUD}&splitIdle=true`, 400, 'splitIdle', /'splitIdle' is not known here; it came with 'true'/],
  ['a filter of the whole complement', '/collections/query/complement?id=ID&window=1d&filter=namespace:a', 400, 'filter', /'filter' is not known here; it came with 'namespace:a'/],
  ['a word that is no boolean', `${KUBERNETES}&splitIdle=node`, 400, 'splitIdle', /'node' is not a boolean/],
  ['an offset that is none', `${CLOUD}&offset=x`, 400, 'offset', /'x' is not a whole number/],
]; // prettier-ignore

describe('a query is refused, naming the parameter, for', () => {
  for (const [what, path, status, parameter, message] of MISTAKES) {
    test(what, async () => {
      const answer = await server.ask(`/model${path.replace('ID', id)}`);
      const error = errorOf(answer);
      assert.equal(answer.status, status);
      assert.match(error.message, message);
      assert.deepEqual([error.code, error.parameter], [status, parameter]);
    });
  }
});

test('a parameter that is not known is refused with those that are, and one without a value is not', async () => {
  const hints = await Promise.all(
    ['/collections/query/complement?id=ID&window=1d&x=1', `${CLOUD}&x=1`].map(async (path) => {
      const { hint } = errorOf(await server.ask(`/model${path.replace('ID', id)}`));
      return hint;
    }),
  );
  assert.deepEqual(hints, [
    'accepted are id, category, window, exactWindow',
    'accepted are id, category, window, exactWindow, aggregate, filter, limit, offset',
  ]);
  assert.equal((await server.ask(`/model${CLOUD.replace('ID', id)}&x=`)).status, 200);
});

test('days that are not stored cost nothing, and a warning names them', async () => {
  const answer = await server.ask(`/collection/query/total?id=${id}&window=yesterday`);
  const body = JSON.parse(answer.text) as { warnings: string[]; data: object };
  assert.deepEqual(body.data, { cost: { totalCost: 0, domainCosts: {} } });
  assert.match(body.warnings.join(), /is not stored: the answer lacks it/);
});

test('a query without costs has no items, and a page after the last item is empty', async () => {
  const { text } = await server.ask(`/model${KUBERNETES.replace('ID', id)}&aggregate=pod&offset=9`);
  const { data } = JSON.parse(text) as { data: object };
  assert.deepEqual(data, { cost: { totalCost: 0, domainCosts: {} }, items: [], itemCount: 0 });
});
