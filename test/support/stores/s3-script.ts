/**
 * S3 as its documents describe it, as far as it is used: pages of listings, files and parts of them, writes on
 * conditions, and signatures, which are computed here from what came over the wire.
 */
import { createHash, createHmac } from 'node:crypto';
import type { CloudAnswer, CloudRequest } from '../servers/scripted-cloud.ts';

export interface S3File {
  readonly content: string | Uint8Array;
  readonly etag: string;
  /** Absent: 2024-10-01. */
  readonly changed?: string;
}

export interface S3Script {
  readonly bucket: string;
  region: string;
  /** Secrets by access key. */
  readonly secrets: Map<string, string>;
  /** The session token that must come with the keys. */
  sessionToken?: string;
  readonly files: Map<string, S3File>;
  readonly pageKeys: number;
  /** The clock of the store. */
  nowMs: () => number;
}

const REGION = 'eu-central-1';
const [KEY_ID, SECRET] = ['AKIDEXAMPLE', 'sEcReT/key+1'];

/** Variables by which a process reads and writes a script that is served there. */
export function s3Variables(origin: string): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_REGION: REGION,
    AWS_ENDPOINT_URL: origin,
  };
}

export function s3Script(bucket: string): S3Script {
  return {
    bucket,
    region: REGION,
    secrets: new Map([[KEY_ID, SECRET]]),
    files: new Map(),
    pageKeys: 2,
    nowMs: Date.now,
  };
}

export function s3Answer(script: S3Script, request: CloudRequest): CloudAnswer {
  const headers = { date: new Date(script.nowMs()).toUTCString() };
  const refusal = unsigned(script, request);
  if (refusal !== undefined) return withHeaders(refusal, headers);
  const [, bucket = '', ...key] = request.url.pathname.split('/');
  if (bucket !== script.bucket) return { ...failed(404, 'NoSuchBucket'), headers };
  if (request.url.searchParams.get('list-type') === '2')
    return { headers, body: page(script, request.url.searchParams) };
  const name = decodeURIComponent(key.join('/'));
  if (request.method === 'PUT') return withHeaders(put(script, name, request), headers);
  const file = script.files.get(name);
  if (request.method === 'DELETE') {
    script.files.delete(name);
    return { status: 204, headers };
  }
  if (file === undefined) return { ...failed(404, 'NoSuchKey'), headers };
  const wanted = request.headers['if-match'];
  if (wanted !== undefined && wanted !== file.etag)
    return { ...failed(412, 'PreconditionFailed'), headers };
  const length = String(Buffer.byteLength(file.content));
  const about = { etag: file.etag, 'last-modified': new Date(changedOf(file)).toUTCString() };
  const part = partOf(file.content, request.headers.range);
  if (part !== undefined) return withHeaders(part, { ...headers, ...about });
  return { headers: { ...headers, ...about, 'content-length': length }, body: file.content };
}

