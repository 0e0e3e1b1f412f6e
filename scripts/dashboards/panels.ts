/** Grafana's panels as the dashboards here use them: one data source, a description each, laid out in rows of 24 columns. */

export type Unit =
  | 'currencyUSD'
  | 'percentunit'
  | 'bytes'
  | 'Bps'
  | 's'
  | 'short'
  | 'reqps'
  | 'ops'
  | 'cores';

export interface Query {
  readonly expr: string;
  /** Such as `{{namespace}}`; in tables the title of the column. */
  readonly legend: string;
  /** In tables the unit of the column, where it is not the panel's. */
  readonly unit?: Unit;
}

export interface Panel {
  readonly kind: 'stat' | 'timeseries' | 'table';
  readonly title: string;
  /** What it shows and how it is worked out, in plain words. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** How many of the 24 columns it takes. */
  readonly width: number;
  readonly isStacked?: boolean;
  /** Labels that a table shows, by the titles of their columns. */
  readonly columns?: Readonly<Record<string, string>>;
  /** From where on it is shown in red. */
  readonly redFrom?: number;
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  /** Such as `label_values(up, job)`. */
  readonly values: string;
  /** Whether several or all may be chosen. */
  readonly isMany: boolean;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
}

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const HEIGHTS = { stat: 4, timeseries: 8, table: 9 };
/** Bounds how many steps `$__interval` makes of the range of a dashboard. */
const STEPS = 100;

/** The dashboard as Grafana 10 and later import it. */
export function grafanaOf({ uid, title, description, variables, rows }: Dashboard): object {
  return {
    uid,
    title,
    description,
    tags: ['prorata'],
    editable: true,
    graphTooltip: 1,
    schemaVersion: 39,
    version: 1,
    refresh: '5m',
    timezone: 'browser',
    time: { from: 'now-24h', to: 'now' },
    links: [
      {
        type: 'dashboards',
        title: 'prorata',
        tags: ['prorata'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: { list: [sourceVariable(), ...variables.map(queryVariable)] },
    panels: laidOut(rows),
  };
}

function sourceVariable(): object {
  return { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };
}

function queryVariable({ name, label, values, isMany }: Variable): object {
  return {
    name,
    label,
    type: 'query',
    datasource: SOURCE,
    definition: values,
    query: { query: values, refId: name },
    // When the range changes: what is gone is not offered.
    refresh: 2,
    sort: 1,
    ...(isMany
      ? { multi: true, includeAll: true, allValue: '.*', current: { text: 'All', value: '$__all' } }
      : {}),
  };
}

function laidOut(rows: Dashboard['rows']): object[] {
  const all: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    all.push({
      id: all.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    });
    y++;
    let [x, highest] = [0, 0];
    for (const panel of panels) {
      if (x + panel.width > 24) [x, y, highest] = [0, y + highest, 0];
      const height = HEIGHTS[panel.kind];
      all.push(grafanaPanel(panel, all.length + 1, { x, y, w: panel.width, h: height }));
      x += panel.width;
      highest = Math.max(highest, height);
    }
    y += highest;
  }
  return all;
}

function grafanaPanel(panel: Panel, id: number, gridPos: object): object {
  const { kind, title, description, unit, queries, redFrom, isStacked = false } = panel;
  const isTable = kind === 'table';
  const isNow = kind !== 'timeseries';
  return {
    id,
    type: kind,
    title,
    description,
    gridPos,
    datasource: SOURCE,
    ...(isNow ? { maxDataPoints: STEPS } : {}),
    fieldConfig: {
      defaults: {
        ...fieldUnit(unit),
        ...(redFrom === undefined
          ? {}
          : {
              color: { mode: 'thresholds' },
              thresholds: {
                mode: 'absolute',
                steps: [
                  { color: 'green', value: null },
                  { color: 'red', value: redFrom },
                ],
              },
            }),
        ...(kind === 'timeseries'
          ? {
              min: 0,
              custom: {
                fillOpacity: isStacked ? 40 : 5,
                stacking: { mode: isStacked ? 'normal' : 'none' },
              },
            }
          : {}),
      },
      overrides: isTable ? columnUnits(queries) : [],
    },
    options: optionsOf(kind),
    targets: queries.map(({ expr, legend }, i) => ({
      refId: refOf(i),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
      instant: isNow,
      range: !isNow,
      ...(isTable ? { format: 'table' } : {}),
    })),
    ...(isTable ? { transformations: joined(panel) } : {}),
  };
}

function optionsOf(kind: Panel['kind']): object {
  if (kind === 'timeseries')
    return {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    };
  if (kind === 'stat')
    return { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'none' };
  return { cellHeight: 'sm', footer: { show: false } };
}

function fieldUnit(unit: Unit): object {
  return unit === 'cores' ? { unit: 'short', decimals: 2 } : { unit };
}

const refOf = (i: number): string => String.fromCharCode(65 + i);

function columnUnits(queries: readonly Query[]): object[] {
  return queries.flatMap(({ legend, unit }) =>
    unit === undefined
      ? []
      : [
          {
            matcher: { id: 'byName', options: legend },
            properties: Object.entries(fieldUnit(unit)).map(([id, value]) => ({ id, value })),
          },
        ],
  );
}

/** One row for equal labels, a column for each label and each query. */
function joined({ columns = {}, queries }: Panel): object[] {
  const titles = Object.entries(columns);
  const values = queries.map(
    ({ legend }, i) => [`Value${queries.length > 1 ? ` #${refOf(i)}` : ''}`, legend] as const,
  );
  const all = [...titles, ...values];
  return [
    { id: 'merge', options: {} },
    {
      id: 'organize',
      options: {
        excludeByName: { Time: true },
        indexByName: Object.fromEntries(all.map(([name], i) => [name, i])),
        renameByName: Object.fromEntries(all),
      },
    },
    { id: 'sortBy', options: { sort: [{ field: queries[0]?.legend, desc: true }] } },
  ];
}
