/** A plan: the difference it makes, what it leaves out and why, and its apply behind a typed confirmation. */
import { ApiError, send, sendFor } from '../../api.ts';
import { reload } from '../../answers.ts';
import { moneyOrZero } from '../../format.ts';
import { List, type Column } from '../../parts/list.tsx';
import { Empty, Failure } from '../../parts/states.tsx';
import { useEffect, useState, type VNode } from '../../preact.ts';
import { mayAct } from '../../session.ts';
import { amount } from './amount.ts';
import { Runs } from './runs.tsx';
import { namespacesOf, stepsOf, type Plan, type PlannedStep, type Sizing } from './sizing.ts';

interface Planned {
  readonly plan: Plan;
  readonly steps: readonly PlannedStep[];
  readonly dropped: readonly string[];
}

type Stage =
  | { readonly is: 'planning' }
  | { readonly is: 'planned'; readonly planned: Planned }
  | { readonly is: 'applying'; readonly planned: Planned }
  | { readonly is: 'applied'; readonly result: RunResult }
  | { readonly is: 'failed'; readonly error: ApiError };

interface RunResult {
  readonly Errors: readonly string[];
  readonly Warnings: readonly string[];
}

const ROOT = 'cluster/requestsizer';

export function PlanPanel({
  sizings,
  onClose,
}: {
  sizings: readonly Sizing[];
  onClose: () => void;
}): VNode {
  const [stage, enter] = useState<Stage>({ is: 'planning' });
  const fail = (thrown: unknown): void =>
    enter({
      is: 'failed',
      error: thrown instanceof ApiError ? thrown : new ApiError(0, String(thrown)),
    });
  useEffect(() => {
    planOf(sizings).then((planned) => enter({ is: 'planned', planned }), fail);
  }, [sizings.map(({ key }) => key).join('\n')]);
  const apply = (planned: Planned): void => {
    enter({ is: 'applying', planned });
    send<RunResult>('POST', `${ROOT}/apply`, planned.plan).then(({ data }) => {
      enter({ is: 'applied', result: data });
      reload();
    }, fail);
  };
  return (
    <section class="plan" aria-label="Plan" aria-busy={stage.is === 'planning'}>
      <header>
        <h2>Plan</h2>
        <button type="button" class="quiet" onClick={onClose} disabled={stage.is === 'applying'}>
          Close
        </button>
      </header>
      {stage.is === 'planning' && <p>The cluster is looked at …</p>}
      {stage.is === 'failed' && <Failure error={stage.error} />}
      {stage.is === 'planned' && <Confirmed planned={stage.planned} onApply={apply} />}
      {stage.is === 'applying' && (
        <>
          <p role="status">
            Under way: {controllersOf(stage.planned.plan)}, at most five a second. Leaving this page
            stops it after the change under way.
          </p>
          <Runs isLive={true} />
        </>
      )}
      {stage.is === 'applied' && <Result result={stage.result} />}
      {stage.is === 'applied' && <Runs isLive={false} />}
    </section>
  );
}

async function planOf(sizings: readonly Sizing[]): Promise<Planned> {
  const recommendations = sizings.map(({ recommendation }) => recommendation);
  const [{ data }, dropped] = await sendFor<Plan>(
    'POST',
    `${ROOT}/planV2`,
    recommendations,
    'x-plan-dropped',
  );
  return {
    plan: data,
    steps: stepsOf(data, sizings),
    dropped: dropped === '' ? [] : (JSON.parse(dropped) as string[]),
  };
}

const STEPS: readonly Column<PlannedStep>[] = [
  { title: 'container', value: ({ path }) => path, cell: ({ path }) => <bdi>{path}</bdi> },
  { title: 'resource', value: ({ resource }) => resource },
  {
    title: 'from',
    value: ({ from }) => from,
    cell: ({ resource, from }) => <del>{amount(resource, from)}</del>,
  },
  {
    title: 'to',
    value: ({ to }) => to,
    cell: ({ resource, to }) => <ins>{amount(resource, to)}</ins>,
  },
];

function Confirmed({
  planned,
  onApply,
}: {
  planned: Planned;
  onApply: (planned: Planned) => void;
}): VNode {
  const { plan, steps, dropped } = planned;
  const wanted = namespacesOf(plan).join(' ');
  const saves = steps.reduce((sum, step) => sum + step.savings, 0);
  const left = (
    <details class="notes" open={steps.length === 0}>
      <summary>
        {dropped.length} {dropped.length === 1 ? 'thing is' : 'things are'} left as they are
      </summary>
      <ul>
        {dropped.map((reason) => (
          <li key={reason}>
            <bdi>{reason}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
  if (steps.length === 0) {
    return (
      <Empty>
        <p>Nothing of this can be done in the cluster.</p>
        {left}
      </Empty>
    );
  }
  return (
    <>
      <p>
        Lower requests of {controllersOf(plan)} save up to {moneyOrZero(saves)} a month. Their pods
        are replaced one after the other, as their owners roll out changes.
      </p>
      <List
        label="Difference"
        columns={STEPS}
        rows={steps}
        keyOf={({ path, resource }) => `${path} ${resource}`}
      />
      {dropped.length > 0 && left}
      {mayAct('operator') ? (
        <Confirmation wanted={wanted} onApply={() => onApply(planned)} />
      ) : (
        <p class="hint">
          To apply it takes the role operator. Whoever runs this server can give it to you.
        </p>
      )}
    </>
  );
}

/** What changes pods wants to be typed. */
function Confirmation({ wanted, onApply }: { wanted: string; onApply: () => void }): VNode {
  const [typed, type] = useState('');
  const isTyped = typed.trim() === wanted;
  return (
    <form
      class="confirm"
      onSubmit={(event) => {
        event.preventDefault();
        if (isTyped) onApply();
      }}
    >
      <label>
        <span>
          Type <strong>{wanted}</strong> to change what runs there
        </span>
        <input
          value={typed}
          onInput={(event) => type(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <button type="submit" class="primary" disabled={!isTyped}>
        Apply
      </button>
    </form>
  );
}

function controllersOf(plan: Plan): string {
  const count = Object.values(plan)
    .flatMap((namespaces) => Object.values(namespaces))
    .reduce((sum, controllers) => sum + controllers.length, 0);
  return count === 1 ? '1 controller' : `${count} controllers`;
}

function Result({ result: { Errors, Warnings } }: { result: RunResult }): VNode {
  return (
    <div role="status">
      <p>
        <strong>{Errors.length === 0 ? 'Done.' : 'Done in part.'}</strong> Numbers follow once pods
        have run with their new requests.
      </p>
      <Said title="Errors" lines={Errors} />
      <Said title="Warnings" lines={Warnings} />
    </div>
  );
}

function Said({ title, lines }: { title: string; lines: readonly string[] }): VNode | null {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <bdi>{line}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}
