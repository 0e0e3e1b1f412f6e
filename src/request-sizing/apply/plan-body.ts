/** The plan, which `plan` answers and `apply` takes. */
import { Fault, shapeOf, type Shape } from '../../query/index.ts';
import { nanosOf, type Wanted } from './amounts.ts';
import { readKind, type ControllerName } from './controller.ts';
import { isRecommendation } from './plan-input.ts';

/** Controllers by cluster, then by namespace. */
export type SizingPlanBody = Readonly<Record<string, Readonly<Record<string, ControllerPlan[]>>>>;

export interface ControllerPlan {
  readonly Name: string;
  readonly Kind: string;
  readonly ContainerPlans: Readonly<Record<string, ContainerPlan>>;
}

export interface ContainerPlan {
  readonly TargetCPURequestMillicores: number;
  /** 0, as for the CPU: the request stays as it is. */
  readonly TargetRAMRequestBytes: number;
}

/** The part of a plan for one controller. */
export interface Target {
  readonly controller: ControllerName;
  readonly containers: ReadonlyMap<string, Wanted>;
}

const EXAMPLE =
  '{"cluster-one":{"web":[{"Name":"shop","Kind":"deployment","ContainerPlans":' +
  '{"app":{"TargetCPURequestMillicores":125,"TargetRAMRequestBytes":67108864}}}]}}';

/** Names as the API takes them in paths: without slashes, and without dots at an end. */
const NAME = {
  type: 'string',
  maxLength: 253,
  pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
} as const;

export const PLAN: Shape<SizingPlanBody> = shapeOf<SizingPlanBody>(
  {
    type: 'object',
    additionalProperties: {
      type: 'object',
      propertyNames: NAME,
      additionalProperties: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            Name: NAME,
            Kind: { type: 'string' },
            ContainerPlans: {
              type: 'object',
              propertyNames: NAME,
              additionalProperties: {
                type: 'object',
                properties: {
                  TargetCPURequestMillicores: { type: 'number', minimum: 0, maximum: 1e9 },
                  TargetRAMRequestBytes: { type: 'number', minimum: 0, maximum: 2 ** 53 },
                },
                required: ['TargetCPURequestMillicores', 'TargetRAMRequestBytes'],
              },
              required: [],
            },
          },
          required: ['Name', 'Kind', 'ContainerPlans'],
        },
      },
      required: [],
    },
    required: [],
  },
  EXAMPLE,
);

/** @throws {Fault} 400 naming the field; 422 for a cluster that is not `clusterId` */
export function readTargets(value: unknown, clusterId: string): Target[] {
  if (isRecommendation(value)) {
    throw new Fault('this is a recommendation, and apply takes a plan', {
      hint: 'POST it to /cluster/requestsizer/plan, look at what comes back, and send that here',
    });
  }
  const plan = PLAN(value, 'the body');
  const other = Object.keys(plan).find((cluster) => cluster !== clusterId);
  if (other !== undefined) {
    throw new Fault(`'${other.slice(0, 80)}' of the body is another cluster`, {
      status: 422,
      parameter: other.slice(0, 80),
      hint: `requests can be changed in ${clusterId} alone`,
    });
  }
  const seen = new Set<string>();
  return Object.entries(plan[clusterId] ?? {}).flatMap(([namespace, controllers]) =>
    controllers.map((each, i) =>
      targetOf(each, namespace, `${clusterId}.${namespace}[${i}]`, seen),
    ),
  );
}

function targetOf(
  { Name: name, Kind, ContainerPlans }: ControllerPlan,
  namespace: string,
  at: string,
  seen: Set<string>,
): Target {
  const kind = readKind(Kind);
  if (kind === undefined) {
    const message = `'${at}.Kind' of the body is '${Kind.slice(0, 80)}'; it takes deployment, daemonset, statefulset or replicaset`;
    throw new Fault(message, { parameter: `${at}.Kind`, hint: `for example ${EXAMPLE}` });
  }
  const key = `${namespace}/${kind}/${name}`;
  if (seen.has(key)) {
    throw new Fault(`'${at}' of the body is ${Kind} ${name}, which stands before it already`, {
      parameter: at,
      hint: 'a controller stands in a plan once',
    });
  }
  seen.add(key);
  const containers = Object.entries(ContainerPlans).map(([container, targets]) => {
    const { TargetCPURequestMillicores: cpu, TargetRAMRequestBytes: ram } = targets;
    const wanted: Wanted = {
      cpu: cpu === 0 ? undefined : nanosOf(cpu, 'cpu'),
      memory: ram === 0 ? undefined : nanosOf(ram, 'memory'),
    };
    return [container, wanted] as const;
  });
  return { controller: { kind, namespace, name }, containers: new Map(containers) };
}
