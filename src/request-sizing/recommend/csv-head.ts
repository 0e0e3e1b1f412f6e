/** The columns of recommendations as CSV. */
import { csvLine } from '../../export/index.ts';

export const CSV_HEAD: string = csvLine([
  'clusterID',
  'namespace',
  'controllerKind',
  'controllerName',
  'containerName',
  'recommendedCPU',
  'recommendedMemory',
  'latestCPU',
  'latestMemory',
  'cpuMonthlySavings',
  'memoryMonthlySavings',
  'totalMonthlySavings',
  'cpuEfficiency',
  'memoryEfficiency',
  'totalEfficiency',
  'averageCPU',
  'averageMemory',
  'maxCPU',
  'maxMemory',
  'recommendedGPU',
  'latestGPU',
  'averageGPU',
  'gpuMonthlySavings',
]);
