/** Members of JSON that is not ours. */

/** @returns undefined where it is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Empty where it is missing or no text. */
export function textMember(value: unknown, name: string): string {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
}

/** Words of answers that may be shown: codes, never sentences, which may quote what was sent. */
export function codeIn(text: string | undefined): string {
  return /^[A-Za-z][A-Za-z0-9_.-]{0,79}$/.exec(text ?? '')?.[0] ?? '';
}
