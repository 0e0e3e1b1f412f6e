/** Tasks of workers that recommend requests. */
import { checksumOf, type Engine } from '../columnar/index.ts';
import { SetReader } from '../storage/index.ts';
import type { DemandAt } from './demand/demand-at.ts';
import { bodyTasks, type BodyTasks } from './apply/read-bodies.ts';
import {
  recommend,
  savingsByController,
  type ControllerSavings,
  type RecommendedInput,
  type RecommendedPage,
  type RecommendInput,
} from './recommend/recommend-task.ts';
import {
  joinDemand,
  sumDemand,
  type FoundDemand,
  type JoinDemandInput,
  type SumDemandInput,
} from './demand/demand-tasks.ts';
import type { TasksOf } from '../pool/task.ts';

export type SizingTasks = BodyTasks & {
  sumDemand: { input: SumDemandInput; output: FoundDemand };
  joinDemand: { input: JoinDemandInput; output: DemandAt };
  recommend: { input: RecommendInput; output: RecommendedPage };
  controllerSavings: { input: RecommendedInput; output: ControllerSavings[] };
};

export function sizingTasks(engine: Engine): TasksOf<SizingTasks> {
  const reader = new SetReader(engine.arena, checksumOf(engine));
  return {
    sumDemand: (input) => sumDemand(engine, reader, input),
    joinDemand: (input) => joinDemand(engine, input),
    recommend: (input) => recommend(engine, input),
    controllerSavings: (input) => savingsByController(engine, input),
    ...bodyTasks(engine),
  };
}
