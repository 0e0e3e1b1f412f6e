import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readFilters, readShares } from '../../../src/allocation/params/filters.ts';
import { ALLOCATION_FIELDS } from '../../../src/allocation/row/filter-fields.ts';
import { parseQuery } from '../../../src/http/params.ts';
import { Fault, formatFilter, parseFilter, type Filter } from '../../../src/query/index.ts';

function shown(filter: Filter | null): string | null {
  return filter === null ? null : formatFilter(filter);
}

const READ: readonly (readonly [query: string, filter: string | null])[] = [
  ['', null],
  ['filter=&filterNamespaces=&filterLabels=', null],
  ['filter=%20&filterNamespaces=,%20,&filterLabels=,', null],
  ['filterClusters=c1,c2', 'cluster:"c1","c2"'],
  ['filterNodes=n1', 'node:"n1"'],
  ['filterNamespaces=kube-system,kubecost', 'namespace:"kube-system","kubecost"'],
  ['filterNamespaces=%20a%20,,b,a', 'namespace:"a","b"'],
  ['filterNamespaces=kube*', 'namespace<~:"kube"'],
  ['filterNamespaces=kube*,web', 'namespace<~:"kube"|namespace:"web"'],
  ['filterNamespaces=*', 'namespace<~:""'],
  ['filterNamespaces=ku*be', 'namespace:"ku*be"'],
  ['filterNamespaces=__unallocated__', 'namespace:"__unallocated__"'],
  ['filterNamespaces=a:b', 'namespace:"a:b"'],
  ['filterControllerKinds=depl*', 'controllerKind<~:"depl"'],
  ['filterControllers=web,api*', 'controllerName:"web"|controllerName<~:"api"'],
  ['filterControllers=job:a', 'controllerKind:"job"+controllerName:"a"'],
  [
    'filterControllers=web,deployment:api*,deployment:x',
    'controllerName:"web"|(controllerKind:"deployment"+(controllerName<~:"api"|controllerName:"x"))',
  ],
  ['filterControllers=deployment:a:b', 'controllerKind:"deployment"+controllerName:"a:b"'],
  ['filterPods=p', 'pod:"p"'],
  ['filterContainers=c', 'container:"c"'],
  ['filterServices=serv1,serv*', 'services:"serv1"|services<~:"serv"'],
  ['filterLabels=app:web', 'label[app]:"web"'],
  ['filterLabels=app:web,app:api', 'label[app]:"web","api"'],
  ['filterLabels=a-b:x,a_b:y,a.b:x', 'label[a_b]:"x","y"'],
  ['filterLabels=app:cost-*,team:x', 'label[app]<~:"cost-"|label[team]:"x"'],
  ['filterLabels=app:*', 'label[app]<~:""'],
  ['filterLabels=app:__unallocated__', 'label[app]:"__unallocated__"'],
  ['filterLabels=__proto__:x,constructor:y', 'label[__proto__]:"x"|label[constructor]:"y"'],
  ['filterLabels=%20app.kubernetes.io/name%20:%20web', 'label[app_kubernetes_io_name]:"web"'],
  ['filterAnnotations=url:http://x', 'annotation[url]:"http://x"'],
  ['filterDepartments=pa*', 'department<~:"pa"'],
  ['filterTeams=a&filterOwners=b', 'owner:"b"+team:"a"'],
  ['filterProducts=a&filterEnvironments=b', 'environment:"b"+product:"a"'],
  [
    'filterNamespaces=a,b&filterLabels=app:x,app:y,foo:bar',
    'namespace:"a","b"+(label[app]:"x","y"|label[foo]:"bar")',
  ],
  ['filter=namespace:%22a%22%2Bpod:%22b%22', 'namespace:"a"+pod:"b"'],
  ['filter=namespace:%22a%22+pod:%22b%22', 'namespace:"a"+pod:"b"'],
  ['filter=cluster:x&filterNamespaces=a', 'cluster:"x"+namespace:"a"'],
  ['filter=cluster:x|cluster:y&filterNamespaces=a', 'cluster:"x","y"+namespace:"a"'],
  ['filter=cluster:x|pod:y&filterNamespaces=a', '(cluster:"x"|pod:"y")+namespace:"a"'],
];

