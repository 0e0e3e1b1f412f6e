/** Expected rows as JSON, NDJSON and CSV: `JSON.stringify` and a dozen lines of quoting. */
import { END_SOURCES, IDENTITY, type Shown } from './expected-rows.ts';

/** How rows of one set are shown. */
export interface Showing {
  readonly startMs: number;
  readonly endMs: number;
  /** Neither aggregated nor accumulated: maxima and volumes are shown. */
  readonly isRaw: boolean;
}

type Measures = (name: string) => number;

const HOUR_MS = 3_600_000;
const COSTS: readonly string[] = [
  'cpuCost', 'cpuCostAdjustment', 'gpuCost', 'gpuCostAdjustment', 'networkCost', 'networkCostAdjustment',
  'loadBalancerCost', 'loadBalancerCostAdjustment', 'pvCost', 'pvCostAdjustment', 'ramCost',
  'ramCostAdjustment', 'sharedCost', 'externalCost',
]; // prettier-ignore
const FIELDS: readonly string[] = [
  'minutes', 'cpuCores', 'cpuCoreRequestAverage', 'cpuCoreUsageAverage', 'cpuCoreHours', 'cpuCost',
  'cpuCostAdjustment', 'cpuCostIdle', 'cpuEfficiency', 'gpuCount', 'gpuRequestAverage', 'gpuUsageAverage',
  'gpuHours', 'gpuCost', 'gpuCostAdjustment', 'gpuCostIdle', 'gpuEfficiency',
  'networkTransferBytes', 'networkReceiveBytes', 'networkCost', 'networkCrossZoneCost',
  'networkCrossRegionCost', 'networkInternetCost', 'networkCostAdjustment', 'loadBalancerCost',
  'loadBalancerCostAdjustment', 'pvBytes', 'pvByteHours', 'pvCost', 'pvCostAdjustment', 'ramBytes',
  'ramByteRequestAverage', 'ramByteUsageAverage', 'ramByteHours', 'ramCost', 'ramCostAdjustment',
  'ramCostIdle', 'ramEfficiency', 'sharedCost', 'externalCost', 'totalCost', 'totalEfficiency',
]; // prettier-ignore
const RAW_FIELDS: readonly string[] = ['cpuCoreUsageMax', 'ramByteUsageMax'];

type Numbers = Readonly<Record<string, number>>;

/** The numbers of a row, by their names in JSON. */
export function numbersOf({ measures, startMs, endMs }: Shown): Numbers {
  const of: Measures = (name) => measures[name] ?? 0;
  const hours = (endMs - startMs) / HOUR_MS;
  const average = (name: string): number => (hours > 0 ? of(name) / hours : 0);
  const [cpuCost, ramCost] = [of('cpuCost'), of('ramCost')];
  const cpuEfficiency = efficiency(of('cpuCoreUsageHours'), of('cpuCoreRequestHours'), cpuCost);
  const ramEfficiency = efficiency(of('ramByteUsageHours'), of('ramByteRequestHours'), ramCost);
  const weight = cpuCost + ramCost;
  const mean = (cpuEfficiency * cpuCost + ramEfficiency * ramCost) / weight;
  return {
    ...measures,
    minutes: hours * 60,
    cpuCores: average('cpuCoreHours'),
    cpuCoreRequestAverage: average('cpuCoreRequestHours'),
    cpuCoreUsageAverage: average('cpuCoreUsageHours'),
    gpuCount: average('gpuHours'),
    gpuRequestAverage: average('gpuRequestHours'),
    gpuUsageAverage: average('gpuUsageHours'),
    gpuEfficiency: efficiency(of('gpuUsageHours'), of('gpuRequestHours'), 0),
    pvBytes: average('pvByteHours'),
    ramBytes: average('ramByteHours'),
    ramByteRequestAverage: average('ramByteRequestHours'),
    ramByteUsageAverage: average('ramByteUsageHours'),
    cpuEfficiency,
    ramEfficiency,
    totalCost: COSTS.reduce((sum, name) => sum + of(name), 0),
    totalEfficiency: weight > 0 ? mean : 0,
  };
}

function cost(of: Measures, name: string): number {
  return of(name) + of(`${name}Adjustment`);
}

function efficiency(usage: number, request: number, costs: number): number {
  if (request > 0) return usage / request;
  return usage > 0 && costs > 0 ? 1 : 0;
}

