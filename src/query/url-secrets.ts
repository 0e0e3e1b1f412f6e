/** URLs as messages, logs and answers show them: credentials and queries may open what they name. */

/** As far as a URL goes in a text: JSON and sentences quote it. */
const URL_IN_TEXT = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"<>\\]+/gi;
/** Of a sentence, not of the URL it ends with. */
const CLOSING = /['`)\]},.;:]*$/;

/** @returns `text` with the secrets of all URLs in it hidden, which are recognized by `://` */
export function hideSecrets(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(URL_IN_TEXT, (found) => {
    const url = found.replace(CLOSING, '');
    return hideUrlSecrets(url) + found.slice(url.length);
  });
}

/**
 * Hides credentials, query and fragment; of damaged text all that may be one.
 * @param text a URL, or what somebody took for one
 */
export function hideUrlSecrets(text: string): string {
  const scheme = /^[^/?#@]*:\/\//.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  // In a password that is not encoded any character may stand, also those that would end it.
  const isWhole = scheme !== '' && URL.canParse(text);
  const place = isWhole ? rest.replace(/[?#].*/s, '') : rest;
  const hasUser = !isWhole || place.replace(/[/\\].*/s, '').includes('@');
  const at = hasUser ? place.lastIndexOf('@') : -1;
  if (/[?#]/.test(rest.slice(0, Math.max(0, at)))) return `${scheme}***`;
  const shown = at < 0 ? rest : `***${rest.slice(at)}`;
  return scheme + shown.replace(/([?#]).*/s, '$1***');
}
