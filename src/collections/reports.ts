/** What collections cost, and what is beside them, day by day. */
import { costOf, costOfRows, type Cost } from './cost.ts';
import { byResource, sumOf, type DayEntries, type Entry } from './entries.ts';
import type { Idle } from './idle.ts';
import { itemsOf, pageOf, type Page } from './items.ts';
import { Matches, type Domains } from './matches.ts';
import { rowsBeside, rowsIn, type Selection } from './selection.ts';
import type { BesideAsked, CloudCosts, Entries, Items, KubernetesCosts, Times } from './sources.ts';

export interface Sources {
  readonly kubernetes: KubernetesCosts;
  readonly cloud: CloudCosts;
}

/** Days are oldest first. */
export interface Report<Day> {
  readonly days: readonly Day[];
  readonly warnings: readonly string[];
}

export interface Costs {
  readonly whole: Cost;
  readonly parts: readonly Cost[];
}

/** Rows beside a selection, what is told twice taken out. */
export interface Beside {
  readonly cost: Cost;
  readonly entries: readonly Entry[];
  readonly idleBy?: ReadonlyMap<string, number>;
  /** Nothing of the rows was taken out. */
  readonly isWhole: boolean;
}

/** What rows beside a selection are asked for. */
export type Narrowed = Pick<BesideAsked, 'filter' | 'aggregate'>;

const ALL: Narrowed = { filter: null, aggregate: '' };

/** Entries of both domains, day by day. */
interface Found {
  readonly kubernetes: Entries;
  readonly cloud: Entries;
}

/** All there is. */
interface Estate extends Found {
  /** That Kubernetes rows name. */
  readonly resources: ReadonlySet<string>;
}

export class Reports {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** What a selection and its parts cost, each by itself. */
  async costs(
    times: Times,
    idle: Idle,
    whole: Selection,
    parts: readonly Selection[],
  ): Promise<Report<Costs>> {
    const estate = await this.#estate(times, idle);
    const all: Found[] = [];
    // One after the other: each of them asks for all days at once.
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

  /** Of Kubernetes rows beside a selection those that are asked for. */
  async kubernetesBeside(
    times: Times,
    idle: Idle,
    selection: Selection,
    asked: Narrowed = ALL,
  ): Promise<Report<Beside>> {
    const { kubernetes } = this.#sources;
    const rows = rowsBeside(selection.kubernetes);
    const beside = await kubernetes.beside(times, { rows, ...asked }, idle);
    const estate = await this.#estate(times, idle);
    const selected = await this.#selected(times, idle, selection, estate);
    const days = beside.days.map((entries, day): Beside => {
      const matches = new Matches(domainsOf(estate, day));
      const own = domainsOf(selected, day);
      const left = matches.rowsBeside(entries, own);
      const isWhole = matches.cloudOfRows(own).size === 0;
      const { idleBy } = entries;
      return { cost: costOfRows(left), entries: left, isWhole, ...(idleBy ? { idleBy } : {}) };
    });
    return { days, warnings: warningsOf([estate, selected], beside) };
  }

  /** The items of `kubernetesBeside`, whose cost without an aggregate is known already. */
  async kubernetesItems(
    times: Times,
    idle: Idle,
    selection: Selection,
    asked: Narrowed,
    known: Report<Beside>,
    page: Page,
  ): Promise<Items> {
    if (!known.days.every(({ isWhole }) => isWhole)) {
      const { days } = await this.kubernetesBeside(times, idle, selection, asked);
      return pageOf(itemsOf(days), page);
    }
    // Where no bill takes anything out, workers add up all days, and few of many names cross threads.
    const most = page.limit === null ? null : page.offset + page.limit;
    const rows = rowsBeside(selection.kubernetes);
    const found = await this.#sources.kubernetes.items(times, { rows, ...asked }, idle, most);
    return { ...pageOf(found.items, page), count: found.count };
  }

  /** Of bill items beside a selection those that are asked for. */
  async cloudBeside(
    times: Times,
    idle: Idle,
    selection: Selection,
    asked: Narrowed = ALL,
  ): Promise<Report<Beside>> {
    const rows = rowsBeside(selection.cloud);
    const estate = await this.#estate(times, idle);
    const beside = await this.#sources.cloud.costs(times, { rows, ...asked }, estate.resources);
    const days = beside.days.map((items, day): Beside => {
      const entries = new Matches(domainsOf(estate, day)).cloudAlone(items);
      const cost = { kubernetesUsd: 0, idleUsd: 0, cloudUsd: sumOf(entries) };
      return { cost, entries, isWhole: false };
    });
    return { days, warnings: warningsOf([estate], beside) };
  }

  async #estate(times: Times, idle: Idle): Promise<Estate> {
    const asked = { rows: null, ...ALL };
    const kubernetes = await this.#sources.kubernetes.beside(times, asked, idle);
    const resources = new Set(kubernetes.days.flatMap(({ entries }) => [...byResource(entries).keys()])); // prettier-ignore
    const cloud = await this.#sources.cloud.costs(times, asked, resources);
    return { kubernetes, cloud, resources };
  }

  async #selected(
    times: Times,
    idle: Idle,
    selection: Selection,
    { resources }: Estate,
  ): Promise<Found> {
    const { kubernetes, cloud } = this.#sources;
    return {
      kubernetes: await kubernetes.selected(times, rowsIn(selection.kubernetes), idle),
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

function warningsOf(found: readonly Found[], ...others: readonly Entries[]): string[] {
  const all = [...found.flatMap(({ kubernetes, cloud }) => [kubernetes, cloud]), ...others];
  return [...new Set(all.flatMap(({ warnings }) => warnings))];
}
