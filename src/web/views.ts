/** The views, in the order of the bar: a view is a file of its own and a line here. */
import type { VNode } from './preact.ts';
import { Allocations } from './views/allocations.tsx';
import { Overview } from './views/overview.tsx';

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
];
