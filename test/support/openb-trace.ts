/**
 * A small trace in the form of openb's pods.csv and nodes.csv, whose pods run about one week of it: of
 * seconds and of months, ended and deleted while running, waiting at first and never scheduled.
 */
import { Seeded } from '../../scripts/seeded.ts';

const PODS = 700;
const [MINUTE_S, HOUR_S, DAY_S] = [60, 3600, 86_400];
/** `cpu_milli,memory_mib,gpu,model`, and how many there are. */
const NODES: readonly (readonly [shape: string, count: number])[] = [
  ['32000,262144,0,', 12],
  ['96000,524288,0,', 4],
  ['104000,524288,2,T4', 40],
  ['96000,393216,8,G2', 20],
  ['32000,131072,4,V100M16', 6],
  ['16000,122880,2,P100', 10],
];
/** Pods' `cpu_milli,memory_mib`. */
const SHAPES = ['3152,5600', '8000,30517', '11400,48128', '4000,15258', '1000,512'];
/** `num_gpu,gpu_milli`; most ask for a part of one. */
const GPUS = ['0,0', '0,0', '1,460', '1,1000', '1,1000', '2,1000'];

export interface OpenbTrace {
  readonly podsCsv: string;
  readonly nodesCsv: string;
}

/** @param firstDay the week's first day, counted from the trace's start */
export function generateOpenb(firstDay: number): OpenbTrace {
  const random = new Seeded(1);
  const nodes = NODES.flatMap(([shape, count]) => Array.from({ length: count }, () => shape));
  const pods = Array.from({ length: PODS }, () => podOf(firstDay * DAY_S, random));
  return {
    nodesCsv: csvOf('node', 'sn,cpu_milli,memory_mib,gpu,model', nodes),
    podsCsv: csvOf(
      'pod',
      'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,' +
        'creation_time,deletion_time,scheduled_time',
      pods,
    ),
  };
}

function podOf(weekS: number, random: Seeded): string {
  const isLong = random.is(0.15);
  const createdS = weekS + (isLong ? -20 * DAY_S : -HOUR_S) + random.below(7 * DAY_S);
  const scheduledS = createdS + random.of([0, 0, 0, 30, 100, 240]);
  const most = random.of([MINUTE_S, 10 * MINUTE_S, HOUR_S, 3 * HOUR_S]);
  const lifeS = isLong ? random.below(40 * DAY_S) : 1 + random.below(most);
  const phase = random.is(0.02) ? 'Pending' : random.of(['Failed', 'Succeeded', 'Running']);
  return [
    random.of(SHAPES),
    random.of(GPUS),
    '',
    random.of(['LS', 'LS', 'BE', 'Burstable', 'Guaranteed']),
    phase,
    createdS,
    scheduledS + lifeS,
    phase === 'Pending' ? '' : scheduledS,
  ].join(',');
}

function csvOf(kind: string, header: string, rows: readonly string[]): string {
  const lines = rows.map((row, i) => `openb-${kind}-${String(i).padStart(4, '0')},${row}`);
  return [header, ...lines, ''].join('\n');
}