/** A row as an object of JSON. */
export function jsonOf(row: Shown, { startMs, endMs, isRaw }: Showing): string {
  const of = numbersOf(row);
  const numbers = (names: readonly string[]): string =>
    names.map((name) => `"${name}":${of[name] ?? 0}`).join(',');
  const raw = isRaw ? `{${numbers(RAW_FIELDS)}}` : 'null';
  return `{${[
    `"name":${JSON.stringify(row.name)}`,
    `"properties":${propertiesOf(row)}`,
    `"window":{"start":"${moment(startMs)}","end":"${moment(endMs)}"}`,
    `"start":"${moment(row.startMs)}"`,
    `"end":"${moment(row.endMs)}"`,
    numbers(FIELDS),
    `"pvs":${row.pvs || 'null'}`,
    '"lbAllocations":null',
    `"rawAllocationOnly":${raw}`,
    `"priceSource":${row.priceSource === '' ? 'null' : `"${row.priceSource}"`}`,
    `"endSource":"${END_SOURCES[row.endSource]}"`,
    `"endUncertaintySeconds":${row.endUncertaintyMs / 1000}`,
  ].join(',')}}`;
}

function propertiesOf({ identity, objects, services }: Shown): string {
  const texts: [names: readonly string[], text: string][] = [
    [['label', 'labels'], objects.labels],
    [['annotation', 'annotations'], objects.annotations],
    [['namespaceLabels'], objects.namespaceLabels],
    [['namespaceAnnotations'], objects.namespaceAnnotations],
    [['service', 'services'], services],
  ];
  return `{${[
    ...IDENTITY.filter((name) => identity[name] !== '').flatMap((name) =>
      name === 'providerID'
        ? [member(name, shortId(identity[name])), member('providerIDFull', identity[name])]
        : [member(name, identity[name])],
    ),
    ...texts
      .filter(([, text]) => text !== '')
      .flatMap(([names, text]) => names.map((name) => `"${name}":${text}`)),
  ].join(',')}}`;
}

function member(name: string, value: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** The id of the machine alone. */
function shortId(providerId: string): string {
  return providerId.slice(providerId.lastIndexOf('/') + 1);
}

const SUMMARY_CELLS: readonly string[] = ['cpuCost', 'gpuCost', 'ramCost', 'pvCost', 'networkCost', 'loadBalancerCost', 'externalCost', 'sharedCost']; // prettier-ignore
export const SUMMARY_HEADER =
  'Name,CPU,GPU,RAM,PV,Network,LoadBalancer,External,Shared,Efficiency,Total\n';

/** A row's line under the columns clients know. */
export function summaryLineOf(row: Shown): string {
  const of = numbersOf(row);
  const costs = SUMMARY_CELLS.map((name) => cost((each) => of[each] ?? 0, name));
  return `${[cell(row.name), ...costs, of['totalEfficiency'], of['totalCost']].join(',')}\n`;
}

/** @param parts what the parts of names are called */
export function fullHeader(parts: readonly string[], isRaw: boolean): string {
  const names = ['name', ...parts, 'windowStart', 'windowEnd', 'start', 'end', ...FIELDS];
  const raw = isRaw ? RAW_FIELDS : [];
  return `${[...names, ...raw, 'priceSource', 'endSource', 'endUncertaintySeconds', 'labels'].join(',')}\n`;
}

/** A row's line under every column. */
export function fullLineOf(row: Shown, { startMs, endMs, isRaw }: Showing): string {
  const of = numbersOf(row);
  const fields = isRaw ? [...FIELDS, ...RAW_FIELDS] : FIELDS;
  return `${[
    cell(row.name),
    ...row.parts.map(cell),
    moment(startMs),
    moment(endMs),
    moment(row.startMs),
    moment(row.endMs),
    ...fields.map((name) => of[name] ?? 0),
    row.priceSource,
    END_SOURCES[row.endSource],
    row.endUncertaintyMs / 1000,
    cell(row.objects.labels),
  ].join(',')}\n`;
}

/** RFC 4180; what a spreadsheet would run is led by a quote. */
function cell(text: string): string {
  const plain = '=+-@\t\r'.includes(text.charAt(0) || ' ') ? `'${text}` : text;
  const needsQuotes = [',', '"', '\n', '\r'].some((char) => plain.includes(char));
  return needsQuotes ? `"${plain.split('"').join('""')}"` : plain;
}

function moment(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
