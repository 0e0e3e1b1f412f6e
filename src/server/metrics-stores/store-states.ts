/** What a server tells of its metrics stores, where it has several: for `/readyz?verbose` and `/metrics`. */
import { byLabel, type Family } from '../../export/index.ts';
import type { OneStore } from '../../stores/index.ts';

type Stores = readonly OneStore[] | undefined;
type OneReplica = OneStore['replicas'][number];

/** @param stores undefined: there is one, or none */
export function statesOf(stores: Stores): { state(): object } {
  return {
    state: () =>
      stores === undefined
        ? {}
        : {
            stores: stores.flatMap((store) =>
              store.replicas.map((replica) => stateOf(store, replica)),
            ),
          },
  };
}

function stateOf({ entry: { cluster } }: OneStore, replica: OneReplica): object {
  const { name, source, pace, state, labels } = replica;
  const { lastError } = state;
  const others = [...(labels?.others ?? [])];
  return {
    name,
    ...(cluster === undefined ? {} : { cluster }),
    address: source.name,
    state: stateName(replica),
    reader: source.readerName ?? 'none',
    reads: state.reads,
    errors: state.errors,
    readsAtOnce: pace?.limit ?? source.concurrentReads,
    ...(lastError === undefined
      ? {}
      : { lastError: lastError.reason, lastErrorAt: new Date(lastError.atMs).toISOString() }),
    ...(others.length === 0 ? {} : { otherClusters: others }),
  };
}

function stateName({ state: { isUp } }: OneReplica): 'up' | 'down' | 'not read yet' {
  return isUp === undefined ? 'not read yet' : isUp ? 'up' : 'down';
}

/** Labelled by the stores' names, of which there are as many as the configuration has. */
export function storeFamilies(stores: Stores): Family[] {
  const replicas = (stores ?? []).flatMap((store) => store.replicas);
  if (replicas.length === 0) return [];
  const family = (
    name: string,
    help: string,
    value: (replica: OneReplica) => number | undefined,
  ): Family => {
    const type = name.endsWith('_total') ? 'counter' : 'gauge';
    const values = replicas.map((replica) => [replica.name, value(replica)] as const);
    return byLabel({ name, help, type }, 'store', values.filter(isKnown));
  };
  return [
    family(
      'prorata_metrics_store_up',
      'Whether the newest read of a metrics store succeeded.',
      ({ state }) => (state.isUp === undefined ? undefined : Number(state.isUp)),
    ),
    family(
      'prorata_metrics_store_reads_total',
      'Reads of one of several metrics stores.',
      ({ state }) => state.reads,
    ),
    family(
      'prorata_metrics_store_read_errors_total',
      'Reads of it that failed.',
      ({ state }) => state.errors,
    ),
    family(
      'prorata_metrics_store_read_bytes_total',
      'Bytes of samples read from it.',
      ({ state }) => state.bytes,
    ),
    family(
      'prorata_metrics_store_reads_in_flight',
      'Reads of it under way.',
      ({ state }) => state.underWay,
    ),
    family(
      'prorata_metrics_store_reads_allowed',
      'How many reads of it are made at once, as of now.',
      ({ pace, source }) => pace?.limit ?? source.concurrentReads,
    ),
  ];
}

function isKnown<Name>(pair: readonly [Name, number | undefined]): pair is readonly [Name, number] {
  return pair[1] !== undefined;
}
