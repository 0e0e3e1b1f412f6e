/** Tasks of cost prediction. */
import {
  joinedBy,
  joinTables,
  openTable,
  storePieces,
  storeValues,
  valuesIn,
  type Engine,
  type Owner,
  type TableAddresses,
  type TextPiece,
} from '../columnar/index.ts';
import type { PriceBook } from '../pricing/index.ts';
import { select } from '../allocation/stored-rows.ts';
import { bodyText, type Filter } from '../query/index.ts';
import { EXAMPLE } from './manifest-shapes.ts';
import { readManifestPart, type ManifestPlace } from './manifests.ts';
import { clustersIn, pastOf, type Past, type PastTable, type Sums } from './past.ts';
import { predictWorkload } from './predict-workload.ts';
import type { Workload } from './workload.ts';
import type { TasksOf } from '../pool/task.ts';

/** Pieces of JSON, which `valuesIn` reads. */
type Values = readonly TextPiece[];

export interface ManifestsInput {
  /** UTF-8. */
  readonly body: TextPiece;
  readonly place: ManifestPlace;
  readonly namespaceByDefault: string;
  /** Owner of the workloads. */
  readonly owner: Owner;
}

export interface ManifestsOutput {
  readonly workloads: Values;
  readonly next: ManifestPlace | null;
}

export interface PastInput {
  /** Tables of each set, of the same rows with different columns. */
  readonly sets: readonly (readonly TableAddresses[])[];
  readonly cluster: string;
  /** Rows that count; null: all. */
  readonly filter: Filter | null;
  readonly workloads: Values;
  /** Owner of their pasts. */
  readonly owner: Owner;
}

export interface PastOutput {
  /** Sums of all pods of the cluster. */
  readonly whole: Sums;
  /** In the order of the workloads; null: the workload has no past. */
  readonly pasts: Values;
  /** Names in all rows that count. */
  readonly clusters: readonly string[];
}

export interface PredictInput {
  readonly workloads: Values;
  /** Past usage. */
  readonly usage: PastOutput;
  /** Past costs. */
  readonly costs: PastOutput;
  /** Only requests count, not usage. */
  readonly noUsage: boolean;
  readonly book: PriceBook;
  readonly owner: Owner;
}

export type PredictionTasks = {
  /** Reads a part of the body's workloads. */
  readManifests: { input: ManifestsInput; output: ManifestsOutput };
  pastOfWorkloads: { input: PastInput; output: PastOutput };
  /** Writes the answer: a JSON list. */
  predictWorkloads: { input: PredictInput; output: readonly TextPiece[] };
};

export function predictionTasks({ arena }: Engine): TasksOf<PredictionTasks> {
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

    pastOfWorkloads({ sets, cluster, filter, workloads, owner }) {
      const tables = sets.map((set): PastTable => {
        const table = joinTables(set.map((at) => openTable(arena, at)));
        return { table, matched: filter === null ? null : select(table, filter) };
      });
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
          const predicted = predictWorkload(workload, {
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
