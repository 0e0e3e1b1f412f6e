/** What workers do for cost prediction. */
import {
  joinedBy,
  joinTables,
  openTable,
  storePieces,
  storeValues,
  valuesIn,
  type Engine,
  type Owner,
  type Table,
  type TableAddresses,
  type TextPiece,
} from '../columnar/index.ts';
import type { PriceBook } from '../pricing/index.ts';
import { bodyText } from '../query/index.ts';
import { EXAMPLE } from './manifest-shapes.ts';
import { readManifestPart, type ManifestPlace } from './manifests.ts';
import { pastOf, type Past, type Sums } from './past.ts';
import { predict } from './predict.ts';
import type { Workload } from './workload.ts';

/** Pieces of JSON, which `valuesIn` reads. */
type Values = readonly TextPiece[];

export interface ManifestsInput {
  /** UTF-8. */
  readonly body: TextPiece;
  readonly place: ManifestPlace;
  readonly namespaceByDefault: string;
  /** Of the workloads. */
  readonly owner: Owner;
}

export interface ManifestsOutput {
  readonly workloads: Values;
  readonly next: ManifestPlace | null;
}

export interface PastInput {
  /** Of each set, tables of the same rows with different columns. */
  readonly sets: readonly (readonly TableAddresses[])[];
  readonly cluster: string;
  readonly workloads: Values;
  /** Of their pasts. */
  readonly owner: Owner;
}

export interface PastOutput {
  /** Of all pods of the cluster. */
  readonly whole: Sums;
  /** In the workloads' order; null: it was not there. */
  readonly pasts: Values;
  /** Of all rows. */
  readonly clusters: readonly string[];
}

export interface PredictInput {
  readonly workloads: Values;
  /** How they were used. */
  readonly usage: PastOutput;
  /** What they cost. */
  readonly costs: PastOutput;
  /** Requests alone count. */
  readonly noUsage: boolean;
  readonly book: PriceBook;
  readonly owner: Owner;
}

export type PredictionTasks = {
  /** A part of the body's workloads. */
  readManifests: { input: ManifestsInput; output: ManifestsOutput };
  pastOfWorkloads: { input: PastInput; output: PastOutput };
  /** The answer as JSON: a list. */
  predictWorkloads: { input: PredictInput; output: readonly TextPiece[] };
};

type Tasks = {
  [Name in keyof PredictionTasks]: (
    input: PredictionTasks[Name]['input'],
  ) => PredictionTasks[Name]['output'];
};

export function predictionTasks({ arena }: Engine): Tasks {
  function* each<Value>(pieces: Values): Generator<Value, void> {
    for (const values of valuesIn<Value>(arena, pieces)) yield* values;
  }
  return {
    readManifests({ body, place, namespaceByDefault, owner }) {
      const bytes = arena.text(body.address, body.bytes);
      const text = bodyText(bytes, `for example ${EXAMPLE}`, true);
      const { workloads, next } = readManifestPart(text, place, namespaceByDefault);
      return { workloads: storeValues(arena, owner, workloads), next };
    },

    pastOfWorkloads({ sets, cluster, workloads, owner }) {
      const tables = sets.map((set) => joinTables(set.map((at) => openTable(arena, at))));
      const names = Array.from(each<Workload>(workloads), ({ namespace, kind, name }) => ({
        namespace,
        kind,
        name,
      }));
      const { whole, pasts } = pastOf(tables, cluster, names);
      return { whole, pasts: storeValues(arena, owner, pasts), clusters: clustersIn(tables) };
    },

    predictWorkloads({ workloads, usage, costs, noUsage, book, owner }) {
      const [used, cost] = [each<Past | null>(usage.pasts), each<Past | null>(costs.pasts)];
      const predictions = function* (): Generator<string, void> {
        for (const workload of each<Workload>(workloads)) {
          const known = used.next().value ?? null;
          const own = cost.next().value ?? null;
          const predicted = predict(workload, {
            usage: noUsage ? known && { ...known, usageOf: {} } : known,
            costs: [own, costs.whole, usage.whole],
            book,
          });
          yield JSON.stringify(predicted);
        }
      };
      return storePieces(arena, owner, listed(joinedBy(',', predictions())));
    },
  };
}

function* listed(texts: Iterable<string>): Generator<string, void> {
  yield '[';
  yield* texts;
  yield ']';
}

function clustersIn(tables: readonly Table[]): string[] {
  const names = tables.flatMap((table) => {
    const texts = table.text('cluster')?.texts;
    return Array.from({ length: texts?.size ?? 0 }, (_, code) => texts?.text(code) ?? '');
  });
  return [...new Set(names)].filter((name) => name !== '').sort();
}
