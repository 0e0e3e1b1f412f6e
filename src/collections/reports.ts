/** What collections cost, and what is beside them, day by day. */
import { costOf, costOfRows, type Cost } from './cost.ts';
import { sumOf, type DayEntries, type Entry } from './entries.ts';
import type { Idle } from './idle.ts';
import { Matches, type Domains } from './matches.ts';
import { rowsBeside, rowsIn, type Selection } from './selection.ts';
import type { BesideAsked, CloudCosts, Entries, KubernetesCosts, Times } from './sources.ts';

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
}

/** What rows beside a selection are asked for. */
export type Narrowed = Pick<BesideAsked, 'filter' | 'aggregate'>;

const ALL: Narrowed = { filter: null, aggregate: '' };

/** Entries of both domains, day by day. */
interface Found {
  readonly kubernetes: Entries;
  readonly cloud: Entries;
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
    for (const each of [whole, ...parts]) all.push(await this.#selected(times, idle, each));
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
    const selected = await this.#selected(times, idle, selection);
    const days = beside.days.map((entries, day): Beside => {
      const matches = new Matches(domainsOf(estate, day));
      const left = matches.rowsBeside(entries, domainsOf(selected, day));
      const { idleBy } = entries;
      return { cost: costOfRows(left), entries: left, ...(idleBy ? { idleBy } : {}) };
    });
    return { days, warnings: warningsOf([estate, selected], beside) };
  }

  /** Of bill items beside a selection those that are asked for. */
  async cloudBeside(
    times: Times,
    idle: Idle,
    selection: Selection,
    asked: Narrowed = ALL,
  ): Promise<Report<Beside>> {
    const rows = rowsBeside(selection.cloud);
    const beside = await this.#sources.cloud.costs(times, { rows, ...asked });
    const estate = await this.#estate(times, idle);
    const days = beside.days.map((items, day): Beside => {
      const entries = new Matches(domainsOf(estate, day)).cloudAlone(items);
      return { cost: { kubernetesUsd: 0, idleUsd: 0, cloudUsd: sumOf(entries) }, entries };
    });
    return { days, warnings: warningsOf([estate], beside) };
  }

  async #estate(times: Times, idle: Idle): Promise<Found> {
    const asked = { rows: null, ...ALL };
    const { kubernetes, cloud } = this.#sources;
    return {
      kubernetes: await kubernetes.beside(times, asked, idle),
      cloud: await cloud.costs(times, asked),
    };
  }

  async #selected(times: Times, idle: Idle, selection: Selection): Promise<Found> {
    const { kubernetes, cloud } = this.#sources;
    return {
      kubernetes: await kubernetes.selected(times, rowsIn(selection.kubernetes), idle),
      cloud: await cloud.costs(times, { rows: rowsIn(selection.cloud), ...ALL }),
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
