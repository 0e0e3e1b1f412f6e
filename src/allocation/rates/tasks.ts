/** The task that writes what is allocated now, and its price, as text for metrics stores. */
import type { Engine } from '../../columnar/index.ts';
import type { TasksOf } from '../../pool/task.ts';
import { writeRates, type RatesAt, type RatesInput } from './write-rates.ts';

export type RatesTasks = {
  writeRates: { input: RatesInput; output: RatesAt };
};

export function ratesTasks(engine: Engine): TasksOf<RatesTasks> {
  return { writeRates: (input) => writeRates(engine, input) };
}
