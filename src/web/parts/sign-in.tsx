/** Who looks is not known: a token entered by hand, or the sign-in of the organization. */
import { isOpen, token, type ApiError } from '../api.ts';
import { useEffect, useState, type VNode } from '../preact.ts';
import { openSession, signIn } from '../session.ts';
import { Failure } from './states.tsx';

export function SignIn({ error }: { error: ApiError }): VNode {
  const [entered, enter] = useState('');
  const hasLogin = useLogin();
  if (error.status !== 401 && error.status !== 403) {
    return (
      <main>
        <Failure error={error} again={() => void openSession()} />
      </main>
    );
  }
  const isRefused = token.value !== '';
  const back = `${location.pathname}${location.search}`;
  return (
    <main class="sign-in">
      <h1>Sign in</h1>
      {hasLogin && (
        <p>
          <a class="button" href={`login?return=${encodeURIComponent(back)}`}>
            Sign in with your organization
          </a>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(entered);
        }}
      >
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={entered}
            onInput={(event) => enter(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={entered === ''}>
          Show costs
        </button>
      </form>
      {(isRefused || error.status === 403) && (
        <p role="alert" class="failure">
          {error.message}. {error.hint}
        </p>
      )}
      <p class="hint">
        The token stays in the memory of this page and is forgotten with it. Whoever runs this
        server makes one with <code>prorata token NAME --roles viewer</code>.
      </p>
    </main>
  );
}

/** Whether browsers sign in at an issuer here: then the path is there, and open. */
function useLogin(): boolean {
  const [isThere, tell] = useState(false);
  useEffect(() => {
    void isOpen('login').then(tell);
  }, []);
  return isThere;
}
