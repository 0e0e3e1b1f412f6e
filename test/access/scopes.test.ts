/**
 * Callers that see some rows alone. Each of many random filters is held against who sees everything and asks
 * with that filter joined: the same bytes, but for what tells of others' rows.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { anyFilterOf } from '../support/arbitraries/row-filters.ts';
import { measured } from '../support/measured.ts';
import { COMPUTED, STORED, WINDOW } from '../support/scoped-questions.ts';
import { firstDifference, startScopedWorld, withoutNotes, type As, type Question, type ScopedAnswer, type ScopedWorld } from '../support/servers/scoped-world.ts'; // prettier-ignore

const SCOPES = Number(process.env['SCOPES'] ?? 200);
/** In words as in its name. */
const COUNT = SCOPES === 1000 ? 'a thousand' : SCOPES;
/** A file has a thousand tokens at most. */
const ADMITTED = 504;
/** One question is asked by so many callers at the same time. */
const TOGETHER = 8;
/** Computed answers take much longer. */
const COMPUTED_EACH = 63;

/** What recommendations tell of the rows that they are of. */
const OWN_WARNINGS = /^"warnings":\["(1 container has|\d+ containers have) [^"]*known[^"]*"\]$/;

let world: ScopedWorld;
before(async () => void (world = await startScopedWorld()));
after(() => world.stop());

/** Fields with values that the demo and its bills have, and one that nothing has. */
async function fieldValues(): Promise<(readonly [field: string, values: readonly string[]])[]> {
  const fields = ['cluster', 'namespace', 'node', 'controllerKind', 'controllerName', 'pod', 'services', 'providerID', 'label[app]', 'label[team]', 'team', 'product']; // prettier-ignore
  return await Promise.all(
    fields.map(async (field) => {
      const path = `/model/allocation/autocomplete?${WINDOW}&field=${encodeURIComponent(field)}`;
      const { data } = (await world.data(path)) as { readonly data: readonly string[] };
      return [field, [...data, 'nothing', '__unallocated__']] as const;
    }),
  );
}

const withFilter = (path: string, filter: string): string =>
  filter === '' ? path : `${path}&filter=${encodeURIComponent(filter)}`;

/** @param own the caller's filter @param more what it asks for itself; '' for nothing */
async function compare(as: As, own: string, path: string, more: string): Promise<string> {
  const joined = more === '' ? own : `(${own})+(${more})`;
  const [scoped, whole] = await Promise.all([
    world.ask(as, { path: withFilter(path, more) }),
    world.ask('admin', { path: withFilter(path, joined) }),
  ]);
  const about = `${path} of ${own} asked for ${more}`;
  if (whole.status === 400) {
    assert.match(whole.text, /"parameter":"filter"/, about);
    // What the caller asks for itself may be what the route cannot read.
    assert.ok(scoped.status === 403 || (scoped.status === 400 && more !== ''), about);
    assert.equal(field(scoped, 'parameter'), 'filter', `${about}: ${scoped.text}`);
    return 'refused';
  }
  assert.equal(whole.status, 200, `${about}: ${whole.text}`);
  assert.equal(scoped.status, 200, `${about}: ${scoped.text}`);
  if (!withoutNotes(scoped).equals(withoutNotes(whole))) {
    const differing = `${about}:\n${firstDifference(withoutNotes(scoped), withoutNotes(whole))}`;
    // A row of idle that is nothing would name what the filter excludes, and tell its times.
    const usd = await idleUsd('admin', joined);
    assert.ok(usd.includes(0), differing);
    assert.deepEqual(await idleUsd(as, more), usd, differing);
    const bare = path.replace('&idle=true', '');
    const own = await world.ask(as, { path: `${withFilter(bare, more)}&idle=false` });
    const others = await world.ask('admin', { path: `${withFilter(bare, joined)}&idle=false` });
    assert.ok(withoutNotes(own).equals(withoutNotes(others)), differing);
  }
  assert.equal(scoped.headers['x-prorata-node-costs'], undefined, about);
  assert.ok(!scoped.text.includes('"nodeCosts":'), about);
  const told = /"warnings":\[("(?:[^"\\]|\\.)*",?)*\]/.exec(scoped.text)?.[0] ?? '';
  assert.ok(told === '' || OWN_WARNINGS.test(told), `${about}: ${told}`);
  if (scoped.headers['etag'] !== undefined)
    assert.notEqual(scoped.headers['etag'], whole.headers['etag']);
  return 'answered';
}

/** Idle beside rows that match, by day, USD: 0 where none is told of. */
async function idleUsd(as: As, filter: string): Promise<readonly number[]> {
  const path = withFilter(`/model/allocation?${WINDOW}&aggregate=cluster`, filter);
  const { data } = JSON.parse((await world.ask(as, { path })).text) as {
    readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
  };
  return data.map((set) => set['__idle__']?.totalCost ?? 0);
}

