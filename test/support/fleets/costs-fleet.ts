/**
 * One fleet with every cost in six hours. Everything begins and ends on a minute; of its containers
 * one starts after its pod and one after the window: the pod holds the requests of all from its start.
 */
const MINUTE = 60_000;
export const COSTS_START_MS: number = Date.UTC(2024, 4, 7, 6);
export const WINDOW_MINUTES: number = 360;
export const COSTS_END_MS: number = COSTS_START_MS + WINDOW_MINUTES * MINUTE;

export type Egress = 'zone' | 'region' | 'internet';

/** Minutes from the window's start. */
export type Minutes = readonly [from: number, to: number];
/** Value before `at`, and from it on. */
export type Step = readonly [before: number, at: number, after: number];

export const EVER: Minutes = [-20, WINDOW_MINUTES + 20];
export const CPU_USD: Step = [0.03, 180, 0.05];
export const RAM_USD: number = 0.004;
export const GPU_USD: number = 1.2;
export const EGRESS_USD: Readonly<Record<Egress, Step>> = {
  zone: [0.01, 90, 0.02],
  region: [0.02, 130, 0.05],
  internet: [0.09, 120, 0.12],
};
/** The default price book's storage. */
export const STORAGE_USD: number = 0.04 / 730;

export interface Container {
  readonly name: string;
  readonly cpu: number;
  readonly ramGib: number;
  readonly gpu: number;
  /** Where later than its pod. */
  readonly fromMinute?: number;
}

export interface Pod {
  readonly name: string;
  readonly life: Minutes;
  readonly containers: readonly Container[];
  readonly claims: readonly string[];
  readonly egress?: readonly [kind: Egress, bytesPerSecond: number];
  readonly isBehindWeb?: boolean;
  readonly isOnInterfaces?: boolean;
}

export const PODS: readonly Pod[] = [
  {
    name: 'a', life: EVER, claims: ['grows'], egress: ['internet', 2 ** 20], isOnInterfaces: true,
    containers: [
      { name: 'a1', cpu: 0.5, ramGib: 1, gpu: 1 },
      { name: 'a2', cpu: 0.25, ramGib: 2, gpu: 0, fromMinute: 90 },
      { name: 'later', cpu: 1, ramGib: 1, gpu: 0, fromMinute: 365 },
    ],
  },
  {
    name: 'b', life: [30, 150], claims: ['data'], egress: ['zone', 3 * 2 ** 20], isBehindWeb: true,
    containers: [{ name: 'b1', cpu: 1, ramGib: 0.5, gpu: 0 }],
  },
  {
    name: 'c', life: [120, 200], claims: ['data', 'gone'], egress: ['region', 5 * 2 ** 20],
    containers: [{ name: 'c1', cpu: 2, ramGib: 4, gpu: 2 }],
  },
  {
    name: 'd', life: [300, 330], claims: ['grows'], isBehindWeb: true,
    containers: [{ name: 'd1', cpu: 0.1, ramGib: 0.25, gpu: 0 }],
  },
  // Between the points of most resolutions.
  {
    name: 'e', life: [61, 62], claims: ['brief'], isBehindWeb: true,
    containers: [{ name: 'e1', cpu: 0.3, ramGib: 0.1, gpu: 0 }],
  },
]; // prettier-ignore

export interface Volume {
  readonly name: string;
  readonly life: Minutes;
  readonly gib: Step;
  readonly usd?: number;
  readonly claim?: readonly [namespace: string, name: string];
  /** Only its claim tells of it. */
  readonly isUntold?: boolean;
}

export function steady(value: number): Step {
  return [value, 0, value];
}

export const VOLUMES: readonly Volume[] = [
  { name: 'v1', life: EVER, gib: steady(10), usd: 0.001, claim: ['shop', 'data'] },
  { name: 'v2', life: EVER, gib: [4, 120, 8], usd: 0.003, claim: ['shop', 'grows'] },
  { name: 'v3', life: [60, 240], gib: steady(2), usd: 0.002 },
  { name: 'v4', life: EVER, gib: steady(6), claim: ['idle', 'lonely'] },
  { name: 'v5', life: [10, 310], gib: steady(3), claim: ['idle', 'untold'], isUntold: true },
  { name: 'v6', life: [61, 62], gib: steady(50), usd: 0.7, claim: ['shop', 'brief'] },
];

export interface Balancer {
  readonly service: string;
  readonly life: Minutes;
  readonly usd: Step;
}

export const BALANCERS: readonly Balancer[] = [
  { service: 'web', life: EVER, usd: [0.025, 100, 0.04] },
  { service: 'orphan', life: [60, 300], usd: steady(0.05) },
];

export const INTERFACES: Readonly<Record<string, number>> = { eth0: 1000, eth1: 300 };
