/** Tasks that encode stored sets: a computed set, and a day as the sum of its hours. */
import type { Engine } from '../../columnar/index.ts';
import type { TasksOf } from '../../pool/task.ts';
import { filesOfSet, type EncodedAt, type SetFilesInput } from '../sets/set-files.ts';
import { sumDay, type SumInput } from '../sets/sum-day.ts';

export type BuildTasks = {
  encodeSets: { input: SetFilesInput; output: EncodedAt[] };
  sumDay: { input: SumInput; output: EncodedAt[] };
};

export function buildTasks(engine: Engine): TasksOf<BuildTasks> {
  return {
    encodeSets: (input) => filesOfSet(engine, input),
    sumDay: (input) => sumDay(engine, input),
  };
}
