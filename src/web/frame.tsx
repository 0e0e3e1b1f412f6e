/** The frame of all views: views, who looks, progress, keys. */
import { answeredMs, isOffline, underWay } from './api.ts';
import { reload } from './answers.ts';
import { bytes, moment } from './format.ts';
import { bindKeys, boundKeys } from './keys.ts';
import { SignIn } from './parts/sign-in.tsx';
import { useEffect, useRef, useState, type VNode } from './preact.ts';
import { session, zone } from './session.ts';
import { go, href, state } from './state.ts';
import { nextTheme, theme } from './theme.ts';
import { VIEWS } from './views.ts';

export function Frame(): VNode {
  const { value } = session;
  const view = VIEWS.find(({ id }) => id === state.value.view) ?? VIEWS[0];
  useEffect(() => {
    document.title = `${view?.title ?? ''} · prorata`;
    const link = document.querySelector('.head nav [aria-current]');
    // The bar may be wider than the screen.
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view]);
  useEffect(
    () =>
      bindKeys([
        ...VIEWS.map(({ id, title, key }) => ({
          keys: `g ${key}`,
          says: title,
          run: () => go({ view: id, open: '' }),
        })),
        { keys: '?', says: 'these keys', run: () => keyList()?.showModal() },
      ]),
    [],
  );
  return (
    <>
      <a class="skip" href="#content">
        To the content
      </a>
      <Header />
      <Progress />
      {value.is === 'unknown' && <SignIn error={value.error} />}
      {value.is === 'open' && (
        <main id="content" tabIndex={-1}>
          {view !== undefined && <view.Content key={view.id} />}
        </main>
      )}
      <KeyList />
    </>
  );
}

function keyList(): HTMLDialogElement | null {
  return document.querySelector<HTMLDialogElement>('dialog.keys');
}

function Header(): VNode {
  const { value } = session;
  const now = state.value.view;
  return (
    <header class="head">
      <a class="name" href="?">
        prorata
      </a>
      <nav aria-label="Views">
        {VIEWS.map(({ id, title }) => (
          <a
            key={id}
            href={href({ view: id, open: '' })}
            aria-current={id === now ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <span class="who">
        {value.is === 'open' && value.viewer.isSignedIn && (
          <span title={`roles: ${value.viewer.roles.join(', ')}`}>{value.viewer.name}</span>
        )}
        {value.is === 'open' && value.viewer.filter !== null && (
          <span class="tag" title={`you see the rows of ${value.viewer.filter}`}>
            some rows
          </span>
        )}
        <button
          type="button"
          class="quiet"
          onClick={nextTheme}
          aria-label={`Colours: ${theme.value}`}
        >
          {theme.value === 'system' ? '◐' : theme.value === 'light' ? '○' : '●'}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => keyList()?.showModal()}
          aria-label="Keys"
        >
          ?
        </button>
      </span>
    </header>
  );
}

/** A thin line after 300 ms, with the bytes that have come. */
function Progress(): VNode {
  const read = [...underWay.value.values()].reduce((sum, each) => sum + each, 0);
  const isBusy = underWay.value.size > 0;
  return (
    <div class="progress-room" role="status">
      {isBusy && <div class="progress" />}
      {isBusy && read > 1 << 20 && <span class="progress-words">{bytes(read)} read</span>}
      {isOffline.value && (
        <span class="offline">
          The server does not answer: these are the numbers of {moment(answeredMs.value, zone())}.{' '}
          <button type="button" onClick={reload}>
            Ask again
          </button>
        </span>
      )}
    </div>
  );
}

function KeyList(): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [, show] = useState(0);
  return (
    <dialog class="keys" ref={dialog} aria-label="Keys" onToggle={() => show((count) => count + 1)}>
      <h2>Keys</h2>
      <dl>
        {boundKeys().map(({ keys, says }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
