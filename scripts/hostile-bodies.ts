/** Bodies that routes take, and bodies that break parsers. */
import { gzipSync } from 'node:zlib';
import type { Seeded } from './seeded.ts';

/** What the server takes for now, so that a seed's requests mean the same on any day. */
export const NOW = '2026-11-22T12:00:00Z';

/** By which costs are pushed. */
export const TOKEN = 'hostile-costs-are-pushed';

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: main
          resources:
            requests: {cpu: 100m, memory: 64Mi}
`;

/** By the path, without what stands before it. */
export function validBody(random: Seeded, path: string): string {
  if (path === '/prediction/speccost') {
    const count = random.is(0.002) ? 5000 : 1 + random.below(5);
    return Array.from({ length: count }, () => DEPLOYMENT).join('---\n');
  }
  if (path.endsWith('/configs')) return random.of(['{"idle":"hide"}', '{"idle":"shareByCluster"}']);
  if (path.startsWith('/collection')) return collection(random);
  if (path.endsWith('/plan') || path.endsWith('/planV2')) return recommendations(random);
  if (path.endsWith('/apply')) return plan(random);
  if (path.endsWith('/undo')) return random.of(['', '{}', '{"id":"000001-20260101T120000000Z"}']);
  if (path === '/customCost') return pushed(random);
  if (path === '/mcp') return message(random);
  return '{}';
}

/** A message of the Model Context Protocol. */
function message(random: Seeded): string {
  const tool = random.of([
    'allocations',
    'assets',
    'savings',
    'predict_cost',
    'data_quality',
    'nothing',
  ]);
  const args = random.of([{}, { window: '2d' }, { window: 'x', limit: -1 }, { windwo: [[]] }, { manifests: DEPLOYMENT, clusterID: 'production' }]); // prettier-ignore
  const call = { method: 'tools/call', params: { name: tool, arguments: args } };
  const rest = random.of([
    call,
    call,
    { method: 'tools/list' },
    { method: 'ping' },
    { method: 'none' },
  ]);
  return JSON.stringify({ jsonrpc: '2.0', id: random.below(3), ...rest });
}

function collection(random: Seeded): string {
  const group = {
    selectors: { kubernetes: { kind: 'container', filterString: 'namespace:"shop"' } },
  };
  const groups = Array.from({ length: random.below(4) }, () => group);
  return JSON.stringify({ name: `fuzz ${random.below(40)}`, category: 'Fuzz', groups });
}

function recommendations(random: Seeded): string {
  const rows = Array.from({ length: random.is(0.002) ? 20_000 : random.below(5) }, (_, i) => ({
    clusterID: 'production',
    namespace: 'shop',
    controllerKind: 'deployment',
    controllerName: `shop-${i % 300}`,
    containerName: 'main',
    recommendedRequest: { cpu: '10m', memory: '20Mi' },
  }));
  return JSON.stringify({ Recommendations: rows });
}

function plan(random: Seeded): string {
  const target = { TargetCPURequestMillicores: 100, TargetRAMRequestBytes: 2 ** 27 };
  const controllers = Array.from(
    { length: random.is(0.002) ? 20_000 : random.below(3) },
    (_, i) => ({
      Name: `shop-${i}`,
      Kind: 'deployment',
      ContainerPlans: { main: target },
    }),
  );
  return JSON.stringify({ production: { shop: controllers } });
}

function pushed(random: Seeded): string {
  const day = new Date(Date.parse(NOW) - 86_400_000).toISOString().slice(0, 10);
  const cost = {
    start: `${day}T00:00:00Z`,
    end: `${day}T01:00:00Z`,
    domain: 'fuzz',
    billedCost: 1,
  };
  return Array.from({ length: 1 + random.below(20) }, () => `${JSON.stringify(cost)}\n`).join('');
}

type Maker = (random: Seeded) => string | Buffer;

/** Characters; long ones are rare, as each takes a worker a second. */
const SIZES = [50, 100, 500, 1000, 2000, 5000, 10_000, 20_000];
const LONG_SIZES = [100_000, 500_000, 2_000_000];
const size = (random: Seeded): number => random.of(random.is(0.04) ? LONG_SIZES : SIZES);
/** Text again and again, of about so many characters. */
const filled = (random: Seeded, text: string): string =>
  text.repeat(Math.ceil(size(random) / text.length));

const OPENERS = ['[', '{', '(', '- ', '& ', '* ', '? ', ': ', '! ', '| ', '> ', '"', "'", '{a: ', '[{"a":', '{"a":[', '&a ', '*a ', '!!map ', '- - ', '? - ', '\t', '%', '#', '---\n', '...\n', ', ', '\\', '\n', '\r\n', '`', '@', '<<: ', '!t ', 'a: ', 'a:\n ']; // prettier-ignore

