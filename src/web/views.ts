/** The views, in the order of the bar: a view is a file of its own and a line here. */
import type { VNode } from './preact.ts';
import { Allocations } from './views/allocations.tsx';
import { Assets } from './views/assets.tsx';
import { Cloud } from './views/cloud.tsx';
import { Collections } from './views/collections.tsx';
import { Events } from './views/events.tsx';
import { Overview } from './views/overview.tsx';
import { Savings } from './views/savings.tsx';
import { Status } from './views/status.tsx';

export interface View {
  readonly id: string;
  readonly title: string;
  /** After `g`. */
  readonly key: string;
  readonly Content: () => VNode;
}

export const VIEWS: readonly View[] = [
  { id: 'overview', title: 'Overview', key: 'o', Content: Overview },
  { id: 'allocations', title: 'Allocations', key: 'a', Content: Allocations },
  { id: 'assets', title: 'Assets', key: 'n', Content: Assets },
  { id: 'cloud', title: 'Cloud', key: 'b', Content: Cloud },
  { id: 'savings', title: 'Savings', key: 's', Content: Savings },
  { id: 'collections', title: 'Collections', key: 'c', Content: Collections },
  { id: 'events', title: 'Events', key: 'e', Content: Events },
  { id: 'status', title: 'Status', key: 't', Content: Status },
];
