/**
 * The input of `plan`: an answer of endpoint 7 in any of its shapes.
 *
 *     {"controllers":[{name, kind, namespace, clusterId, containers: {c: {requests: {cpu, ram}}}}]}
 *     [{clusterID, namespace, controllerKind, controllerName, containerName, recommendedRequest}]
 *     {"Recommendations": [as above]}
 */
import { Fault, readQuantity, shapeOf, type Shape } from '../../query/index.ts';
import type { Resource, Wanted } from './amounts.ts';

export interface Recommendation {
  readonly clusterId: string;
  readonly namespace: string;
  /** As the recommendation has it; '' where it has none. */
  readonly kind: string;
  readonly controller: string;
  readonly container: string;
  readonly wanted: Wanted;
}

type Amount = string | number;

interface Pair {
  readonly cpu?: Amount;
  readonly memory?: Amount;
  readonly ram?: Amount;
}

interface Row {
  readonly clusterID: string;
  readonly namespace: string;
  readonly controllerKind: string;
  readonly controllerName: string;
  readonly containerName: string;
  readonly recommendedRequest: Pair;
}

interface Controller {
  readonly name: string;
  readonly kind?: string;
  readonly namespace: string;
  readonly clusterId: string;
  readonly containers: Readonly<Record<string, Sized>>;
}

interface Sized {
  readonly target?: Pair;
  readonly requests?: Pair;
}

const EXAMPLE =
  '[{"clusterID":"c","namespace":"web","controllerKind":"deployment","controllerName":"shop",' +
  '"containerName":"app","recommendedRequest":{"cpu":"125m","memory":"64Mi"}}]';

/** Names in Kubernetes have neither slashes nor control characters. */
const TEXT = { type: 'string', maxLength: 253, pattern: '^[^/\\\\\\u0000-\\u001f]*$' } as const;
const AMOUNT = { type: ['string', 'number'], nullable: true } as const;
const PAIR = { type: 'object', properties: { cpu: AMOUNT, memory: AMOUNT, ram: AMOUNT } } as const;

const ROW = {
  type: 'object',
  properties: {
    clusterID: { type: 'string', maxLength: 253 },
    namespace: TEXT,
    controllerKind: TEXT,
    controllerName: TEXT,
    containerName: TEXT,
    recommendedRequest: PAIR,
  },
  required: [
    'clusterID',
    'namespace',
    'controllerKind',
    'controllerName',
    'containerName',
    'recommendedRequest',
  ],
} as const;

const CONTROLLER = {
  type: 'object',
  properties: {
    name: TEXT,
    kind: { ...TEXT, nullable: true },
    namespace: TEXT,
    clusterId: { type: 'string', maxLength: 253 },
    containers: {
      type: 'object',
      propertyNames: TEXT,
      additionalProperties: {
        type: 'object',
        properties: { target: { ...PAIR, nullable: true }, requests: { ...PAIR, nullable: true } },
      },
      required: [],
    },
  },
  required: ['name', 'namespace', 'clusterId', 'containers'],
} as const;

export const rowsShape: Shape<readonly Row[]> = shaped<readonly Row[]>({
  type: 'array',
  items: ROW,
});
export const recommendationsShape: Shape<{ readonly Recommendations: readonly Row[] }> = shaped<{
  readonly Recommendations: readonly Row[];
}>({
  type: 'object',
  properties: { Recommendations: { type: 'array', items: ROW } },
  required: ['Recommendations'],
});
export const controllersShape: Shape<{ readonly controllers: readonly Controller[] }> = shaped<{
  readonly controllers: readonly Controller[];
}>({
  type: 'object',
  properties: { controllers: { type: 'array', items: CONTROLLER } },
  required: ['controllers'],
});

/** The types of ajv cannot express amounts, which are texts or numbers. */
function shaped<T>(schema: object): Shape<T> {
  return shapeOf<T>(schema as Parameters<typeof shapeOf<T>>[0], EXAMPLE);
}

/**
 * @returns recommendations sorted by name
 * @throws {Fault} naming the field, what it has and what it takes
 */
export function readRecommendations(value: unknown): Recommendation[] {
  const named = recommendationsIn(value).map((each) => ({ each, name: recommendationName(each) }));
  named.sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
  return named.map(({ each }) => each);
}

export function recommendationName(each: Recommendation): string {
  const { clusterId, namespace, kind, controller, container } = each;
  return `${clusterId}/${namespace}/${kind}:${controller}/${container}`;
}

function recommendationsIn(value: unknown): Recommendation[] {
  const what = 'the body';
  if (Array.isArray(value)) return rowsShape(value, what).map((row, i) => rowAt(row, `[${i}]`));
  const isV1 = Array.isArray((Object(value) as { controllers?: unknown }).controllers);
  if (!isV1) {
    const rows = recommendationsShape(value, what).Recommendations;
    return rows.map((row, i) => rowAt(row, `Recommendations[${i}]`));
  }
  return controllersShape(value, what).controllers.flatMap((controller, i) =>
    Object.entries(controller.containers).map(([container, { target, requests }]) => ({
      clusterId: controller.clusterId,
      namespace: controller.namespace,
      kind: controller.kind ?? '',
      controller: controller.name,
      container,
      wanted: wantedOf(target ?? requests ?? {}, `controllers[${i}].containers.${container}`),
    })),
  );
}

/** Whether it is an answer of endpoint 7, and so no plan. */
export function isRecommendation(value: unknown): boolean {
  const { controllers, Recommendations } = Object(value) as Readonly<Record<string, unknown>>;
  const isObject = Array.isArray(controllers) || Array.isArray(Recommendations);
  return Array.isArray(value) || isObject || Recommendations === null;
}

function rowAt(row: Row, at: string): Recommendation {
  return {
    clusterId: row.clusterID,
    namespace: row.namespace,
    kind: row.controllerKind,
    controller: row.controllerName,
    container: row.containerName,
    wanted: wantedOf(row.recommendedRequest, `${at}.recommendedRequest`),
  };
}

function wantedOf({ cpu, memory, ram }: Pair, at: string): Wanted {
  return {
    cpu: nanosAt(cpu, 'cpu', `${at}.cpu`),
    memory: nanosAt(memory ?? ram, 'memory', `${at}.memory`),
  };
}

/** A million cores, 2^53 bytes. */
const MOST: Readonly<Record<Resource, bigint>> = {
  cpu: 1_000_000n * 10n ** 9n,
  memory: 2n ** 53n * 10n ** 9n,
};

function nanosAt(
  amount: Amount | null | undefined,
  resource: Resource,
  at: string,
): bigint | undefined {
  if (amount === undefined || amount === null) return undefined;
  const nanos = readQuantity(String(amount));
  if (nanos !== undefined && nanos >= 0n && nanos <= MOST[resource]) return nanos;
  const [accepted, example] = resource === 'cpu' ? ['cores', '"125m"'] : ['memory', '"64Mi"'];
  throw new Fault(
    `'${at}' of the body is '${String(amount).slice(0, 80)}'; it takes an amount of ${accepted}`,
    { parameter: at, hint: `for example ${example}` },
  );
}
