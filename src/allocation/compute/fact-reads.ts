/**
 * The facts of a query: read side by side and condensed as they come. Most metrics have few series
 * or none, and a request costs more than those: they share reads where the store can.
 */
import type { ArenaBatch, Block, CondenseOptions } from '../../columnar/index.ts';
import { FACTS, factReads, type FactName, type TimeRange } from '../../metrics/index.ts';
import type { Compute } from '../../pool/index.ts';
import type { DecideInput } from '../ledger/decide.ts';
import { factsFor, identityLabels, labelsKept } from '../evidence/fact-names.ts';
import type { ClusterOptions } from '../inventory/inventory.ts';
import type { Notes } from './notes.ts';
import { GAP_MS, type SumsPlan } from '../params/plan.ts';
import { readLanes, type Lane, type ReadContext, type SharedLane } from './read.ts';
import type { Spacing } from '../evidence/evidence-times.ts';
import { isSubstitute, type SubstitutesInput } from '../evidence/substitutes.ts';
import type { ComputeTasks } from './tasks.ts';

/** Clusters are told apart by a label that is not configured: what was read has mixed them. */
export class OtherClusterLabel extends Error {
  readonly label: string;
  constructor(label: string) {
    super(`clusters differ by the label ${label}`);
    this.label = label;
  }
}

/** How many shared reads there are: more are no faster, as requests are read at the same time. */
const SHARED_READS = 2;
/** In a longer window series show their intervals, and its edges hardly count. */
const SPARSE_WINDOW_MS = 12 * 3_600_000;

interface FactOptions {
  readonly compute: Compute<ComputeTasks>;
  readonly metrics: ClusterOptions;
}

export class FactReads {
  readonly #options: FactOptions;
  readonly #plan: SumsPlan;
  readonly #context: ReadContext;
  readonly #counted: TimeRange;
  readonly #notes: Notes;
  /** Condensed blocks, by read. */
  readonly #facts: Map<FactName, Block[][]>;
  readonly #begun: Set<FactName> = new Set();
  /** Samples that were dropped, by the blocks that came of the same read. */
  readonly #dropped: Map<readonly Block[], number> = new Map();

  /** @param counted the part of the read range that counts */
  constructor(
    options: FactOptions,
    plan: SumsPlan,
    context: ReadContext,
    counted: TimeRange,
    notes: Notes,
  ) {
    this.#options = options;
    this.#plan = plan;
    this.#context = context;
    this.#counted = counted;
    this.#notes = notes;
    this.#facts = new Map(factsFor(plan).map((name) => [name, factReads(name).map(() => [])]));
  }

  /** How much is read at least, in (0, 1]. */
  get readShare(): number {
    const done = this.#begun.size - this.#context.source.concurrentReads;
    return Math.max(1, done) / this.#facts.size;
  }

