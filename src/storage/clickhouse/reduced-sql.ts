/** The question that adds up the rows of a set (../reduction.ts), and how its answer is read. */
import type { ReducedColumn, ReducedPlan, Reduction } from '../reduction.ts';
import { literal, quoted } from './client.ts';
import { exactLiteral, splitsOf } from './exact-sums.ts';
import { ROW } from './tables.ts';
import type { SetFacts } from './set-facts.ts';
import type { SetVersion } from './set-file.ts';

export interface ReducedQuestion {
  readonly sql: string;
  readonly plan: ReducedPlan;
}

/** What the answer has of a column: what is selected from all rows, and from each group. */
interface Selected {
  readonly column: ReducedColumn;
  readonly inner: readonly string[];
  readonly outer: readonly string[];
}

/**
 * @param from the table, and the condition that chooses the set in it
 * @param groupsMax with more, the server gives up
 * @returns undefined where the set cannot be added up so
 */
export function reducedQuestion(
  { key }: SetVersion,
  facts: SetFacts,
  reduction: Reduction,
  from: { readonly table: string; readonly where: string },
  groupsMax: number,
): ReducedQuestion | undefined {
  const hidden = hiddenKeys(facts, reduction);
  const conditions = conditionsOf(facts, reduction);
  const isWhole = conditions.length === 0;
  const keys = keyColumns(facts, reduction, isWhole);
  const numbers = numberColumns(facts, reduction);
  if (keys === undefined || numbers === undefined) return undefined;
  const told = [...textColumns(facts, reduction), ...numbers];
  const hiddenNames = hidden.map((_, i) => `h${i}`);
  const keyNames = keys.flatMap(({ outer }) => outer);
  const grouped = [...hiddenNames, ...keyNames];
  const inner = [
    quoted(ROW),
    ...hidden.map((each, i) => `${each} AS h${i}`),
    ...[...keys, ...told].flatMap((each) => each.inner),
  ];
  const outer = [
    `min(${quoted(ROW)}) AS firstRow, count() AS rows`,
    ...grouped,
    ...told.flatMap((each) => each.outer),
  ];
  const sql = `SELECT ${outer.join(', ')} FROM (
    SELECT ${[...new Set(inner)].join(', ')} FROM ${from.table}
    WHERE ${[from.where, ...conditions].join(' AND ')})
    ${grouped.length === 0 ? '' : `GROUP BY ${grouped.join(', ')}`} HAVING count() > 0 ORDER BY firstRow
    SETTINGS max_rows_to_group_by = ${groupsMax}, group_by_overflow_mode = 'throw'`;
  const columns = [...keys, ...told].map(({ column }) => column);
  return {
    sql,
    plan: { key, rows: isWhole ? facts.rows : null, hidden: hidden.length, columns },
  };
}

/** Rows that the set has, and those that make the answer useless. */
export function countQuestion(
  facts: SetFacts,
  { without }: Reduction,
  from: { readonly table: string; readonly where: string },
): string {
  const unwanted =
    without === null || !(without.column in facts.texts)
      ? '0'
      : `countIf(${quoted(without.column)} = ${literal(without.text)})`;
  return `SELECT toString(count()) AS rows, toString(${unwanted}) AS unwanted
    FROM ${from.table} WHERE ${from.where}`;
}

function hiddenKeys({ texts }: SetFacts, { apart, apartWhere }: Reduction): string[] {
  return apartWhere.flatMap(({ column, texts: those, by = [column] }) => {
    if (!(column in texts)) return [];
    const isOne = `toString(${quoted(column)}) IN (${those.map(literal).join(', ')})`;
    return by
      .filter((name) => name in texts && !apart.includes(name))
      .map((name) => `if(${isOne}, toString(${quoted(name)}), '')`);
  });
}

