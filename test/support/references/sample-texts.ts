/** Samples of the agent as texts, read by another way than they are written. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { PackedSeries } from '../../../src/agent/objects/packed-series.ts';
import type { LabelBytes, Sample } from '../../../src/agent/index.ts';

/** prompb.Label, repeated as field 1. */
export function labelsIn(bytes: LabelBytes): [name: string, value: string][] {
  const reader = new BinaryReader(bytes);
  const labels: [string, string][] = [];
  while (reader.pos < reader.len) {
    reader.tag();
    const end = reader.uint32() + reader.pos;
    const label: [string, string] = ['', ''];
    while (reader.pos < end) {
      const [field] = reader.tag();
      label[field - 1] = reader.string();
    }
    labels.push(label);
  }
  return labels;
}

/** `metric{a="b"} 1`, labels in order of name; `stale` for an end marker. */
export function textOf({ labels, value }: Pick<Sample, 'labels' | 'value'>): string {
  const [[, metric] = [], ...others] = labelsIn(labels);
  const inside = others.map(([name, text]) => `${name}="${text}"`).join(',');
  return `${metric}{${inside}} ${value ?? 'stale'}`;
}

/** One text a series. */
export function textsIn(packed: PackedSeries): string[] {
  return Array.from({ length: packed.size }, (_, i) =>
    textOf({ labels: packed.labels(i), value: packed.value(i) }),
  );
}
