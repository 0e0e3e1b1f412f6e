/** Labels of a series with those of its block. */
import { encodeLabels } from '../../metrics/index.ts';
import { LabelScan, type LabelBytes } from '../../tsdb/index.ts';
import type { StoredBlock } from '../catalogue/stored-block.ts';

/** @returns what puts the labels of a block among those of its series, which keep what they have themselves */
export function labelAdder(external: StoredBlock['labels']): (labels: LabelBytes) => LabelBytes {
  if (external.length === 0) return (labels) => labels;
  const added = external
    .map(([name, value]) => ({
      name: Buffer.from(name),
      bytes: encodeLabels({ [name]: value }),
    }))
    .sort((a, b) => Buffer.compare(a.name, b.name));
  const scan = new LabelScan();
  return (labels) => {
    const parts: Uint8Array[] = [];
    let [place, from, at] = [0, 0, 0];
    scan.open(labels);
    while (scan.next()) {
      const name = labels.subarray(scan.nameStart, scan.nameEnd);
      for (let next = added[place]; next !== undefined; next = added[place]) {
        const order = Buffer.compare(next.name, name);
        if (order > 0) break;
        place++;
        if (order === 0) continue;
        parts.push(labels.subarray(from, at), next.bytes);
        from = at;
      }
      at = scan.valueEnd;
    }
    parts.push(labels.subarray(from), ...added.slice(place).map(({ bytes }) => bytes));
    return Buffer.concat(parts);
  };
}
