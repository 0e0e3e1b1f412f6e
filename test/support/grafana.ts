/** What a dashboard's file asks of a metrics store, as Grafana does when it is opened. */

interface Target {
  readonly refId: string;
  readonly expr: string;
}

export interface GrafanaPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly (Target & { readonly datasource: { readonly uid: string } })[];
}

export interface GrafanaVariable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
  readonly allValue?: string;
}

export interface GrafanaDashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly GrafanaVariable[] };
  readonly panels: readonly GrafanaPanel[];
}

export type Values = Readonly<Record<string, string>>;

/** What Grafana knows by itself, of a range of a minute. */
const BUILT_IN: Values = {
  __range: '60s',
  __interval: '1s',
  __interval_ms: '1000',
  __rate_interval: '1m',
};

/** @throws where a variable has no value */
export function filledIn(text: string, values: Values): string {
  return text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, plain?: string) => {
    // A group of a replacement, not a variable.
    if (/^\$\d$/.test(whole)) return whole;
    const value = { ...BUILT_IN, ...values }[braced ?? plain ?? ''];
    if (value === undefined) throw new Error(`${whole} has no value in ${text}`);
    return value;
  });
}

/** Titles of panels with their queries, filled in. */
export function queriesOf(
  { panels }: GrafanaDashboard,
  values: Values,
): (readonly [title: string, query: string])[] {
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr }) => [`${title} ${refId}`, filledIn(expr, values)] as const),
  );
}

/** The series and the label of `label_values(series, label)`. @throws for other questions */
export function labelValues({ name, query }: GrafanaVariable): readonly [string, string] {
  const text = typeof query === 'string' ? query : query.query;
  const [, series, label] = /^label_values\((.+), (\w+)\)$/.exec(text) ?? [];
  if (series === undefined || label === undefined) throw new Error(`${name} asks for ${text}`);
  return [series, label];
}

/** What of a dashboard a reader could not understand, or Grafana would draw in the wrong place. */
export function faultsOf({ panels }: GrafanaDashboard): string[] {
  const ids = new Set(panels.map(({ id }) => id));
  const cells = new Map<string, string>();
  const faults = ids.size < panels.length ? ['two panels have one id'] : [];
  for (const {
    type,
    title,
    description = '',
    gridPos,
    datasource,
    fieldConfig,
    targets = [],
  } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        const there = cells.get(`${x} ${y}`);
        if (there !== undefined || x >= 24) faults.push(`${title} covers ${there ?? 'the edge'}`);
        cells.set(`${x} ${y}`, title);
      }
    }
    if (type === 'row') continue;
    if (!/^[A-Z].*\.$/.test(description))
      faults.push(`${title} has no sentence that tells what it shows`);
    if (fieldConfig?.defaults.unit === undefined) faults.push(`${title} has no unit`);
    if (targets.length === 0) faults.push(`${title} asks nothing`);
    const sources = [datasource, ...targets.map((target) => target.datasource)];
    if (sources.some((source) => source?.uid !== '${datasource}'))
      faults.push(`${title} has a data source of its own`);
  }
  return faults;
}
