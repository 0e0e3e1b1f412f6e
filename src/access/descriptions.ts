/** How signing in is described. */
import {
  BOOLEAN,
  envelope,
  listOf,
  objectOf,
  ROLES,
  TEXT,
  text,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';

const TEXT_OR_NULL: Schema = { type: ['string', 'null'] };
/** Browsers need the token of their session for changes. */
const WHO = objectOf(
  {
    name: TEXT,
    roles: listOf({ enum: ROLES }),
    filter: TEXT_OR_NULL,
    idle: BOOLEAN,
    expires: TEXT_OR_NULL,
    isSignedIn: BOOLEAN,
    csrfToken: TEXT,
  },
  ['csrfToken', 'idle'],
);

export const ACCESS_API: DescribedRoom = {
  routes: {
    'GET /whoami': {
      summary: 'Who asks, and what they may do',
      answers: envelope(WHO),
    },
    'GET /login': {
      summary: 'Leads a browser to the issuer',
      parameters: { return: text('the path to come back to', '/') },
      answers: {},
      status: 302,
    },
    'GET /login/callback': {
      summary: 'Where the issuer leads back to',
      parameters: {
        code: text('of the issuer', 'code'),
        state: text('of the server', 'state'),
        iss: text('the issuer', 'https://issuer.example'),
        error: text('the reason of a refusal', 'access_denied'),
      },
      answers: {},
      status: 302,
    },
    'POST /logout': { summary: 'Ends the session of a browser', answers: {}, status: 204 },
  },
};
