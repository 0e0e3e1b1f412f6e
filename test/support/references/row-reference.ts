/** Grouped rows as text, value by value and string by string: slow and obvious. */
import type { RowOptions } from '../../../src/allocation/params/format.ts';
import {
  END_SOURCES,
  IDENTITY_COLUMNS,
  MEASURES,
  NAME_PARTS,
} from '../../../src/allocation/row/schema.ts';
import type { Frame, Texts } from '../../../src/columnar/index.ts';
import { csvNumber, csvText } from '../../../src/export/index.ts';

type Value = (column: string) => number;

const adjusted =
  (column: string) =>
  (of: Value): number =>
    of(column) + of(`${column}Adjustment`);
const cpuCost: (of: Value) => number = (of) => of('cpuCost');
const ramCost: (of: Value) => number = (of) => of('ramCost');
const average =
  (column: string) =>
  (of: Value): number =>
    of('hours') > 0 ? of(column) / of('hours') : 0;

function efficiency(usage: number, request: number, cost: number): number {
  if (request > 0) return usage / request;
  return usage > 0 && cost > 0 ? 1 : 0;
}

const cpuEfficiency = (of: Value): number =>
  efficiency(of('cpuCoreUsageHours'), of('cpuCoreRequestHours'), cpuCost(of));
const ramEfficiency = (of: Value): number =>
  efficiency(of('ramByteUsageHours'), of('ramByteRequestHours'), ramCost(of));

function totalEfficiency(of: Value): number {
  const cost = cpuCost(of) + ramCost(of);
  if (cost <= 0) return 0;
  return (cpuEfficiency(of) * cpuCost(of) + ramEfficiency(of) * ramCost(of)) / cost;
}

const COSTS = /^(cpu|gpu|ram|pv|network|loadBalancer)Cost(Adjustment)?$|^(shared|external)Cost$/;
const totalCost = (of: Value): number =>
  MEASURES.filter(({ column }) => COSTS.test(column)).reduce((sum, m) => sum + of(m.column), 0);

const sampledCost = (of: Value): number => of('cpuCost') + of('ramCost') + of('gpuCost');

/** Fields that are no measures, by their name in JSON. */
const COMPUTED: Readonly<Record<string, (of: Value) => number>> = {
  minutes: (of) => of('hours') * 60,
  cpuCores: average('cpuCoreHours'),
  cpuCoreRequestAverage: average('cpuCoreRequestHours'),
  cpuCoreUsageAverage: average('cpuCoreUsageHours'),
  cpuEfficiency,
  gpuCount: average('gpuHours'),
  gpuRequestAverage: average('gpuRequestHours'),
  gpuUsageAverage: average('gpuUsageHours'),
  gpuEfficiency: (of) => efficiency(of('gpuUsageHours'), of('gpuRequestHours'), 0),
  pvBytes: average('pvByteHours'),
  ramBytes: average('ramByteHours'),
  ramByteRequestAverage: average('ramByteRequestHours'),
  ramByteUsageAverage: average('ramByteUsageHours'),
  ramEfficiency,
  totalCost,
  totalEfficiency,
};

const FIELDS = [
  'minutes', 'cpuCores', 'cpuCoreRequestAverage', 'cpuCoreUsageAverage', 'cpuCoreHours', 'cpuCost',
  'cpuCostAdjustment', 'cpuCostIdle', 'cpuEfficiency', 'gpuCount', 'gpuRequestAverage', 'gpuUsageAverage', 'gpuHours', 'gpuCost',
  'gpuCostAdjustment', 'gpuCostIdle', 'gpuEfficiency',
  'networkTransferBytes', 'networkReceiveBytes', 'networkCost', 'networkCrossZoneCost',
  'networkCrossRegionCost', 'networkInternetCost', 'networkCostAdjustment', 'loadBalancerCost',
  'loadBalancerCostAdjustment', 'pvBytes', 'pvByteHours', 'pvCost', 'pvCostAdjustment', 'ramBytes',
  'ramByteRequestAverage', 'ramByteUsageAverage', 'ramByteHours', 'ramCost', 'ramCostAdjustment', 'ramCostIdle',
  'ramEfficiency', 'sharedCost', 'externalCost', 'totalCost', 'totalEfficiency',
]; // prettier-ignore
const RAW = ['cpuCoreUsageMax', 'ramByteUsageMax'];
const SUMMARY = [
  ...['cpuCost', 'gpuCost', 'ramCost', 'pvCost', 'networkCost', 'loadBalancerCost'].map(adjusted),
  adjusted('externalCost'),
  adjusted('sharedCost'),
  totalEfficiency,
  totalCost,
];

const jsonNumber = (value: number): string => (Number.isFinite(value) ? String(value) : 'null');
const moment = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

/** One row of the frame. */
function rowOf(frame: Frame, texts: Texts, row: number) {
  const hours = ((frame.f64('endMs')[row] ?? 0) - (frame.f64('startMs')[row] ?? 0)) / 3_600_000;
  const measure: Value = (column) => {
    if (column === 'hours') return hours;
    return frame.columns.has(column) ? (frame.f64(column)[row] ?? NaN) : 0;
  };
  return {
    measure,
    number: (field: string): number => (COMPUTED[field] ?? ((of) => of(field)))(measure),
    text: (column: string): string => texts.text(frame.u32(column)[row] ?? 0),
    time: (column: string): string => moment(frame.f64(column)[row] ?? NaN),
    endSource: END_SOURCES[frame.u32('endSource')[row] ?? 0] ?? '',
    uncertainty: (frame.f64('endUncertaintyMs')[row] ?? 0) / 1000,
    lower: sampledCost(measure) / measure('sampledCostMost'),
    upper: sampledCost(measure) / measure('sampledCostLeast'),
  };
}

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  labels: ['label', 'labels'],
  annotations: ['annotation', 'annotations'],
  namespaceLabels: ['namespaceLabels'],
  namespaceAnnotations: ['namespaceAnnotations'],
  services: ['service', 'services'],
};

