/** Recorded requests of collections: made, changed, asked for costs, and removed. */
import { conditional, DAYS, get, gets, otherwise, post, send, type RecordedRequest } from './recorded-request.ts'; // prettier-ignore

const ROOT = '/model/collections';
const NOBODY = '00000000-0000-4000-8000-000000000000';

const pods = (filterString: string): object => ({
  selectors: { kubernetes: { kind: 'container', filterString } },
});
const items = (filterString: string): object => ({ selectors: { cloud: { filterString } } });

const SHOP = { name: 'Shop', category: 'Team', groups: [pods('namespace:"web","payments"'), items('service:"AmazonS3"')] }; // prettier-ignore
const DATA = { name: 'Data', category: 'Team', groups: [pods('namespace:"data"|label[team]:"payments"'), items('label[team]:"data-platform"')] }; // prettier-ignore

const BAD: readonly (readonly [note: string, body: unknown])[] = [
  ['no JSON', '{"name":'],
  ['nothing', ''],
  ['a list', '[]'],
  ['no name', {}],
  ['an empty name', { name: ' ' }],
  ['an unknown field', { name: 'x', colour: 'red' }],
  ['a filter that does not parse', { name: 'x', groups: [pods('namespace:"')] }],
  ['a field of the other domain', { name: 'x', groups: [items('namespace:"web"')] }],
  ['a group of nothing', { name: 'x', groups: [{ selectors: {} }] }],
  ['a kind that is not there', { name: 'x', groups: [{ selectors: { kubernetes: { kind: 'pod', filterString: '' } } }] }],
  ['too long', { name: 'x'.repeat(140_000) }],
  ['the same name', SHOP],
]; // prettier-ignore

/** Questions by the spelling of either path. */
const ASKED: readonly (readonly [end: string, query: string])[] = [
  ['total', ''],
  ['timeseries', ''],
  ['complement', ''],
  ['complement/cloud', '&aggregate=service'],
  ['complement/kubernetes', '&aggregate=namespace'],
];

function costs(idle: string): RecordedRequest[] {
  const note = `idle ${idle}`;
  return ASKED.flatMap(([end, query]) => [
    get(`${ROOT}/query/${end}?category=Team&${DAYS}${query}`, { note }),
    get(`/model/collection/query/${end}?id={shop}&${DAYS}${query}`, { note }),
  ]);
}

const idleOf = (idle: unknown, more: object): RecordedRequest =>
  send('PUT', '/model/collection/configs', JSON.stringify({ idle }), more);

const QUERIED = [
  `?${DAYS}`,
  `?id=${NOBODY}&${DAYS}`,
  `?id={shop}&category=Team&${DAYS}`,
  '?id={shop}&window=x',
];

export const COLLECTION_REQUESTS: readonly RecordedRequest[] = [
  get(ROOT, { note: 'at first' }),
  get(`${ROOT}/query/total?category=Team&${DAYS}`, { note: 'at first' }),
  post(ROOT, SHOP, { makes: 'shop', note: 'shop' }),
  post('/collection', DATA, { makes: 'data', note: 'data' }),
  post('/model/collection', { name: 'Rest' }, { makes: 'rest', note: 'rest' }),
  post('/collections', { name: 'Shop', category: 'Other', groups: [pods('')] }, { makes: 'other', note: 'other' }),
  ...BAD.map(([note, body]) => post(ROOT, body, { note })),
  get(ROOT),
  ...gets('/collection', ['', '?id={shop}', '?category=Team', '?category=None', '?id=x', `?id=${NOBODY}`]),
  ...gets('/collections', ['?id={data}', '?category=Other']),
  send('PUT', '/model/collection?id={rest}', JSON.stringify({ name: 'Rest', category: 'More', groups: [items('')] })),
  send('PUT', '/collections?id={rest}', JSON.stringify({ name: 'Rest' }), { note: 'another was expected', headers: { 'if-match': '"x"' } }),
  send('PUT', '/collections?id={rest}', JSON.stringify({ id: '{rest}', name: 'Rest' }), { note: 'another id in the body' }),
  send('PUT', '/collections?id={rest}', JSON.stringify({ name: 'Shop', category: 'Team' }), { note: 'a name of another' }),
  send('PUT', `/collection?id=${NOBODY}`, JSON.stringify({ name: 'x' })),
  send('PUT', '/model/collections', JSON.stringify({ name: 'x' })),
  ...['/model/collection', '/collections'].map((root) => get(`${root}/configs`)),
  ...costs('hide'),
  idleOf('shareByCluster', { note: 'by cluster' }),
  ...costs('shareByCluster'),
  send('POST', '/collection/configs', '{"idle":"shareByNode"}', { note: 'by node' }),
  ...costs('shareByNode'),
  send('POST', '/model/collections/configs', '{"idle":"hide"}', { note: 'hidden again' }),
  send('PUT', '/collections/configs', '{"idle":"show"}', { note: 'an unknown word' }),
  idleOf(undefined, { note: 'nothing' }),
  ...gets(`${ROOT}/query/total?category=Team&${DAYS}&collections=`, ['true', 'yes']),
  ...gets(`${ROOT}/query/total?category=Team&${DAYS}&overlaps=`, ['true', 'yes']),
  ...gets(`/model/collection/query/total?id={shop}&${DAYS}&groups=`, ['true', 'all']),
  post(`${ROOT}/query/total?${DAYS}`, SHOP, { note: 'a draft' }),
  post(`/collection/query/total?${DAYS}&groups=true`, { ...DATA, name: 'Shop' }, { note: 'a draft with groups' }),
  post(`${ROOT}/query/total?${DAYS}`, { name: 'x', groups: [pods('namespace:"')] }, { note: 'a draft that does not parse' }),
  post(`${ROOT}/query/total`, SHOP, { note: 'a draft of no window' }),
  ...gets(`${ROOT}/query/complement/cloud?category=Team&${DAYS}`, ['', '&aggregate=category,label:team', '&aggregate=pod', '&filter=provider%3A%22AWS%22', '&filter=x', '&aggregate=service&limit=1&offset=1', '&limit=x', '&offset=x']),
  ...gets(`/model/collection/query/complement/kubernetes?id={data}&${DAYS}`, ['', '&aggregate=cluster,controller', '&aggregate=shop', '&filter=namespace%3A%22web%22', '&filter=x', '&filterNamespaces=web', '&filterLabels=x', '&aggregate=pod&limit=2&offset=3', '&limit=-1']),
  ...ASKED.flatMap(([end]) => gets('/collections/query/', [`${end}?${DAYS}`, `${end}?category=Team`, `${end}?category=Nobody&${DAYS}`])),
  ...ASKED.flatMap(([end]) => gets(`/collection/query/${end}`, QUERIED)),
  ...ASKED.flatMap(([end, query]) => conditional(`/collections/query/${end}?category=Team&${DAYS}${query}`)),
  ...otherwise(`${ROOT}/query/total?category=Team&${DAYS}`),
  ...otherwise('/model/collection'),
  ...otherwise('/model/collections/configs'),
  send('DELETE', '/model/collection?id={other}', ''),
  send('DELETE', '/collections?id={other}', ''),
  send('DELETE', '/collection', ''),
  send('DELETE', '/model/collections?id={rest}', ''),
  get(ROOT, { note: 'at last' }),
  get(ROOT, { server: 'empty' }),
]; // prettier-ignore