/** Undefined where a column has too many texts for all rows. */
function keyColumns(
  { texts }: SetFacts,
  { apart, each }: Reduction,
  isWhole: boolean,
): Selected[] | undefined {
  const selected: Selected[] = [];
  for (const [kind, names] of [
    ['apart', apart],
    ['each', each],
  ] as const) {
    for (const name of names) {
      const known = texts[name];
      if (known === undefined) continue;
      if (known.sum === null && isWhole) return undefined;
      const own = quoted(name);
      selected.push({ column: { name, kind, sum: known.sum }, inner: [own], outer: [own] });
    }
  }
  return selected;
}

function textColumns({ texts }: SetFacts, reduction: Reduction): Selected[] {
  const { alike, alikeWhereKnown, ranked } = reduction;
  const there = (names: readonly string[]): readonly string[] =>
    names.filter((name) => name in texts);
  const pair = (name: string, what: string, suffix: string): Selected => ({
    column: { name, kind: 'alike' },
    inner: [`${quoted(name)}`],
    outer: [`min${suffix}(${what})`, `max${suffix}(${what})`],
  });
  return [
    ...there(alike).map((name) => pair(name, quoted(name), '')),
    ...there(alikeWhereKnown).map((name) =>
      pair(name, `toString(${quoted(name)}), notEmpty(toString(${quoted(name)}))`, 'If'),
    ),
    ...ranked.flatMap(({ column: name, order, ofEmpty }): Selected[] => {
      if (!(name in texts)) return [];
      const places = ['', ...order].map(literal).join(', ');
      const ranks = [ofEmpty, ...order.keys()].join(', ');
      const text = `toString(${quoted(name)})`;
      const rank = `transform(${text}, [${places}], [${ranks}], ${order.length})`;
      return [
        {
          column: { name, kind: 'ranked' },
          inner: [quoted(name)],
          outer: [`argMax(${text}, ${rank})`],
        },
      ];
    }),
  ];
}

/** Undefined where a column has numbers that cannot be added up, or of which no one is the greatest. */
function numberColumns(
  { numbers, rows }: SetFacts,
  { sums, greatest, least }: Reduction,
): Selected[] | undefined {
  const selected: Selected[] = [];
  for (const name of sums) {
    const known = numbers[name];
    if (known === undefined) continue;
    const splits = known && splitsOf(known, rows);
    if (known === null || !splits) return undefined;
    selected.push(summed(name, selected.length, splits, known.sums));
  }
  for (const [what, names] of [
    ['max', greatest],
    ['min', least],
  ] as const) {
    for (const name of names) {
      const known = numbers[name];
      if (known === undefined) continue;
      if (known === null || known.hasMinusZero) return undefined;
      const own = quoted(name);
      selected.push({
        column: { name, kind: 'extreme' },
        inner: [own],
        outer: [`${what}(${own})`],
      });
    }
  }
  return selected;
}

/** Each part of the column, and what is left of it. */
function summed(
  name: string,
  place: number,
  splits: readonly number[],
  sums: readonly number[],
): Selected {
  const inner: string[] = [];
  const parts: string[] = [];
  let rest = quoted(name);
  for (const [i, split] of splits.entries()) {
    const [m, part, next] = [exactLiteral(split), `q${place}_${i}`, `r${place}_${i}`];
    inner.push(`(${rest} + ${m}) - ${m} AS ${part}`, `${rest} - ${part} AS ${next}`);
    parts.push(part);
    rest = next;
  }
  if (splits.length === 0) inner.push(rest);
  const outer = [...parts, rest].map((part) => `sum(${part})`);
  return { column: { name, kind: 'sum', sums }, inner, outer };
}

function conditionsOf({ texts }: SetFacts, { only }: Reduction): string[] {
  return only.flatMap(({ column, texts: those, isNegated }) => {
    if (!(column in texts)) return [];
    return [`${quoted(column)} ${isNegated ? 'NOT IN' : 'IN'} (${those.map(literal).join(', ')})`];
  });
}