for (const [query, filter] of READ) {
  test(`'${query}' means ${filter ?? 'everything'}`, () => {
    assert.equal(shown(readFilters(parseQuery(query))), filter);
  });
}

const SHARED: readonly (readonly [query: string, filter: string | null])[] = [
  ['', null],
  ['shareNamespaces=&shareLabels=', null],
  ['shareNamespaces=kube-system,ops', 'namespace:"kube-system","ops"'],
  ['shareNamespaces=kube*', 'namespace<~:"kube"'],
  ['shareLabels=a-b:x,app:y', 'label[a_b]:"x"|label[app]:"y"'],
  ['shareNamespaces=ops&shareLabels=app:y', 'namespace:"ops"|label[app]:"y"'],
];

for (const [query, filter] of SHARED) {
  test(`'${query}' shares the costs of ${filter ?? 'nothing'}`, () => {
    assert.equal(shown(readShares(parseQuery(query))), filter);
  });
}

const manyNames = Array.from({ length: 501 }, (_, i) => `l${i}:x`).join(',');

const REFUSED: readonly (readonly [query: string, parameter: string, message: RegExp])[] = [
  ['filter=pod:a&filter=', 'filter', /came 2 times/],
  ['filter=pods', 'filter', /'pods' at character 1 is not one of cluster, .*did you mean pod\?$/],
  ['filter=pod', 'filter', /the end at character 4 is not an operator/],
  ['filterLabels=app', 'filterLabels', /'app' is not of the form name:value/],
  ['filterLabels=a:b,app:', 'filterLabels', /'app:' is not of the form name:value/],
  ['filterLabels=:web', 'filterLabels', /':web' is not of the form name:value/],
  ['filterAnnotations=:', 'filterAnnotations', /':' is not of the form name:value/],
  ['filterControllers=:web', 'filterControllers', /':web' is not a name or kind:name/],
  ['filterControllers=a,job:', 'filterControllers', /'job:' is not a name or kind:name/],
  [`filterLabels=${manyNames}`, 'filterLabels', /501 comparisons, at most 500 are accepted/],
  ['shareLabels=app', 'shareLabels', /'app' is not of the form name:value/],
];

for (const [query, parameter, message] of REFUSED) {
  test(`'${query.slice(0, 60)}' is refused with 400, naming ${parameter}`, () => {
    const params = parseQuery(query);
    assert.throws(
      () => [readFilters(params), readShares(params)],
      (fault) => {
        assert.ok(fault instanceof Fault, String(fault));
        assert.deepEqual([fault.status, fault.parameter], [400, parameter]);
        assert.match(fault.message, message);
        assert.ok(fault.hint !== undefined && fault.hint !== '', 'a hint');
        return true;
      },
    );
  });
}

test('ten thousand items are one comparison, in the order of their coming', () => {
  const items = Array.from({ length: 10_000 }, (_, i) => i.toString(36));
  const queries: readonly (readonly [string, string])[] = [
    ['filterNamespaces', items.join(',')],
    ['shareNamespaces', items.join(',')],
  ];
  for (const [name, text] of queries) {
    const params = parseQuery(`${name}=${text}`.slice(0, 32 * 1024));
    const filter = readFilters(params) ?? readShares(params);
    assert.ok(filter?.kind === 'comparison', name);
    assert.deepEqual(filter.values.slice(0, 3), ['0', '1', '2']);
    assert.ok(filter.values.length > 8_000, `${filter.values.length} values`);
  }
});

test('any query is either read, into a filter that its text gives again, or refused with 400', () => {
  const words = ['pod', 'label', 'app', 'é', '💰', '%20', '%2B'];
  const unit = fc.constantFrom(...words, ...'[]()"\\:!~<>,*+|='.split(''));
  const name = fc.constantFrom('filter', 'filterPods', 'filterLabels', 'filterControllers');
  const grammar = { parameter: 'filter', fields: ALLOCATION_FIELDS, example: '' };
  const query = fc.tuple(name, fc.string({ unit, maxLength: 12 })).map((pair) => pair.join('='));
  fc.assert(
    fc.property(query, (raw) => {
      const params = parseQuery(raw);
      try {
        const filter = readFilters(params);
        if (filter) assert.deepEqual(parseFilter(formatFilter(filter), grammar), filter);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        assert.equal(error.status, 400);
      }
    }),
    { numRuns: 5000 },
  );
});