function withHeaders(answer: CloudAnswer, headers: Readonly<Record<string, string>>): CloudAnswer {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

/** What a store answers for a range (RFC 9110, 14.2); undefined where none is asked for. */
export function partOf(
  whole: string | Uint8Array,
  range: string | undefined,
): CloudAnswer | undefined {
  if (range === undefined) return undefined;
  const [, from, to] = (/^bytes=(\d+)-(\d+)$/.exec(range) ?? []).map(Number);
  if (from === undefined || to === undefined || to < from) return undefined;
  const content = typeof whole === 'string' ? Buffer.from(whole) : whole;
  if (from >= content.length) {
    const headers = { 'content-range': `bytes */${content.length}` };
    return { ...failed(416, 'InvalidRange'), headers };
  }
  const body = content.subarray(from, to + 1);
  const last = from + body.length - 1;
  const headers = {
    'content-range': `bytes ${from}-${last}/${content.length}`,
    'content-length': String(body.length),
  };
  return { status: 206, headers, body };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html */
function put(script: S3Script, name: string, request: CloudRequest): CloudAnswer {
  const bytes = request.bytes ?? Buffer.from(request.body);
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest !== request.headers['x-amz-content-sha256'])
    return failed(400, 'XAmzContentSHA256Mismatch');
  const there = script.files.get(name);
  const { 'if-none-match': none, 'if-match': wanted } = request.headers;
  if (none === '*' && there !== undefined) return failed(412, 'PreconditionFailed');
  if (wanted !== undefined && there === undefined) return failed(404, 'NoSuchKey');
  if (wanted !== undefined && there?.etag !== wanted) return failed(412, 'PreconditionFailed');
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
  const changed = new Date(script.nowMs()).toISOString();
  script.files.set(name, { content: bytes, etag, changed });
  return { headers: { etag } };
}

export function failed(status: number, code: string, more = ''): CloudAnswer {
  // What AWS quotes is never to be shown.
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>QUOTED-SECRET</Message>${more}</Error>`;
  return { status, body };
}

function changedOf(file: S3File): string {
  return file.changed ?? '2024-10-01T00:00:00.000Z';
}

function page({ files, pageKeys }: S3Script, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const after = Buffer.from(query.get('continuation-token') ?? '', 'hex').toString();
  const keys = [...files.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
  const isEncoded = query.get('encoding-type') === 'url';
  const shown = (text: string): string =>
    isEncoded ? encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2F', '/') : text;
  const contents = keys.slice(0, pageKeys).map((key) => {
    const file = files.get(key) ?? { content: '', etag: '' };
    const tag = file.etag.replaceAll('"', '&quot;');
    const size = `<Size>${Buffer.byteLength(file.content)}</Size>`;
    const about = `<LastModified>${changedOf(file)}</LastModified><ETag>${tag}</ETag>${size}`;
    return `<Contents><Key>${shown(key)}</Key>${about}</Contents>`;
  });
  const more =
    keys.length > pageKeys
      ? `<NextContinuationToken>${Buffer.from(keys[pageKeys - 1] ?? '').toString('hex')}</NextContinuationToken>`
      : '';
  const all = `${more}<EncodingType>url</EncodingType>${contents.join('')}`;
  const space = 'http://s3.amazonaws.com/doc/2006-03-01/';
  return `<?xml version="1.0"?>\n<ListBucketResult xmlns="${space}">${all}</ListBucketResult>`;
}

/** Refusals of a service of AWS for a request that is not signed as Signature Version 4 says. */
export function unsigned(
  script: Pick<S3Script, 'region' | 'secrets' | 'sessionToken' | 'nowMs'>,
  request: CloudRequest,
  service = 's3',
): CloudAnswer | undefined {
  const said =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/(\w+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  const [, keyId = '', day = '', region = '', own, names = '', signature = ''] = said ?? [];
  if (own !== service) return failed(403, 'AccessDenied');
  if (region !== script.region) {
    const headers = { 'x-amz-bucket-region': script.region };
    return { ...failed(400, 'AuthorizationHeaderMalformed'), headers };
  }
  const time = String(request.headers['x-amz-date']);
  const timeMs = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(timeMs - script.nowMs()) < 15 * 60_000) || !time.startsWith(day))
    return failed(403, 'RequestTimeTooSkewed');
  const secret = script.secrets.get(keyId);
  if (secret === undefined) return failed(403, 'InvalidAccessKeyId');
  const needed = [
    'host',
    ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-')),
  ];
  if (needed.some((name) => !names.split(';').includes(name))) return failed(403, 'AccessDenied');
  if (script.sessionToken !== request.headers['x-amz-security-token'])
    return failed(400, 'InvalidToken');
  return signature === signatureOf(request, { secret, day, region, service, names, time })
    ? undefined
    : failed(403, 'SignatureDoesNotMatch');
}

interface Said {
  readonly secret: string;
  readonly day: string;
  readonly region: string;
  readonly service: string;
  readonly names: string;
  readonly time: string;
}

/** As the documents of AWS say it, step by step. */
function signatureOf(request: CloudRequest, said: Said): string {
  const { secret, day, region, service, names, time } = said;
  const [path = '', query = ''] = request.target.split('?');
  const fields = query
    .split('&')
    .filter((field) => field !== '')
    .map((field) => {
      const [name = '', value = ''] = field.split('=');
      return `${strict(name)}=${strict(value)}`;
    });
  let canonical = `${request.method}\n`;
  const parts = path.split('/').map(strict);
  // All but S3 encode the path twice.
  const twice = parts.map((part) => part.replaceAll('%', '%25'));
  canonical += `${(service === 's3' ? parts : twice).join('/')}\n`;
  canonical += `${fields.toSorted().join('&')}\n`;
  for (const name of names.split(';')) canonical += `${name}:${String(request.headers[name])}\n`;
  canonical += `\n${names}\n${String(request.headers['x-amz-content-sha256'])}`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/${service}/aws4_request\n${digest}`;
  let key: Buffer | string = `AWS4${secret}`;
  for (const part of [day, region, service, 'aws4_request', text])
    key = createHmac('sha256', key).update(part).digest();
  return Buffer.from(key).toString('hex');
}

/** Unreserved characters stay, all else is encoded byte by byte. */
function strict(sent: string): string {
  const bytes = Buffer.from(decodeURIComponent(sent.replaceAll('+', '%20')));
  return Array.from(bytes, (byte) => {
    const sign = String.fromCharCode(byte);
    if (/[A-Za-z0-9._~-]/.test(sign)) return sign;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
