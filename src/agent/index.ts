export type { LabelBytes, Sample } from './series.ts';
