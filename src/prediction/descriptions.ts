/** How the prediction of costs is described. */
import {
  daysWindow,
  eachOf,
  flag,
  jsonOf,
  listOf,
  needed,
  NUMBER,
  objectOf,
  text,
  TEXT,
  type DescribedRoom,
} from '../http/index.ts';
import { podOf, replicatedOf } from './manifest-shapes.ts';

const COST = objectOf(
  eachOf(
    ['totalMonthlyRate', 'cpuMonthlyRate', 'ramMonthlyRate', 'gpuMonthlyRate', 'monthlyCPUCoreHours', 'monthlyRAMByteHours', 'monthlyGPUHours'],
    NUMBER,
  ),
); // prettier-ignore

export const PREDICTION_API: DescribedRoom = {
  routes: {
    'POST /prediction/speccost': {
      summary: 'What manifests will cost a month, and what they cost now',
      parameters: {
        clusterID: needed(text('the cluster that it runs in', 'production')),
        defaultNamespace: needed(text('that of what names no namespace', 'default')),
        ...daysWindow('2d'),
        windowAvgUsage: text('days of usage; default window', '2024-05-01,2024-05-03'),
        windowResourceCost: text('days of costs; default window', '2024-05-01,2024-05-03'),
        noUsage: flag('requests alone count', false),
      },
      body: {
        schema: { anyOf: [replicatedOf.schema, podOf.schema, {}] },
        types: ['application/json', 'application/yaml'],
        example: JSON.parse(replicatedOf.example) as unknown,
      },
      answers: jsonOf(
        listOf(
          objectOf({
            ...eachOf(['namespace', 'controllerKind', 'controllerName'], TEXT),
            ...eachOf(['costBefore', 'costAfter', 'costChange'], COST),
          }),
        ),
      ),
    },
  },
};
