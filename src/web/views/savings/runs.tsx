/** Runs that changed requests: what each did so far, and the way back. */
import { reload, useAnswer } from '../../answers.ts';
import { ApiError, send } from '../../api.ts';
import { moment } from '../../format.ts';
import { Failure, Loaded } from '../../parts/states.tsx';
import { useEffect, useState, type VNode } from '../../preact.ts';
import { mayAct, zone } from '../../session.ts';

interface Step {
  readonly container: string;
  readonly resource: string;
  readonly from: string;
  readonly to: string;
}

interface Run {
  readonly id: string;
  readonly what: 'apply' | 'undo';
  readonly of?: string;
  readonly begun: string;
  readonly isRunning: boolean;
  readonly changes: readonly {
    readonly change: {
      readonly controller: { readonly kind: string; readonly namespace: string; readonly name: string };
      readonly steps: readonly Step[];
    };
    readonly outcome: 'done' | 'failed' | 'unknown';
  }[];
} // prettier-ignore

const AGAIN_MS = 1000;
const SHOWN = 5;

/** @param isLive asked again each second, as something runs */
export function Runs({ isLive }: { isLive: boolean }): VNode {
  const [turn, take] = useState(0);
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => take((count) => count + 1), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  const shown = useAnswer<readonly Run[]>(`cluster/requestsizer/applies?_=${turn}`);
  return (
    <Loaded shown={shown} lines={2}>
      {({ data }) => (
        <ol class="runs" aria-label="Runs" reversed>
          {data.slice(0, isLive ? 1 : SHOWN).map((run) => (
            <RunLine key={run.id} run={run} isUndone={data.some(({ of }) => of === run.id)} />
          ))}
          {data.length === 0 && <li class="dim">Nothing was changed yet.</li>}
        </ol>
      )}
    </Loaded>
  );
}

const WORDS = { done: 'done', failed: 'failed', unknown: 'under way' } as const;

function RunLine({ run, isUndone }: { run: Run; isUndone: boolean }): VNode {
  const done = run.changes.filter(({ outcome }) => outcome === 'done').length;
  const what = run.what === 'apply' ? 'Applied' : 'Undone';
  return (
    <li>
      <p>
        <strong>{what}</strong> {moment(Date.parse(run.begun), zone())}: {done} of{' '}
        {run.changes.length} done
        {run.isRunning && ' so far'}
        {isUndone && <span class="dim"> · undone since</span>}
        {run.what === 'apply' && !isUndone && !run.isRunning && done > 0 && <Undo id={run.id} />}
      </p>
      <ul>
        {run.changes.map(({ change: { controller, steps }, outcome }) => (
          <li key={`${controller.kind} ${controller.namespace}/${controller.name}`}>
            <bdi>
              {controller.namespace}/{controller.name}
            </bdi>{' '}
            <span class={outcome === 'failed' ? 'more' : 'dim'}>{WORDS[outcome]}</span>:{' '}
            {steps.map(({ container, resource, from, to }) => (
              <span key={`${container} ${resource}`} class="step">
                <bdi>{container}</bdi> {resource} {from} → {to}{' '}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Undo({ id }: { id: string }): VNode {
  const [isUnderWay, setUnderWay] = useState(false);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const undo = (): void => {
    setUnderWay(true);
    setError(undefined);
    send('POST', 'cluster/requestsizer/undo', { id }).then(reload, (thrown: unknown) => {
      setUnderWay(false);
      setError(thrown instanceof ApiError ? thrown : new ApiError(0, String(thrown)));
    });
  };
  if (!mayAct('operator')) return <span class="dim"> · to undo it takes the role operator</span>;
  return (
    <>
      {' '}
      <button type="button" onClick={undo} disabled={isUnderWay}>
        {isUnderWay ? 'Undoing …' : 'Undo'}
      </button>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}
