/** Nothing is billed: why, and how bills and external costs come in. */
import type { Answer } from '../api.ts';
import type { Shown } from '../answers.ts';
import { day } from '../format.ts';
import { Empty } from '../parts/states.tsx';
import type { ComponentChildren, VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { href } from '../state.ts';

export interface BillSource {
  readonly key: string;
  readonly coverage?: { readonly start: string; readonly end: string };
}

/** @param filter '' where none leaves charges out */
export function NoCharges({
  bills,
  filter,
  clear,
  children,
}: {
  /** Those there are; who may not see them is not told. */
  bills: Shown<Answer<readonly BillSource[]>>;
  filter: string;
  /** Shows all charges. */
  clear: string;
  /** How bills come in. */
  children: ComponentChildren;
}): VNode {
  const sources = bills.answer?.data ?? [];
  if (sources.length === 0 && bills.error === undefined) {
    return <Empty>{children}</Empty>;
  }
  return (
    <Empty>
      <p>
        <strong>No charge of this window{filter === '' ? '' : ' meets the filter'}.</strong>{' '}
        {filter !== '' && <a href={clear}>Show all charges</a>}
      </p>
      {sources.map(({ key, coverage }) => (
        <p key={key} class="hint">
          {key} tells of{' '}
          {coverage === undefined ? (
            'no day yet'
          ) : (
            <a href={href({ window: `${coverage.start},${coverage.end}`, open: '' })}>
              {day(Date.parse(coverage.start), zone())} to{' '}
              {day(Date.parse(coverage.end) - 1, zone())}
            </a>
          )}
          .
        </p>
      ))}
    </Empty>
  );
}

export function HowBillsCome(): VNode {
  return (
    <>
      <p>
        <strong>No bill of a cloud is here.</strong> With one, this page tells what each service costs,
        what of it is in Kubernetes, and costs of workloads are adjusted to what was paid.
      </p>
      <p>
        Have the cloud export its bill as FOCUS 1.0 to 1.3 (CSV or Parquet), and let the server read it, each
        10 minutes:
      </p>
      <ul>
        <li>
          from a folder: <code>--bill-folder DIR</code> reads all of{' '}
          <code>DIR/cloud/SOURCE/</code>
        </li>
        <li>
          from a bucket or a URL: <code>--bill-url 'cloud/SOURCE=s3://BUCKET/PREFIX/'</code>
        </li>
        <li>
          once, by hand, with a data folder:{' '}
          <code>prorata import focus FILE… --as cloud --source SOURCE --data-dir DIR</code>
        </li>
      </ul>
    </>
  );
} // prettier-ignore

export function HowExternalsCome(): VNode {
  return (
    <>
      <p>
        <strong>No external costs are here.</strong> Those are what others than the cloud charge: monitoring,
        models, databases, licences. With labels of a team or a namespace they join the costs of workloads.
      </p>
      <ul>
        <li>
          Bills in FOCUS: <code>DIR/external/SOURCE/</code> below <code>--bill-folder DIR</code>, or{' '}
          <code>--bill-url 'external/SOURCE=URL'</code>
        </li>
        <li>
          Costs that a program pushes, a line of JSON each: <code>POST model/customCost?source=NAME&amp;window=yesterday</code>
          , taken where <code>CUSTOM_COST_TOKEN</code> is set or from the role <code>editor</code>
          <pre tabIndex={0}>{EXAMPLE}</pre>
        </li>
      </ul>
    </>
  );
} // prettier-ignore

const EXAMPLE =
  '{"start":"2026-11-21T00:00:00Z","end":"2026-11-22T00:00:00Z","domain":"openai","billedCost":12.5,"labels":{"team":"search"}}';
