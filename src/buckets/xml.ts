/** The little XML that S3, STS and Azure answer: elements without attributes that matter. */

/** Contents of all elements of a name; those of one name are not within each other. */
export function elements(xml: string, name: string): string[] {
  const [open, close] = [`<${name}`, `</${name}>`];
  const found: string[] = [];
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at + 1)) {
    const next = xml[at + open.length];
    if (next !== '>' && next !== ' ') continue;
    const begin = xml.indexOf('>', at) + 1;
    const end = xml.indexOf(close, begin);
    if (begin === 0 || end < 0) return found;
    found.push(xml.slice(begin, end));
    at = end;
  }
  return found;
}

/** The text of the first element of a name. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elements(xml, name);
  return content?.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, entity);
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

function entity(whole: string, decimal?: string, hex?: string, name = ''): string {
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? whole) : whole;
}
