/**
 * A day of 50,000 containers as an allocation set has it: names as long as Kubernetes makes them,
 * 16 measures of which no value is round, starts and ends, and labels by controller.
 */
import { DictionaryBuilder, type Table, type TextColumn } from '../src/columnar/index.ts';
import { seededRandom } from './random.ts';

export const FLEET_TEXTS: readonly string[] = [
  'cluster',
  'node',
  'namespace',
  'controllerKind',
  'controller',
  'pod',
  'container',
  'labels',
  'endSource',
];
export const FLEET_MEASURES: readonly string[] = Array.from(
  { length: 16 },
  (_, i) => `measure${i}`,
);
export const FLEET_NUMBERS: readonly string[] = ['startMs', 'endMs', ...FLEET_MEASURES];

const DAY_MS = 86_400_000;
/** Containers of a pod, pods of a controller, controllers of a namespace. */
const CONTAINERS = 2;
const PODS = 5;
const CONTROLLERS = 25;
const NODE_ROWS = 40;

/** @param day the pods of another day have other names */
export function fleetDay(rows: number, day: number): Table {
  const random = seededRandom(day + 1);
  const startMs = 1_714_521_600_000 + day * DAY_MS;
  const suffix = (): string =>
    Math.floor(random() * 36 ** 5)
      .toString(36)
      .padStart(5, '0');
  const pod = (row: number): number => Math.floor(row / CONTAINERS);
  const controller = (row: number): number => Math.floor(pod(row) / PODS);
  const suffixes = Array.from({ length: pod(rows) + 1 }, suffix);
  const controllerName = (row: number): string => `service-${controller(row)}-backend`;
  const texts = new Map<string, (row: number) => string>([
    ['cluster', () => 'production-eu'],
    ['node', (row) => `ip-10-0-${Math.floor(row / NODE_ROWS)}.eu-central-1.compute.internal`],
    ['namespace', (row) => `team-${Math.floor(controller(row) / CONTROLLERS)}`],
    ['controllerKind', (row) => (controller(row) % 9 === 0 ? 'statefulset' : 'deployment')],
    ['controller', controllerName],
    ['pod', (row) => `${controllerName(row)}-7d9f8b6c5d-${suffixes[pod(row)]}`],
    ['container', (row) => (row % CONTAINERS === 0 ? 'main' : 'istio-proxy')],
    ['labels', (row) => JSON.stringify({ app: controllerName(row), tier: `t${row % 2}` })],
    ['endSource', (row) => (row % 11 === 0 ? 'completionTime' : 'running')],
  ]);
  const numbers = new Map<string, Float64Array>([
    ['startMs', Float64Array.from({ length: rows }, () => startMs + Math.floor(random() * 9e6))],
    ['endMs', Float64Array.from({ length: rows }, () => startMs + DAY_MS)],
    ...FLEET_MEASURES.map((name): [string, Float64Array] => [
      name,
      Float64Array.from({ length: rows }, () => random() * 10),
    ]),
  ]);
  const columns = new Map(
    Array.from(texts, ([name, text]): [string, TextColumn] => [name, codesOf(rows, text)]),
  );
  return {
    rows,
    text: (name) => columns.get(name),
    numbers(name) {
      const values = numbers.get(name);
      return values && { address: 0, values };
    },
  };
}

function codesOf(rows: number, text: (row: number) => string): TextColumn {
  const texts = new DictionaryBuilder();
  return { codes: Uint32Array.from({ length: rows }, (_, row) => texts.code(text(row))), texts };
}
