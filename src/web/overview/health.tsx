/** How far the numbers can be trusted: what is stored, where prices come from, what the store lacks. */
import { useAnswer } from '../answers.ts';
import type { Answer } from '../api.ts';
import { money, number } from '../format.ts';
import { Notes } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { session } from '../session.ts';

interface Ready {
  readonly source: string;
  readonly backfill?: {
    readonly done: number;
    readonly total: number;
    readonly failing: readonly string[];
  };
}

const SOURCES: Readonly<Record<string, string>> = {
  bill: 'the bill',
  recentBill: 'the last bill',
  series: 'price series',
  file: 'your file of prices',
  list: 'list prices',
  book: 'the price book',
  fargate: 'list prices of EKS Fargate',
  autopilot: 'list prices of GKE Autopilot',
  windows: 'list prices with the Windows licence',
  virtual: 'virtual nodes, which cost nothing themselves',
  kwok: 'simulated nodes',
};

export function Health({ answer }: { answer: Answer<unknown> | undefined }): VNode {
  const ready = useAnswer<Ready>('readyz?verbose');
  const filter = session.value.is === 'open' ? session.value.viewer.filter : null;
  const backfill = ready.answer?.data.backfill;
  const prices = Object.entries(answer?.nodeCosts ?? {}).toSorted(([, a], [, b]) => b - a);
  const facts = [
    ...(ready.answer === undefined ? [] : [`read from ${ready.answer.data.source}`]),
    ...(backfill === undefined || backfill.total === 0
      ? []
      : [`${number(backfill.done, 0)} of ${number(backfill.total, 0)} days stored`]),
    ...(backfill?.failing.length ? [`${backfill.failing.length} days cannot be read`] : []),
    ...(prices.length === 0
      ? []
      : [
          `nodes priced by ${prices.map(([source, usd]) => `${SOURCES[source] ?? source} (${money(usd)})`).join(', ')}`,
        ]),
    ...(filter === null ? [] : ['you see some rows alone']),
  ];
  return (
    <section class="health">
      <h2>How sure this is</h2>
      <p>{facts.join(' · ')}</p>
      {answer !== undefined && (
        <Notes
          warnings={[...answer.warnings, ...(answer.message === '' ? [] : [answer.message])]}
          isPartial={answer.isPartial}
        />
      )}
    </section>
  );
}
