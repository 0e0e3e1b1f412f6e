/** What changed most, and why: sentences, each in parts that add up to its change, and all to that of the whole. */
import { useAnswer, useText } from '../answers.ts';
import { changeOf, reasonsOf, type Change } from '../costs/change.ts';
import { compared, type Compared } from '../costs/compare.ts';
import { filterOf, isIdle, shortName, shownName, valuesOf } from '../costs/fields.ts';
import { own } from '../costs/own.ts';
import type { Comparison } from '../costs/periods.ts';
import { detailPath, rowsPath } from '../costs/questions.ts';
import { readRows, type CostRows } from '../costs/rows.ts';
import { REASON_WORDS, sentenceOf } from '../costs/sentences.ts';
import { day, moneyChange, moneyOrZero } from '../format.ts';
import { signClass } from '../parts/cost-table.tsx';
import type { DetailSets } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { href } from '../state.ts';
import type { PageState } from '../url.ts';

const BY: readonly string[] = ['namespace', 'controller'];
const SENTENCES = 8;

export function Changes({
  plain,
  comparison,
}: {
  plain: PageState;
  comparison: Comparison;
}): VNode {
  const question = { ...plain, by: BY };
  const now = useText(rowsPath(question, comparison.now));
  const before = useText(rowsPath(question, comparison.before));
  const { nowSpan, beforeSpan } = comparison;
  const words = [nowSpan, beforeSpan].map(
    ({ startMs, endMs }) => `${day(startMs, zone())} to ${day(endMs - 1, zone())}`,
  );
  return (
    <section class="card broad">
      <h2>
        What changed <small>{words.join(', against ')}</small>
      </h2>
      <Loaded shown={before.answer === undefined ? before : now} lines={SENTENCES}>
        {() => (
          <Largest
            now={now.answer ?? ''}
            before={before.answer ?? ''}
            question={question}
            comparison={comparison}
          />
        )}
      </Loaded>
    </section>
  );
}

interface LargestProps {
  readonly now: string;
  readonly before: string;
  readonly question: PageState;
  readonly comparison: Comparison;
}

/** Names whose cost changed most, of all that there are. */
function namesOf(now: CostRows, before: CostRows, { changeOf: of }: Compared): string[] {
  const names = new Set([...now.names, ...before.names].filter((name) => !isIdle(name)));
  const most = [...names].map((name) => ({ name, usd: Math.abs(of(name) ?? 0) }));
  const counted = most.filter(({ usd }) => usd >= 0.005);
  return counted
    .toSorted((a, b) => b.usd - a.usd)
    .slice(0, SENTENCES)
    .map(({ name }) => name);
}

function Largest({ now, before, question, comparison }: LargestProps): VNode {
  const [names, sums] = useMemo(() => {
    const [rowsNow, rowsBefore] = [readRows(now), readRows(before)];
    const both = compared(rowsNow, rowsBefore);
    return [namesOf(rowsNow, rowsBefore, both), both] as const;
  }, [now, before]);
  const filter = names
    .map((name) =>
      valuesOf(name, BY)
        .map((value, at) => filterOf({ field: BY[at] ?? '', value }))
        .join('+'),
    )
    .map((each) => `(${each})`)
    .join('|');
  const asked = { ...question, filter };
  const isAny = names.length > 0;
  const detailNow = useAnswer<DetailSets>(
    isAny ? detailPath(asked, comparison.now, BY) : undefined,
  );
  const detailBefore = useAnswer<DetailSets>(
    isAny ? detailPath(asked, comparison.before, BY) : undefined,
  );
  if (sums.before === 0) {
    return <p class="hint">There is nothing to compare with: the time before is not stored.</p>;
  }
  if (!isAny) return <p class="hint">No workload changed by as much as a cent.</p>;
  return (
    <Loaded shown={detailBefore.answer === undefined ? detailBefore : detailNow} lines={SENTENCES}>
      {() => {
        const changes = names.map((name) =>
          changeOf(
            name,
            own(detailBefore.answer?.data[0], name),
            own(detailNow.answer?.data[0], name),
          ),
        );
        return <Sentences changes={changes} sums={sums} window={comparison.now} />;
      }}
    </Loaded>
  );
}

function Sentences({
  changes,
  sums,
  window,
}: {
  changes: readonly Change[];
  sums: Compared;
  window: string;
}): VNode {
  const told = changes.reduce((sum, { usd }) => sum + usd, 0);
  const all = sums.now - sums.before;
  const idle = sums.idleNow - sums.idleBefore;
  return (
    <>
      <ul class="sentences">
        {changes.map((change) => (
          <Sentence key={change.name} change={change} window={window} />
        ))}
      </ul>
      <table class="list sums">
        <tbody>
          <Sum says={`these ${changes.length} workloads`} usd={told} />
          <Sum says="all others" usd={all - told} />
          <Sum says="idle" usd={idle} />
        </tbody>
        <tfoot>
          <Sum
            says={`from ${moneyOrZero(sums.before + sums.idleBefore)} to ${moneyOrZero(sums.now + sums.idleNow)}`}
            usd={all + idle}
          />
        </tfoot>
      </table>
      <p class="hint">
        Of these workloads:{' '}
        {reasonsOf(changes)
          .filter(({ usd }) => Math.abs(usd) >= 0.005)
          .map(({ reason, usd }) => `${REASON_WORDS[reason]} ${moneyChange(usd)}`)
          .join(', ')}
      </p>
    </>
  );
}

function Sum({ says, usd }: { says: string; usd: number }): VNode {
  return (
    <tr>
      <th scope="row">{says}</th>
      <td class={`num ${signClass(usd)}`}>{moneyChange(usd) || '±0'}</td>
    </tr>
  );
}

function Sentence({ change, window }: { change: Change; window: string }): VNode {
  const { name, usd, parts } = change;
  const values = valuesOf(name, BY);
  const path = BY.slice(0, 1).map((field, at) => ({ field, value: values[at] ?? '' }));
  const link = href({
    view: 'allocations',
    window,
    path,
    by: ['controller'],
    open: values[1] ?? '',
  });
  return (
    <li>
      <details>
        <summary>
          <span class={`num ${signClass(usd)}`}>{moneyChange(usd)}</span>
          <span>
            <b title={shownName(name)}>{shortName(name)}</b> {sentenceOf(change)}
          </span>
        </summary>
        <table class="list">
          <tbody>
            {parts.map(({ reason, usd: part }) => (
              <tr key={reason}>
                <th scope="row">{REASON_WORDS[reason]}</th>
                <td class="num">{moneyChange(part) || '<$0.01'}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">
                from {moneyOrZero(change.before)} to {moneyOrZero(change.now)}
              </th>
              <td class="num">{moneyChange(usd)}</td>
            </tr>
          </tfoot>
        </table>
        <a href={link}>What it is made of</a>
      </details>
    </li>
  );
}
