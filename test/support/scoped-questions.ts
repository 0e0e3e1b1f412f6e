/** Questions that callers with a filter ask, and callers with that filter beside what they ask for. */
export const WINDOW: string = 'window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';
const DAY = '2024-05-02T06:00:00Z,2024-05-02T09:00:00Z';

/** Questions whose answers have rows, each of one language of filters. */
export const STORED: readonly string[] = [
  `/model/allocation?${WINDOW}&aggregate=namespace`,
  `/model/allocation?${WINDOW}&aggregate=cluster&splitIdle=true&idleByNode=true`,
  `/model/allocation?${WINDOW}&aggregate=controller&shareIdle=true&accumulate=all&external=true`,
  `/model/allocation?${WINDOW}&aggregate=label:app,team&format=csv&columns=full`,
  `/model/allocation?${WINDOW}&idle=false&format=ndjson&limit=7&sortBy=cpuCost`,
  `/model/allocation?${WINDOW}&accumulate=day&reconcile=false&shareTenancyCosts=false&format=arrow`,
  `/model/allocation?${WINDOW}&aggregate=node&idleByNode=true&shareIdle=true&costMetric=hourly`,
  `/model/allocation?${WINDOW}&includeSharedCostBreakdown=true&aggregate=pod&limit=5&offset=2`,
  `/model/allocation/summary?${WINDOW}&aggregate=namespace`,
  `/model/allocation/summary/topline?${WINDOW}&aggregate=pod`,
  `/model/allocation/autocomplete?${WINDOW}&field=namespace`,
  `/model/allocation/autocomplete?${WINDOW}&field=pod&limit=1000`,
  `/model/allocation/autocomplete?${WINDOW}&field=label`,
  `/model/allocation/autocomplete?${WINDOW}&field=node`,
  `/savings/abandonedWorkloads?threshold=20000`,
  `/savings/requestSizing?${WINDOW}`,
  `/savings/requestSizing/topline?${WINDOW}`,
  `/savings/requestSizingV2?${WINDOW}&limit=9&includeLabelsAndAnnotations=true`,
  `/savings/requestSizingV2?${WINDOW}&format=csv`,
  `/model/assets?${WINDOW}&aggregate=type`,
  `/model/assets?${WINDOW}&accumulate=all&format=csv`,
  `/assets?${WINDOW}&aggregate=type`,
  `/model/assets/topline?${WINDOW}`,
  `/assets/totals?${WINDOW}`,
  `/assets/graph?${WINDOW}&aggregate=type`,
  `/assets/diff?before=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z&after=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z`,
  `/assets/autocomplete?${WINDOW}&field=name`,
  `/allocation/trends?window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z`,
  `/kubernetes/containers/resources?${WINDOW}&aggregate=pod`,
  `/kubernetes/containers/resources/timeseries?${WINDOW}`,
  `/cloudCost?${WINDOW}&aggregate=service`,
  `/cloudCost/view/table?${WINDOW}&format=csv`,
  `/cloudCost/view/totals?${WINDOW}`,
  `/cloudCost/view/trends?window=yesterday`,
  `/cloudCost/autocomplete?${WINDOW}&field=service`,
  `/customCost/total?${WINDOW}`,
  `/customCost/timeseries?${WINDOW}&aggregate=domain`,
];
export const COMPUTED: readonly string[] = [
  `/model/allocation/compute?window=${DAY}&aggregate=namespace&resolution=10m&idle=true&splitIdle=true`,
  `/model/allocation/compute?window=${DAY}&resolution=10m&idle=true&shareIdle=true&idleByNode=true&format=csv`,
  // Without the prefix, as OpenCost.
  `/allocation?window=${DAY}&aggregate=namespace&resolution=10m&idle=true&step=6h`,
];
