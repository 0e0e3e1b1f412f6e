/** Bearer tokens, as Google, Microsoft Entra and metadata servers give them by OAuth 2.0. */
import { Unavailable } from '../query/index.ts';
import { BUCKET_HINT } from './bucket.ts';
import {
  ask,
  clockSkew,
  unanswered,
  type Answer,
  type Call,
  type ExchangeOptions,
  type Outside,
} from './exchange.ts';
import { codeIn, member, parseJson, textMember } from './json.ts';

export interface BearerToken {
  readonly token: string;
  readonly endsMs: number;
}

/** Who asks by bearer tokens. */
export interface BearerIdentity {
  /** As it is told in errors. */
  readonly name: string;
  token(signal: AbortSignal): Promise<string>;
  forget(): void;
}

/**
 * @param adviceOf of a code, as it is told: ` invalid_client AADSTS70021`
 * @throws {Unavailable} unless the answer is 200
 */
export async function answered(
  what: string,
  outside: Outside,
  call: Call,
  options: ExchangeOptions,
  adviceOf: (code: string) => string = () => '',
): Promise<Answer> {
  const answer = await ask(outside, () => Promise.resolve(call), options).catch(
    (cause: unknown) => {
      throw unanswered(what, cause, BUCKET_HINT);
    },
  );
  if (answer.status === 200) return answer;
  const code = oauthCode(answer);
  const skew = clockSkew(answer, outside.nowMs());
  throw new Unavailable(`${what}: ${answer.status}${code}${adviceOf(code)}${skew}`, {
    hint: BUCKET_HINT,
  });
}

/** The code of OAuth, or of an API; with Entra's number, by which its documentation is found. */
function oauthCode({ text }: Answer): string {
  const json = parseJson(text);
  const error = member(json, 'error');
  const code = codeIn(typeof error === 'string' ? error : textMember(error, 'status'));
  const number = /\bAADSTS\d{4,8}\b/.exec(textMember(json, 'error_description'))?.[0];
  return [code, number]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => ` ${part}`)
    .join('');
}

export function tokenIn(what: string, { text }: Answer, outside: Outside): BearerToken {
  const json = parseJson(text);
  const token = textMember(json, 'access_token');
  // Azure's metadata has it as a text.
  const seconds = Number(member(json, 'expires_in'));
  if (!/^[\x21-\x7e]+$/.test(token) || !(seconds > 0))
    throw new Unavailable(`${what}: the answer has no token`);
  return { token, endsMs: outside.nowMs() + seconds * 1000 };
}
