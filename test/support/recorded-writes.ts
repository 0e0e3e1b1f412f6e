/** Recorded requests of senders of samples to a server that takes none. */
import { gets, send, type RecordedRequest } from './recorded-request.ts';

const PATH = '/api/v1/write';
const TYPES = [
  ['1.0', 'application/x-protobuf'],
  ['2.0', 'application/x-protobuf;proto=io.prometheus.write.v2.Request'],
  ['another type', 'application/json'],
] as const;

export const WRITE_REQUESTS: readonly RecordedRequest[] = [
  ...TYPES.map(([note, type]) =>
    send('POST', PATH, '', {
      note,
      headers: { 'content-type': type, 'content-encoding': 'snappy' },
    }),
  ),
  ...['PUT', 'DELETE', 'OPTIONS'].map((method) => send(method, PATH, '')),
  ...gets(PATH, ['']),
];
