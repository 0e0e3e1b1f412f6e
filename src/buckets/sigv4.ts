/** Requests to services of AWS, signed (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). */
import { createHash, createHmac } from 'node:crypto';

const S3 = 's3';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
}

/**
 * @param service as signatures name it
 * @returns the headers that a request needs beside those of its own, which are not signed
 */
export function signed(
  method: string,
  url: URL,
  { accessKeyId, secretAccessKey, sessionToken, region }: AwsCredentials,
  nowMs: number,
  body: string | Uint8Array = '',
  service: string = S3,
): Record<string, string> {
  const payload = sha256(body);
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': payload,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).toSorted();
  const request = [
    method,
    url.pathname
      .split('/')
      .map((part) => partOf(part, service))
      .join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .toSorted()
      .join('&'),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n');
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, text).toString('hex');
  const { host: _, ...sent } = headers;
  return {
    ...sent,
    authorization:
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, ` +
      `SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** All but S3 encode what is encoded once more. */
function partOf(sent: string, service: string): string {
  const part = encoded(decodeURIComponent(sent));
  return service === S3 ? part : encoded(part);
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Encoding by RFC 3986: encodeURIComponent, and five characters that it leaves. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
