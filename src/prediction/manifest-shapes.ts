/** Shapes of the parts of manifests that are read: https://kubernetes.io/docs/reference/kubernetes-api */
import { shapeOf, type Shape } from '../query/index.ts';

export type Quantities = Readonly<Record<string, string | number>> | null;

export interface ContainerSpec {
  readonly name: string;
  readonly restartPolicy?: string | null;
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities } | null;
}

export interface PodSpec {
  readonly containers: readonly ContainerSpec[];
  readonly initContainers?: readonly ContainerSpec[] | null;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string | null;
}

export interface PodManifest {
  readonly metadata: Metadata;
  readonly spec: PodSpec;
}

export interface ReplicatedManifest {
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas?: number | null;
    readonly template: { readonly spec: PodSpec };
  };
}

export const EXAMPLE: string =
  '{"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2,"template":{"spec":' +
  '{"containers":[{"name":"main","resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}}}';

const REPLICAS_MAX = 1_000_000;

const QUANTITIES = {
  type: 'object',
  nullable: true,
  required: [],
  additionalProperties: { type: ['string', 'number'] },
} as const;

const CONTAINERS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1 },
      restartPolicy: { type: 'string', nullable: true },
      resources: {
        type: 'object',
        nullable: true,
        properties: { requests: QUANTITIES, limits: QUANTITIES },
      },
    },
  },
} as const;

const POD_SPEC = {
  type: 'object',
  required: ['containers'],
  properties: {
    containers: { ...CONTAINERS, minItems: 1 },
    initContainers: { ...CONTAINERS, nullable: true },
  },
} as const;

const METADATA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1 },
    namespace: { type: 'string', nullable: true },
  },
} as const;

export const podOf: Shape<PodManifest> = shapeOf<PodManifest>(
  {
    type: 'object',
    required: ['metadata', 'spec'],
    properties: { metadata: METADATA, spec: POD_SPEC },
  },
  EXAMPLE,
);

export const replicatedOf: Shape<ReplicatedManifest> = shapeOf<ReplicatedManifest>(
  {
    type: 'object',
    required: ['metadata', 'spec'],
    properties: {
      metadata: METADATA,
      spec: {
        type: 'object',
        required: ['template'],
        properties: {
          replicas: { type: 'integer', nullable: true, minimum: 0, maximum: REPLICAS_MAX },
          template: { type: 'object', required: ['spec'], properties: { spec: POD_SPEC } },
        },
      },
    },
  },
  EXAMPLE,
);
