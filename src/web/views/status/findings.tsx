/** What the doctor finds: of versions, limits, the store and the folder. */
import { useAnswer } from '../../answers.ts';
import { Loaded } from '../../parts/states.tsx';
import type { VNode } from '../../preact.ts';
import { mayAct } from '../../session.ts';

interface Finding {
  readonly name: string;
  readonly value: string;
  readonly state: string;
  readonly hint?: string;
}

interface Diagnostics {
  readonly passed: boolean;
  readonly sections: Readonly<Record<string, readonly Finding[]>>;
}

/** Settings are many, and stand behind a fold. */
const FOLDED = 'settings';

export function Findings(): VNode {
  const isAdmin = mayAct('admin');
  const shown = useAnswer<Diagnostics>(isAdmin ? 'model/diagnostics' : undefined);
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">Stores, limits, versions</h2>
      {isAdmin ? (
        <Loaded shown={shown} lines={12}>
          {({ data: { sections } }) => (
            <div class="findings">
              {Object.entries(sections).map(([title, findings]) =>
                title === FOLDED ? (
                  <details key={title}>
                    <summary>Settings: {changedOf(findings)}</summary>
                    <FindingList title={title} findings={findings} />
                  </details>
                ) : (
                  <div key={title}>
                    <h3>{title}</h3>
                    <FindingList title={title} findings={findings} />
                  </div>
                ),
              )}
            </div>
          )}
        </Loaded>
      ) : (
        <p class="hint">
          These tell of the machine that serves, and take the role admin. Whoever runs this server
          can give it to you.
        </p>
      )}
    </section>
  );
}

function changedOf(findings: readonly Finding[]): string {
  const changed = findings.filter(({ value }) => !value.endsWith('(default)')).length;
  return `${changed} of ${findings.length} are not the default`;
}

/** Longer ones, such as lists of metrics, stand behind a fold. */
const SHOWN_LENGTH = 120;

function Value({ text }: { text: string }): VNode {
  if (text.length <= SHOWN_LENGTH) return <bdi>{text}</bdi>;
  const items = text.split(', ').length;
  return (
    <details>
      <summary>{items > 1 ? `${items} of them` : `${text.slice(0, SHOWN_LENGTH)} …`}</summary>
      <bdi>{text}</bdi>
    </details>
  );
}

function FindingList({ title, findings }: { title: string; findings: readonly Finding[] }): VNode {
  return (
    <dl aria-label={title}>
      {findings.map(({ name, value, state, hint }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {state !== 'ok' && <strong class="more">{state}: </strong>}
            <Value text={value} />
            {hint !== undefined && <p class="hint">{hint}</p>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
