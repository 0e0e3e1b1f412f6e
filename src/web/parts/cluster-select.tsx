/** The cluster that is looked at, and values that the API knows of a field. */
import { ask, pathOf } from '../api.ts';
import { useState, type VNode } from '../preact.ts';
import { go, state } from '../state.ts';
import { Select } from './select.tsx';

export function ClusterSelect({ window }: { window: string }): VNode {
  const { path } = state.value;
  const [clusters, load] = useValues('cluster', window);
  const chosen = path.find(({ field }) => field === 'cluster')?.value ?? '';
  return (
    <Select
      label="Cluster"
      value={chosen}
      choices={[
        { value: '', says: 'all clusters' },
        ...clusters.map((name) => ({ value: name, says: name })),
      ]}
      onOpen={load}
      choose={(value) => {
        const rest = path.filter(({ field }) => field !== 'cluster');
        go({ path: value === '' ? rest : [{ field: 'cluster', value }, ...rest], open: '' });
      }}
    />
  );
}

/** Values of a field, asked for once they are needed. */
export function useValues(field: string, window: string): [readonly string[], () => void] {
  const [values, take] = useState<readonly string[]>([]);
  const [askedFor, setAskedFor] = useState('');
  const load = (): void => {
    if (askedFor === window) return;
    setAskedFor(window);
    ask<{ readonly data: readonly string[] }>(
      pathOf('model/allocation/autocomplete', { window, field, limit: 200 }),
    ).then(
      ({ data }) => take(data.data.filter((value) => value !== '')),
      () => setAskedFor(''),
    );
  };
  return [values, load];
}