function field({ text }: ScopedAnswer, name: string): unknown {
  return (JSON.parse(text) as Readonly<Record<string, unknown>>)[name];
}

describe('a scope', () => {
  test(`S-22: ${COUNT} random filters of callers answer what is asked with them, to the byte, and nothing else`, async (t) => {
    const seed = fc.readConfigureGlobal()?.seed ?? Date.now() % 2 ** 31;
    const fields = await fieldValues();
    const scopes = fc.sample(anyFilterOf(fields), { seed, numRuns: SCOPES });
    const asks = fc.sample(fc.oneof(fc.constant(''), anyFilterOf(fields)), {
      seed,
      numRuns: SCOPES,
    });
    const counts: Record<string, number> = {};
    const numbers = scopes.map((_, i) => i);
    for (let at = 0; at < SCOPES; at += TOGETHER) {
      if (at % ADMITTED === 0) {
        const few = numbers.slice(at, at + ADMITTED);
        await world.admit(Object.fromEntries(few.map((i) => [`s${i}`, scopes[i] ?? ''])));
      }
      // The same question, by callers of different filters at once: nothing is shared between them.
      const turn = at / TOGETHER;
      const isComputed = turn % COMPUTED_EACH === 0;
      const paths = isComputed ? COMPUTED : STORED;
      const path = paths[(isComputed ? turn / COMPUTED_EACH : turn) % paths.length] ?? '';
      const more = asks[at] ?? '';
      const outcomes: Promise<string>[] = [];
      for (const i of numbers.slice(at, at + TOGETHER)) {
        outcomes.push(compare(`s${i}`, scopes[i] ?? '', path, more));
        // Few may be computed at once.
        if (isComputed) await outcomes.at(-1);
      }
      for (const outcome of await Promise.all(outcomes))
        counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    assert.deepEqual(Object.keys(counts).toSorted(), ['answered', 'refused'], `seed ${seed}`);
    assert.ok((counts['answered'] ?? 0) > SCOPES / 2, JSON.stringify(counts));
    assert.deepEqual(world.server.errors, []);
    measured(
      t,
      'S-22',
      `${counts['answered']} answered alike, ${counts['refused']} refused (seed ${seed})`,
    );
  });

  test('answers from caches are those of its caller, and so are their tags', async () => {
    await world.admit({ web: 'namespace:"web"', catalog: 'namespace:"catalog"' });
    const path = `/model/allocation?window=yesterday&aggregate=namespace&idle=false`;
    const callers = ['admin', 'web', 'catalog'];
    const first = await Promise.all(callers.map((as) => world.ask(as, { path })));
    for (let i = 0; i < 3; i++) {
      for (const [n, as] of callers.entries()) {
        const again = await world.ask(as, { path });
        assert.equal(again.text, first[n]?.text);
        assert.equal(again.headers['etag'], first[n]?.headers['etag']);
      }
    }
    const tags = first.map(({ headers }) => String(headers['etag']));
    assert.equal(new Set(tags).size, 3, tags.join());
    for (const [n, as] of callers.entries()) {
      for (const [m, tag] of tags.entries()) {
        const { status } = await world.ask(as, { path, headers: { 'if-none-match': tag } });
        assert.equal(status, n === m ? 304 : 200, `${as} with the tag of ${callers[m]}`);
      }
    }
  });

  test('nothing may be chosen to be shared, as that tells what others cost', async () => {
    await world.admit({ web: 'namespace:"web"' });
    const below = ['', '/summary', '/summary/topline', '/compute'];
    for (const path of [...below.map((each) => `/model/allocation${each}`), '/allocation']) {
      for (const more of [
        'shareNamespaces=kube-system',
        'shareLabels=app:x',
        'shareCost=100',
        'shareCost=0',
        'sharelb=true',
      ]) {
        const { status, text } = await world.ask('web', { path: `${path}?${WINDOW}&${more}` });
        assert.equal(status, 403, `${path} ${more}`);
        assert.match(text, new RegExp(`"parameter":"${more.split('=')[0]}"`));
      }
    }
  });

  test('shares in assets are not told, as they tell what whole nodes cost', async () => {
    await world.admit({ web: 'namespace:"web"' });
    const flag = 'includeProportionalAssetResourceCosts';
    for (const path of ['/model/allocation', '/model/allocation/compute', '/allocation']) {
      const asked = { path: `${path}?${WINDOW}&aggregate=namespace&includeIdle=true&${flag}=true` };
      const refused = await world.ask('web', asked);
      assert.deepEqual([refused.status, field(refused, 'parameter')], [403, flag], path);
    }
    const short = { path: `/model/allocation/summary?${WINDOW}&aggregate=namespace&${flag}=true` };
    const { status, text } = await world.ask('web', short);
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, /Percentage/);
  });

  test('collections are refused alike, known or not, and what one would cost is of own rows', async () => {
    await world.admit({ web: 'namespace:"web"' });
    const bodyOf = (filterString: string, cloud?: string): string => {
      const kubernetes = { kind: 'container', filterString };
      const more = cloud === undefined ? {} : { cloud: { filterString: cloud } };
      const groups = [{ selectors: { kubernetes, ...more } }];
      return JSON.stringify({ name: 'bids', category: 'Takeovers', groups });
    };
    const post = { method: 'POST', body: bodyOf('cluster:"production"') };
    const made = await world.ask('admin', { ...post, path: '/collections' });
    assert.equal(made.status, 200, made.text);
    const [known, never] = [String(field(made, 'id')), '7b2f6a2e-6d0c-4f0e-9a51-2f3c5c0d9e11'];
    for (const spelling of ['/collection', '/model/collections']) {
      for (const query of ['total', 'timeseries', 'complement', 'complement/kubernetes']) {
        const subjects = [`id=${known}&groups=true`, `id=${never}`, 'id=x', 'category=Takeovers', 'category=none', ''];
        const answers = await Promise.all(
          subjects.map((of) => world.ask('web', { path: `${spelling}/query/${query}?${WINDOW}&${of}` })),
        );
        assert.deepEqual(answers.map(({ status }) => status), subjects.map(() => 403));
        assert.equal(new Set(answers.map(({ text }) => text)).size, 1, answers[0]?.text);
        assert.doesNotMatch(answers[0]?.text ?? '', /Takeovers|bids/);
      }
    }
    const path = `/collection/query/total?${WINDOW}&groups=true`;
    const draft = await world.ask('web', { ...post, path });
    const body = bodyOf('(cluster:"production")+(namespace:"web")');
    const reference = await world.ask('admin', { method: 'POST', body, path });
    assert.equal(draft.status, 200, draft.text);
    const cost = (answer: ScopedAnswer): unknown => (field(answer, 'data') as { readonly cost: unknown }).cost;
    assert.deepEqual(cost(draft), cost(reference));
    assert.match(draft.text, /"totalCost":[1-9]/);
    const billed = { method: 'POST', path, body: bodyOf('cluster:"production"', 'service:"AmazonEC2"') };
    const refused = await world.ask('web', billed);
    assert.deepEqual([refused.status, field(refused, 'parameter')], [403, 'filter']);
  }); // prettier-ignore

  test('a prediction of another’s workload is that of one that never was', async () => {
    await world.admit({ web: 'namespace:"web"' });
    const predicted = async (as: As, namespace: string, name: string): Promise<string> => {
      const container = {
        name: 'main',
        image: 'i',
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
      };
      const spec = { replicas: 2, template: { spec: { containers: [container] } } };
      const body = JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace },
        spec,
      });
      const path = '/prediction/speccost?clusterID=production&defaultNamespace=default&window=2d';
      const { status, text } = await world.ask(as, { method: 'POST', path, body });
      assert.equal(status, 200, text);
      return text.replaceAll(name, 'NAME').replaceAll(namespace, 'NAMESPACE');
    };
    const [theirs, ours] = ['catalog-api', 'storefront'];
    const never = await predicted('web', 'catalog', 'never-was');
    assert.equal(await predicted('web', 'catalog', theirs), never);
    assert.notEqual(
      await predicted('admin', 'catalog', theirs),
      await predicted('admin', 'catalog', 'never-was'),
    );
    assert.notEqual(await predicted('web', 'web', ours), never);
    await world.admit({ one: 'namespace:"web"+cluster:"production"' });
    const unknown = await world.ask('one', {
      method: 'POST',
      path: '/prediction/speccost?clusterID=none&defaultNamespace=default',
      body: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}]}}',
    });
    assert.equal(unknown.status, 400);
    assert.match(unknown.text, /known: production"/);
  });

  const ASKED: readonly (readonly [question: Question, status: number])[] = [
    [{ path: '/audit/events' }, 200],
    [{ path: '/whoami' }, 200],
    [{ path: '/readyz' }, 200],
    [{ path: '/readyz?verbose' }, 403],
    [{ path: `/model/assets?${WINDOW}` }, 403],
    [{ path: `/savings/clusterSizingETL?${WINDOW}` }, 403],
    [{ path: '/cloudCost/status' }, 403],
    [{ path: '/metrics' }, 403],
  ];
  for (const [question, status] of ASKED)
    test(`${question.path} is answered with ${status}`, async () => {
      await world.admit({ web: 'namespace:"web"' });
      const answer = await world.ask('web', question);
      assert.equal(answer.status, status, answer.text);
      if (status === 403) assert.match(answer.text, /filter/);
      if (question.path === '/whoami') assert.match(answer.text, /"filter":"namespace:\\"web\\""/);
    });
});
