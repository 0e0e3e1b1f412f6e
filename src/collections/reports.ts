/** Costs of collections, and of everything outside of them, day by day. */
import type { PageLimits } from '../http/index.ts';
import type { Filter, WarningLike } from '../query/index.ts';
import { costOf, costOfRows, type Cost } from './cost.ts';
import { byResource, sumOf, type DayEntries, type Entry } from './entries.ts';
import type { Idle } from './idle.ts';
import { itemsOf, pageOf } from './items.ts';
import { Matches, type Domains } from './matches.ts';
import { rowsOutside, rowsIn, within, type Selection } from './selection.ts';
import type { RowsQuery, CloudCosts, Entries, Items, KubernetesCosts, Times } from './sources.ts';

export interface Sources {
  readonly kubernetes: KubernetesCosts;
  readonly cloud: CloudCosts;
}

/** Days are oldest first. */
export interface Report<Day> {
  readonly days: readonly Day[];
  readonly warnings: readonly WarningLike[];
}

export interface Costs {
  readonly whole: Cost;
  readonly parts: readonly Cost[];
}

/** Costs outside of a selection, without those that both domains report. */
export interface Outside {
  readonly cost: Cost;
  readonly entries: readonly Entry[];
  readonly idleBy?: ReadonlyMap<string, number>;
  /** Nothing was taken out of the rows. */
  readonly isWhole: boolean;
}

/** The filter and names of rows outside of a selection. */
export type Narrowed = Pick<RowsQuery, 'filter' | 'aggregate' | 'idleNames' | 'idleByNode'>;

const ALL: Narrowed = { filter: null, aggregate: '' };

/** Entries of both domains, day by day. */
interface Found {
  readonly kubernetes: Entries;
  readonly cloud: Entries;
}

/** All rows and bill items. */
interface Estate extends Found {
  /** Resources that Kubernetes rows name. */
  readonly resources: ReadonlySet<string>;
}

export class Reports {
  readonly #sources: Sources;
  readonly #scope: Filter | null;

  /** @param scope Kubernetes rows that selections are limited to; null: all */
  constructor(sources: Sources, scope: Filter | null = null) {
    this.#sources = sources;
    this.#scope = scope;
  }

  /** Costs of a selection, and of each of its parts by itself. */
  async costs(
    times: Times,
    idle: Idle,
    whole: Selection,
    parts: readonly Selection[],
  ): Promise<Report<Costs>> {
    const estate = await this.#estate(times, idle);
    const all: Found[] = [];
    // In sequence, as each one reads all days at once.
    for (const each of [whole, ...parts]) {
      all.push(await this.#selected(times, idle, each, estate));
    }
    const days = times.days.map((_, day) => {
      const matches = new Matches(domainsOf(estate, day));
      const [first, ...rest] = all.map((found) => costOf(matches, domainsOf(found, day)));
      if (first === undefined) throw new Error('BUG: a report of nothing');
      return { whole: first, parts: rest };
    });
    return { days, warnings: warningsOf([estate, ...all]) };
  }

  /** The queried Kubernetes rows outside of a selection. */
  async kubernetesOutside(
    times: Times,
    idle: Idle,
    selection: Selection,
    narrowed: Narrowed = ALL,
  ): Promise<Report<Outside>> {
    const { kubernetes } = this.#sources;
    const rows = rowsOutside(selection.kubernetes);
    const outside = await kubernetes.outside(times, { rows, ...narrowed }, idle);
    const estate = await this.#estate(times, idle);
    const selected = await this.#selected(times, idle, selection, estate);
    const days = outside.days.map((entries, day): Outside => {
      const matches = new Matches(domainsOf(estate, day));
      const own = domainsOf(selected, day);
      const left = matches.rowsOutside(entries, own);
      const isWhole = matches.cloudOfRows(own).size === 0;
      const { idleBy } = entries;
      return { cost: costOfRows(left), entries: left, isWhole, ...(idleBy ? { idleBy } : {}) };
    });
    return { days, warnings: warningsOf([estate, selected], outside) };
  }

  /** The items of `kubernetesOutside`. @param known the same report without an aggregate */
  async kubernetesItems(
    times: Times,
    idle: Idle,
    selection: Selection,
    narrowed: Narrowed,
    known: Report<Outside>,
    page: PageLimits,
  ): Promise<Items> {
    if (!known.days.every(({ isWhole }) => isWhole)) {
      const { days } = await this.kubernetesOutside(times, idle, selection, narrowed);
      return pageOf(itemsOf(days), page);
    }
    // Without anything taken out, workers add up all days, and only the items of the page cross threads.
    const most = page.limit === null ? null : page.offset + page.limit;
    const rows = rowsOutside(selection.kubernetes);
    const query = { rows, ...narrowed };
    const found = await this.#sources.kubernetes.items(times, query, idle, most);
    return { ...pageOf(found.items, page), count: found.count };
  }

  /** The queried bill items outside of a selection. */
  async cloudOutside(
    times: Times,
    idle: Idle,
    selection: Selection,
    narrowed: Narrowed = ALL,
  ): Promise<Report<Outside>> {
    const rows = rowsOutside(selection.cloud);
    const estate = await this.#estate(times, idle);
    const outside = await this.#sources.cloud.costs(times, { rows, ...narrowed }, estate.resources);
    const days = outside.days.map((items, day): Outside => {
      const entries = new Matches(domainsOf(estate, day)).cloudAlone(items);
      const cost = { kubernetesUsd: 0, idleUsd: 0, cloudUsd: sumOf(entries) };
      return { cost, entries, isWhole: false };
    });
    return { days, warnings: warningsOf([estate], outside) };
  }

  async #estate(times: Times, idle: Idle): Promise<Estate> {
    const narrowed = { rows: null, ...ALL };
    const kubernetes = await this.#sources.kubernetes.outside(times, narrowed, idle);
    const resources = new Set(
      kubernetes.days.flatMap(({ entries }) => [...byResource(entries).keys()]),
    );
    const cloud = await this.#sources.cloud.costs(times, narrowed, resources);
    return { kubernetes, cloud, resources };
  }

  async #selected(
    times: Times,
    idle: Idle,
    selection: Selection,
    { resources }: Estate,
  ): Promise<Found> {
    const { kubernetes, cloud } = this.#sources;
    const rows = within(rowsIn(selection.kubernetes), this.#scope);
    return {
      kubernetes: await kubernetes.selected(times, rows, idle),
      cloud: await cloud.costs(times, { rows: rowsIn(selection.cloud), ...ALL }, resources),
    };
  }
}

function domainsOf({ kubernetes, cloud }: Found, day: number): Domains {
  return { kubernetes: entriesOf(kubernetes, day), cloud: entriesOf(cloud, day) };
}

function entriesOf({ days }: Entries, day: number): DayEntries {
  return days[day] ?? { entries: [] };
}

function warningsOf(found: readonly Found[], ...others: readonly Entries[]): WarningLike[] {
  const all = [...found.flatMap(({ kubernetes, cloud }) => [kubernetes, cloud]), ...others];
  return [...new Set(all.flatMap(({ warnings }) => warnings))];
}
