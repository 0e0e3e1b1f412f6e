/** Hides secrets of URLs in messages, logs and answers: credentials and queries may grant access. */

/** A URL in a text, up to a quote or blank. */
const URL_IN_TEXT = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"<>\\]+/gi;
/** Schemes are shown that stores and bills have, or that miss a letter of one. */
const COMMON_SCHEME = /^(ht?t?ps?|wss?|s3|gs|abfss?|az|ftps?|file):\/\/$/i;
/** Punctuation of a sentence behind a URL. */
const CLOSING = /['`)\]},.;:]*$/;

/** @returns `text` with the secrets of all its URLs hidden; they are recognized by `://` */
export function hideSecrets(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(URL_IN_TEXT, (found) => {
    const url = found.replace(CLOSING, '');
    return hideUrlSecrets(url) + found.slice(url.length);
  });
}

/**
 * Hides credentials, query and fragment; in an invalid URL everything that may be one of them.
 * @param text a URL, or a text in its place
 */
export function hideUrlSecrets(text: string): string {
  const lead = /^[^/?#@]*:\/\//.exec(text)?.[0] ?? '';
  // A user or password that holds `://` and is not encoded reads like a scheme.
  const scheme = COMMON_SCHEME.test(lead) || !text.includes('@') ? lead : '';
  const rest = text.slice(scheme.length);
  // A password that is not encoded may contain any character, also those that would end it.
  // A list of URLs reads like a path of the first one, also users of the others.
  const isOne = !(rest.includes('://') && rest.includes('@'));
  const isWhole = scheme !== '' && isOne && URL.canParse(text);
  const place = isWhole ? rest.replace(/[?#].*/s, '') : rest;
  const hasUser = !isWhole || place.replace(/[/\\].*/s, '').includes('@');
  const at = hasUser ? place.lastIndexOf('@') : -1;
  if (/[?#]/.test(rest.slice(0, Math.max(0, at)))) return `${scheme}***`;
  const shown = at < 0 ? rest : `***${rest.slice(at)}`;
  return scheme + shown.replace(/([?#]).*/s, '$1***');
}