/** The last part of an id of AWS or GCP, and the whole. */
function idsOf(id: string): string {
  const [scheme = '', rest = ''] = id.split('://');
  const parts = rest.split('/');
  const isShort = ['aws', 'gce'].includes(scheme) && (parts[2] ?? '') !== '';
  const short = isShort ? parts[2] : id;
  return `"providerID":${JSON.stringify(short)},"providerIDFull":${JSON.stringify(id)}`;
}

/** Labels of the pod, then those of its node that the pod lacks; idle has none. */
function labelsOf(text: (column: string) => string): string {
  if (text('container') === '__idle__') return '';
  const own = text('labels');
  const of = own === '' ? {} : (JSON.parse(own) as Record<string, string>);
  const { aws, gce, azure } = { aws: 'eks_amazonaws_com_nodegroup', gce: 'cloud_google_com_gke_nodepool', azure: 'kubernetes_azure_com_agentpool' }; // prettier-ignore
  const pools = new Map([['aws', aws], ['gce', gce], ['azure', azure]]); // prettier-ignore
  const ofNode = {
    node_kubernetes_io_instance_type: text('instanceType'),
    topology_kubernetes_io_region: text('region'),
    topology_kubernetes_io_zone: text('zone'),
    [pools.get(text('providerID').split('://')[0] ?? '') ?? 'nodepool']: text('nodePool'),
  };
  const added = Object.entries(ofNode).filter(([name, value]) => value !== '' && !(name in of));
  if (added.length === 0) return own;
  const members = added.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `${own === '' ? '{' : `${own.slice(0, -1)},`}${members.join(',')}}`;
}

function propertiesOf(text: (column: string) => string): string {
  const identity = IDENTITY_COLUMNS.filter((name) => text(name) !== '').map((name) =>
    name === 'providerID' ? idsOf(text(name)) : `"${name}":${JSON.stringify(text(name))}`,
  );
  const shown = (column: string): string => (column === 'labels' ? labelsOf(text) : text(column));
  const texts = Object.entries(ALIASES).flatMap(([column, names]) =>
    shown(column) === '' ? [] : names.map((name) => `"${name}":${shown(column)}`),
  );
  return `{${[...identity, ...texts].join(',')}}`;
}

/** One row as an object. */
export function jsonObject(frame: Frame, texts: Texts, i: number, options: RowOptions): string {
  const row = rowOf(frame, texts, i);
  const member = (field: string): string => `"${field}":${jsonNumber(row.number(field))}`;
  const [start, end] = [moment(options.window.startMs), moment(options.window.endMs)];
  const raw = options.isRaw ? `{${RAW.map(member).join(',')}}` : 'null';
  const bounds = `{"lower":${jsonNumber(row.lower)},"upper":${jsonNumber(row.upper)}}`;
  return `{${[
    `"name":${JSON.stringify(row.text('name'))}`,
    `"properties":${propertiesOf(row.text)}`,
    `"window":{"start":"${start}","end":"${end}"}`,
    `"start":"${row.time('startMs')}"`,
    `"end":"${row.time('endMs')}"`,
    ...FIELDS.map(member),
    `"pvs":${row.text('pvs') || 'null'}`,
    `"lbAllocations":${row.text('lbAllocations') || 'null'}`,
    `"rawAllocationOnly":${raw}`,
    `"priceSource":${JSON.stringify(row.text('priceSource') || null)}`,
    `"endSource":"${row.endSource}"`,
    `"endUncertaintySeconds":${jsonNumber(row.uncertainty)}`,
    ...(options.resolutionMs > 0 ? [`"accuracy":${bounds}`] : []),
  ].join(',')}}`;
}

/** All rows as members of the set's object. */
export function jsonMembers(frame: Frame, texts: Texts, options: RowOptions): string {
  return Array.from({ length: frame.rows }, (_, i) => {
    const name = JSON.stringify(rowOf(frame, texts, i).text('name'));
    return `${name}:${jsonObject(frame, texts, i, options)}`;
  }).join(',');
}

/** One row as a line of CSV, by container as rows are that are not aggregated. */
export function csvLineOf(frame: Frame, texts: Texts, i: number, options: RowOptions): string {
  const { format } = options;
  if (format.kind !== 'csv') throw new Error(`BUG: ${format.kind} as CSV`);
  const row = rowOf(frame, texts, i);
  const number = (value: number): string => csvNumber(value, format.decimals ?? undefined);
  const named = csvText(row.text('name'));
  if (!format.isFull) {
    return `${[named, ...SUMMARY.map((value) => number(value(row.measure)))].join(',')}\n`;
  }
  const fields = [...FIELDS, ...(options.isRaw ? RAW : [])];
  const cells = [
    named,
    ...NAME_PARTS.map((_, part) => csvText(row.text(`part${part}`))),
    moment(options.window.startMs),
    moment(options.window.endMs),
    row.time('startMs'),
    row.time('endMs'),
    ...fields.map((field) => number(row.number(field))),
    csvText(row.text('priceSource')),
    row.endSource,
    number(row.uncertainty),
    ...(options.resolutionMs > 0 ? [number(row.lower), number(row.upper)] : []),
    csvText(row.text('labels')),
  ];
  return `${cells.join(',')}\n`;
}
