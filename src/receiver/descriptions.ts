/** How the route of remote write is described. */
import type { DescribedRoom } from '../http/index.ts';

const MEDIA_TYPE = 'application/x-protobuf';

export const RECEIVER_API: DescribedRoom = {
  routes: {
    'POST /api/v1/write': {
      summary: 'Stores samples that are sent by Prometheus remote write, 1.0 or 2.0, with snappy',
      body: {
        schema: { type: 'string', contentMediaType: MEDIA_TYPE, contentEncoding: 'snappy' },
        types: [
          MEDIA_TYPE,
          `${MEDIA_TYPE};proto=prometheus.WriteRequest`,
          `${MEDIA_TYPE};proto=io.prometheus.write.v2.Request`,
        ],
        example: '',
      },
      answers: {},
      status: 204,
      errors: [404],
    },
  },
};
