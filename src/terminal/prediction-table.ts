/** Predictions as a table: a line for each workload, USD a month, and their sum. */
import type { MonthlyCost, Prediction } from '../prediction/index.ts';
import { BYTES_PER_GIB } from '../pricing/index.ts';
import { HOURS_PER_MONTH } from '../query/index.ts';

type Costs = Pick<Prediction, 'costBefore' | 'costAfter' | 'costChange'>;

const HEAD = ['namespace', 'workload', 'cores', 'GiB', 'before', 'after', 'change'];
/** The first columns are texts, aligned left; numbers are aligned right. */
const TEXTS = 2;

/** Cores, GiB and costs are those after the change. */
export function predictionTable(predictions: readonly Prediction[]): string {
  const rows = predictions.map((one) => [
    one.namespace,
    `${one.controllerKind}/${one.controllerName}`,
    ...amounts(one),
  ]);
  const all: Costs = {
    costBefore: sum(predictions.map(({ costBefore }) => costBefore)),
    costAfter: sum(predictions.map(({ costAfter }) => costAfter)),
    costChange: sum(predictions.map(({ costChange }) => costChange)),
  };
  const lines = [HEAD, ...rows, ['', 'USD a month', ...amounts(all)]];
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const texts = lines.map((line) =>
    line.map((cell, i) => aligned(cell, i, widths[i] ?? 0)).join('  '),
  );
  return texts.map((text) => `${text.trimEnd()}\n`).join('');
}

function amounts({ costBefore, costAfter, costChange }: Costs): string[] {
  const change = costChange.totalMonthlyRate;
  return [
    (costAfter.monthlyCPUCoreHours / HOURS_PER_MONTH).toFixed(2),
    (costAfter.monthlyRAMByteHours / HOURS_PER_MONTH / BYTES_PER_GIB).toFixed(2),
    costBefore.totalMonthlyRate.toFixed(2),
    costAfter.totalMonthlyRate.toFixed(2),
    `${change > 0 ? '+' : ''}${change.toFixed(2)}`,
  ];
}

function sum(costs: readonly MonthlyCost[]): MonthlyCost {
  const total = (name: keyof MonthlyCost): number =>
    costs.reduce((all, cost) => all + cost[name], 0);
  return {
    totalMonthlyRate: total('totalMonthlyRate'),
    cpuMonthlyRate: total('cpuMonthlyRate'),
    ramMonthlyRate: total('ramMonthlyRate'),
    gpuMonthlyRate: total('gpuMonthlyRate'),
    monthlyCPUCoreHours: total('monthlyCPUCoreHours'),
    monthlyRAMByteHours: total('monthlyRAMByteHours'),
    monthlyGPUHours: total('monthlyGPUHours'),
  };
}

function aligned(cell: string, column: number, width: number): string {
  return column < TEXTS ? cell.padEnd(width) : cell.padStart(width);
}
