/**
 * Models of GPUs by what nodes' labels call them: `NVIDIA-A100-SXM4-80GB` of GPU feature discovery and
 * `nvidia-a100-80gb` of GKE are `A100-80GB` of the list prices.
 */
import { listText } from './list-text.ts';

export interface GpuModel {
  /** As list prices name it. */
  readonly name: string;
  /** Memory of one device. */
  readonly memoryGiB: number;
  /** Compute slices that it can be cut into; undefined where it cannot, or that is not known. */
  readonly slices: number | undefined;
}

/** By values of labels, and by models' own names. Read when the first is asked for. */
let models: ReadonlyMap<string, GpuModel> | undefined;

/** @param value of a label, or the name of a model; its case counts, as labels differ by it */
export function gpuModelNamed(value: string): GpuModel | undefined {
  models ??= readModels(listText('gpu-models.csv'));
  return models.get(wholeModel(value));
}

/** GPU feature discovery adds how a device is shared: `Tesla-T4-SHARED`, `…-MIG-1g.10gb`. */
export function wholeModel(value: string): string {
  return value.replace(/-(SHARED|MIG-.*)$/i, '');
}

function readModels(text: string): ReadonlyMap<string, GpuModel> {
  const found = new Map<string, GpuModel>();
  const byName = new Map<string, GpuModel>();
  for (const line of text.split('\n').slice(2)) {
    const [value = '', name = '', memory = '', slices = ''] = line.split(',');
    if (value === '') continue;
    const model = {
      name,
      memoryGiB: Number(memory),
      slices: slices === '' ? undefined : Number(slices),
    };
    found.set(value, model);
    byName.set(name, model);
  }
  return new Map([...byName, ...found]);
}