export const HOSTILE_BODIES: readonly Maker[] = [
  (random) => filled(random, random.of(OPENERS)),
  (random) => filled(random, random.of(OPENERS) + random.of(OPENERS)),
  (random) => filled(random, random.of(OPENERS) + random.of(OPENERS) + random.of(OPENERS)),
  (random) => `{"name":${filled(random, random.of(['[', '{"a":', '[[],']))}`,
  (random) => {
    const depth = random.of([10, 63, 64, 65, 1000, 10_000, 100_000]);
    const [open, close] = random.of([['[', ']'], ['{"a":', '}'], ['{"kind":"List","items":[', ']}']] as const); // prettier-ignore
    return `{"name":${open.repeat(depth)}${open === '{"a":' ? '1' : ''}${close.repeat(depth)}}`;
  },
  (random) => `[${filled(random, '1,')}1]`,
  (random) => `[${filled(random, '{},')}{}]`,
  (random) => `{${Array.from({ length: size(random) / 10 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
  (random) => Array.from({ length: size(random) / 10 }, (_, i) => `k${i}: ${i}\n`).join(''),
  (random) => Array.from({ length: size(random) / 10 }, (_, i) => `- &a${i} x\n`).join(''),
  (random) => `a: &a [x]\nb: [${filled(random, '*a, ')}*a]\n`,
  (random) => {
    const wide = random.of([2, 9, 50]);
    const line = (i: number): string =>
      `a${i}: &a${i} [${Array.from({ length: wide }, () => `*a${i - 1}`).join(', ')}]\n`;
    return `a0: &a0 [x]\n${Array.from({ length: 30 }, (_, i) => line(i + 1)).join('')}`;
  },
  (random) => `{"${filled(random, 'k')}":1}`,
  (random) => `? ${filled(random, 'k')}\n: 1\n`,
  (random) => `a: "${filled(random, random.of(['x', ' ', '\\', '\\n', '\n', '\n   ', '\\"']))}"`,
  (random) => `a: |\n${filled(random, random.of(['  x\n', '\n', '   ', '  \t\n']))}`,
  (random) => `a: "b\n${' '.repeat(size(random) / 2)}${'x'.repeat(size(random) / 2)}"`,
  (random) => `a:\n${filled(random, random.of(['# c\n', '\n', '   # c\n', ' \n']))}  1`,
  (random) => `a: ${filled(random, random.of(['!t ', '&a ', '- ', '9', '1e', '0x', '-', ': ']))}`,
  (random) => filled(random, `---\n${random.of(['', 'a\n', '{}\n', '%T\n', '"\n'])}`),
  (random) =>
    `%YAML 1.1\n${Array.from({ length: 2000 }, (_, i) => `%TAG !a${i}! x\n`).join('')}${filled(random, '---\na\n')}`,
  () =>
    '{"__proto__":{"name":"a"},"constructor":{"prototype":{}},"name":"x","category":"__proto__"}',
  () =>
    '{"kind":"Deployment","metadata":{"name":"__proto__"},"spec":{"replicas":1e308,"template":{"spec":{"containers":[{"name":"__proto__","resources":{"requests":{"cpu":"1e999999999","memory":"-1"}}}]}}}}',
  (random) =>
    `{"name":"n","groups":[{"selectors":{"kubernetes":{"filterString":${JSON.stringify(filled(random, random.of(['(', 'pod:a|', 'pod:a+', 'pod:"', 'label[', 'a,', ' '])))}}}}]}`,
  (random) => Buffer.alloc(size(random), random.of([0, 0xff, 0xc0, 0x80, 0xed, 0xf4, 0xfe])),
  (random) =>
    Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from('{"name":"a"}', 'utf16le'),
      Buffer.alloc(random.below(3)),
    ]),
  () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"name":"bom"}')]),
  (random) => gzipSync(filled(random, DEPLOYMENT)).subarray(0, 1 + random.below(500)),
  (random) => Buffer.from(Array.from({ length: random.below(5000) }, () => random.below(256))),
  (random) =>
    filled(random, '{"start":"2026-01-01T00:00:00Z","end":"x","domain":"d","billedCost":1}\n'),
  (random) => filled(random, `${'['.repeat(random.below(300))}\n`),
  (random) => filled(random, `---\n${DEPLOYMENT}`),
];