  /**
   * Reads the facts; substitutes only once it is known which facts are missing.
   * @throws {OtherClusterLabel}
   */
  async read(): Promise<void> {
    await readLanes(this.#context, await this.#lanes());
    const { pool } = this.#options.compute;
    const { signal } = this.#context;
    const label = await pool.run('clusterLabel', this.#found(), signal);
    if (label !== null) throw new OtherClusterLabel(label);
    const needed = await pool.run('substitutes', this.#found(), signal);
    await readLanes(
      this.#context,
      needed.flatMap((name) => this.#lanesOf(name)),
    );
    for (const range of await pool.run('evidenceTimes', this.#found(), signal))
      await readLanes({ ...this.#context, range }, this.#lanesOf('containerSeen'));
  }

  /** `far`: what is read beyond the window holds hardly one sample of a series. Long windows count as `close`. */
  async spacing(): Promise<Spacing> {
    const { startMs, endMs } = this.#plan.window;
    if (endMs - startMs > SPARSE_WINDOW_MS) return 'close';
    return this.#options.compute.pool.run('spacing', this.#found(), this.#context.signal);
  }

  /** Drops all that was read. */
  clear(): void {
    for (const parts of this.#facts.values()) this.#forget(parts);
  }

  #found(): SubstitutesInput {
    const { clusterLabels, clusterId } = this.#options.metrics;
    const facts = this.condensed();
    return { facts, counted: this.#counted, gapMs: GAP_MS, clusterLabels, clusterId };
  }

  condensed(): DecideInput['facts'] {
    return [...this.#facts].map(([fact, parts]) => ({ fact, blocks: parts.flat() }));
  }

  /** Condenses `batches` into blocks. @returns their samples */
  async condense(
    batches: readonly ArenaBatch[],
    keep: readonly string[],
    blocks: Block[],
    gapMs: number = GAP_MS,
  ): Promise<number> {
    const options = { keep, ...this.#ofAll(), gapMs };
    const block = blocks.pop() ?? null;
    const input = { batches, options, block, owner: this.#context.owner };
    const { pool } = this.#options.compute;
    const condensed = await pool.run('condense', input, this.#context.signal);
    blocks.push(...condensed.blocks);
    this.#note(condensed, blocks);
    return condensed.samples;
  }

  /** Large facts first, then those that share reads. */
  async #lanes(): Promise<(Lane | SharedLane)[]> {
    const names = [...this.#facts.keys()].filter((name) => !isSubstitute(name));
    const { source, signal } = this.#context;
    const read = await source.together?.(signal);
    if (!read) return names.flatMap((name) => this.#lanesOf(name));
    const sharing = names.filter((name) => isWhole(name));
    const groups = Array.from({ length: SHARED_READS }, (_, group) =>
      sharing.filter((_name, i) => i % SHARED_READS === group),
    );
    const alone = names.filter((name) => !isWhole(name)).flatMap((name) => this.#lanesOf(name));
    const shared = groups.map((group): SharedLane => ({
      metrics: group.map((name) => FACTS[name].selection.metric),
      read,
      work: (batches) => this.#condenseEach(batches, group),
      forget: () => this.#forget(this.#blocksOf(group)),
    }));
    return [...alone.slice(0, SHARED_READS), ...shared, ...alone.slice(SHARED_READS)];
  }

  #lanesOf(name: FactName): Lane[] {
    const parts = this.#facts.get(name) ?? [];
    return factReads(name).map((selection, part) => {
      const blocks = parts[part] ?? [];
      return {
        selections: [selection],
        work: (batches) => {
          this.#begun.add(name);
          return this.condense(batches, this.#labelsOf(name), blocks, FACTS[name].gapMs);
        },
        forget: () => this.#forget([blocks]),
      };
    });
  }

  async #condenseEach(batches: readonly ArenaBatch[], names: readonly FactName[]): Promise<number> {
    const blocksOf = this.#blocksOf(names);
    const metrics = names.map((name, i) => ({
      metric: FACTS[name].selection.metric,
      keep: this.#labelsOf(name),
      block: blocksOf[i]?.pop() ?? null,
      gapMs: FACTS[name].gapMs ?? GAP_MS,
    }));
    const input = { batches, metrics, options: this.#ofAll(), owner: this.#context.owner };
    const { pool } = this.#options.compute;
    const condensed = await pool.run('condenseEach', input, this.#context.signal);
    names.forEach((name, i) => {
      const blocks = condensed.blocks[i] ?? [];
      if (blocks.length > 0) this.#begun.add(name);
      blocksOf[i]?.push(...blocks);
    });
    this.#note(condensed, blocksOf[0] ?? []);
    return condensed.samples;
  }

  /** Blocks of metrics that share a read. */
  #blocksOf(names: readonly FactName[]): Block[][] {
    return names.map((name) => this.#facts.get(name)?.[0] ?? []);
  }

  /** @param blocks that came of the read, those of the first metric */
  #note(
    condensed: { readonly dropped: number; readonly latestMs: number },
    blocks: readonly Block[],
  ): void {
    this.#notes.condensed(condensed);
    this.#dropped.set(blocks, (this.#dropped.get(blocks) ?? 0) + condensed.dropped);
  }

  /** Nothing came of a read. @param parts its blocks, by metric @returns whether there were any */
  #forget(parts: readonly Block[][]): boolean {
    const { arena } = this.#context;
    const all = parts.flatMap((blocks) => blocks.splice(0));
    for (const { address, bytes } of all) arena.free(address, bytes);
    for (const blocks of parts) {
      this.#notes.droppedSamples -= this.#dropped.get(blocks) ?? 0;
      this.#dropped.delete(blocks);
    }
    return all.length > 0;
  }

  #labelsOf(name: FactName): string[] {
    return [...new Set([...labelsKept(name, this.#plan), ...this.#options.metrics.clusterLabels])];
  }

  #ofAll(): Omit<CondenseOptions, 'keep'> {
    const identity = identityLabels(this.#options.metrics.clusterLabels);
    return { ...this.#counted, gapMs: GAP_MS, identity };
  }
}

/** Whether all series of its metric are read, at once. */
function isWhole(name: FactName): boolean {
  const { selection, parts } = FACTS[name];
  return parts === undefined && selection.matchers.length === 0;
}
