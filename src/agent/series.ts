/**
 * What the parts of the agent hand to its sending: samples of series that are named as
 * kube-state-metrics and cAdvisor name theirs.
 */

/**
 * Labels of one series as `encodeLabels` of src/metrics writes them: repeated prompb.Label as field 1,
 * sorted by name, `__name__` among them. A TimeSeries of remote write 1.0 begins with these bytes. They
 * are often a view on memory that lives as long as the object they tell of: who keeps them copies them.
 */
export type LabelBytes = Uint8Array;

export interface Sample {
  readonly labels: LabelBytes;
  readonly timeMs: number;
  /** Absent: the series ends here, which is sent as a stale marker. */
  readonly value: number | undefined;
}
