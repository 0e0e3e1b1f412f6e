/**
 * What prorata promises beyond its answers: under load, after crashes, to strangers. A test holds a promise
 * by naming its id at the beginning of its own name (`P-C1: a power cut …`), and tells what it measured by
 * `measured`. The gate prints the table, and fails where a promise has no test that passed, or a figure no
 * measurement.
 */
export interface Promised {
  readonly id: string;
  readonly says: string;
  /** Where it has one, a test tells what it measured. */
  readonly figure?: string;
  /** Why nobody has to hold it yet. Once a test names it, it is held as the others are. */
  readonly later?: string;
}

// prettier-ignore
export const PROMISES: readonly Promised[] = [
  // Load and slow clients
  { id: 'P-L1', says: 'cached answers and probes are served by the main thread alone', figure: '/healthz ≥ 120,000 a second, a cached answer ≥ 5,000, on idle cores (`npm run bench`)' },
  { id: 'P-L2', says: 'mixed clients see no crash, and of 5xx only 503 with Retry-After', figure: 'the main thread never works longer than 20 ms at once' },
  { id: 'P-L3', says: 'idle connections cost next to nothing', figure: '≤ 8 KB each, server and client together' },
  { id: 'P-L4', says: 'slow readers hold no memory and no worker', figure: '≤ 64 MiB together' },
  { id: 'P-L5', says: 'a reader that takes nothing is cut off, one that pauses is not', figure: 'after 30 s' },
  { id: 'P-L6', says: 'work stops when its client leaves, and leaves nothing behind', figure: '0 bytes held' },
  { id: 'P-L7', says: 'streamed answers take the same memory whatever their length, and are the same bytes for any reader' },
  { id: 'P-L8', says: 'running answers end before the server does, and no new ones begin' },
  // Overload
  { id: 'P-O1', says: 'the cost of a question is estimated before work starts, and decides its lane' },
  { id: 'P-O2', says: 'queues are bounded, and beyond them 503 says when to come back' },
  { id: 'P-O3', says: 'one noisy client takes no turns of others, and is refused with 429 where a rate is set', figure: 'at twenty times their rate others lose ≤ 10 %' },
  { id: 'P-O4', says: 'a process without free descriptors serves who is connected, and recovers' },
  { id: 'P-O5', says: 'identical questions at the same time are computed once', figure: '200 questions, 1 computation' },
  { id: 'P-O6', says: 'one process owns a port and a data folder; a second one ends with a message' },
  // Memory
  { id: 'P-M1', says: 'resident memory stays within its limit under mixed load', figure: '≤ 110 % of --memory-limit' },
  { id: 'P-M2', says: 'windows of any length are read in the same memory', figure: '≤ 1 MB more' },
  { id: 'P-M3', says: 'a refusal names estimate, limit, and a window or step that passes' },
  { id: 'P-M4', says: 'answers of stores are parsed as they come', figure: '150 MB in < 75 MB' },
  { id: 'P-M5', says: 'an answer that does not fit is refused before its first byte, never cut short unseen' },
  { id: 'P-M6', says: 'a worker out of memory fails its own request, and the pool goes on' },
  // Crashes and damage
  { id: 'P-C1', says: 'kill -9 and power cuts at any call leave the state before or after a change', figure: 'every call' },
  { id: 'P-C2', says: 'a write whose sync failed is not acknowledged', figure: 'every operation' },
  { id: 'P-C3', says: 'a full disk changes nothing, and the next attempt succeeds once there is room', figure: 'every operation' },
  { id: 'P-C4', says: 'every flipped bit of a stored set is found', figure: 'all that are tried' },
  { id: 'P-C5', says: 'cut, exchanged, foreign and later files are found', figure: 'every length tried' },
  { id: 'P-C6', says: 'damage is told with the answer, never served as zero' },
  { id: 'P-C7', says: 'a copy of a running folder is a whole folder' },
  { id: 'P-C8', says: 'a live lock is respected, a dead one taken over' },
  { id: 'P-C9', says: 'a clock that goes back by a day or a year loses and doubles no set' },
  { id: 'P-C10', says: 'fsck finds damage while a server runs, in words and as JSON' },
  { id: 'P-C11', says: 'a clock that goes ahead seals no day before its end' },
  { id: 'P-C12', says: 'what a receiver acknowledged is there once, whenever it is killed', figure: '2 kills in the gate, 100 in `npm run prove`' },
  { id: 'P-C13', says: 'what an agent read and stored is sent in order, whenever it is killed, and once unless an answer was lost', figure: '6 kills in the gate, more by RUNS' },
  { id: 'P-C14', says: 'a process that ends at any request to a bucket leaves the sets before or after a change', figure: 'every request, done or not' },
  { id: 'P-C15', says: 'each change of collections by several servers of a bucket counts once, in one order, or is refused as by one server', figure: '6 schedules in the gate, more by SHARED_COLLECTION_RUNS' },
  { id: 'P-C16', says: 'each cost event that servers of a bucket see is stored once, and none is lost', figure: '6 schedules in the gate, more by SHARED_EVENT_RUNS' },
  { id: 'P-C17', says: 'a stored day that a store elsewhere does not give for now is 503 with Retry-After, and never missing from an answer' },
  { id: 'P-C18', says: 'a journal in a bucket has each record that was told to be kept, once, in order, and none of a writer behind those of the next', figure: '40 schedules in the gate, more by OBJECT_LOG_RUNS' },
  // Metrics stores
  { id: 'P-F1', says: 'a store that fails in any way is named with 502 or 503, tried again, and never half an answer' },
  { id: 'P-F2', says: 'odd samples are dropped and told; series that come twice count once' },
  { id: 'P-F3', says: 'a kubelet that refuses, hangs, lies or sends without end is told once, takes the memory of one line, and keeps no other from being read' },
  // Time
  { id: 'P-T1', says: 'days of every zone meet, with all minutes of the year' },
  { id: 'P-T2', says: 'windows of every form have the days they overlap; skipped and doubled midnights have a rule' },
  { id: 'P-T3', says: 'another tzdata rewrites no stored day, and no hour is in two days or in none' },
  // The Kubernetes API
  { id: 'P-K1', says: 'the watch goes on through every failure of the API server' },
  { id: 'P-K2', says: 'no change is missed, and none is made up' },
  { id: 'P-K3', says: 'a half-open connection is noticed' },
  { id: 'P-K4', says: 'renewed tokens and authorities are read from their files' },
  { id: 'P-K5', says: 'a kind that may not be read disables what needs it, and /readyz tells' },
  { id: 'P-K6', says: 'lists come in pages, and calls are paced', figure: 'pages of 500, ≤ 20 calls a second' },
  { id: 'P-K7', says: 'quantities are read exactly' },
  // Changes of the cluster
  { id: 'P-A1', says: 'no request is ever raised', figure: 'no random case' },
  { id: 'P-A2', says: 'an object that changed meanwhile is read and checked again' },
  { id: 'P-A3', says: 'each controller succeeds or fails alone, and the result says which' },
  { id: 'P-A4', says: 'an apply that was killed is known afterwards, and nothing is repeated blindly' },
  { id: 'P-A5', says: 'requests stay above floors and limits of the namespace' },
  { id: 'P-A6', says: 'one apply runs at a time' },
  { id: 'P-A7', says: 'changes are off until they are switched on, and then need a role of their own' },
  { id: 'P-A8', says: 'changes are paced, and stop after three failed roll-outs' },
  { id: 'P-A9', says: 'undo restores exactly the requests before' },
  // Input
  { id: 'P-I1', says: 'bad input is refused with parameter, value and what is accepted, never with 5xx', figure: 'no random request' },
  // Strangers
  { id: 'S-1', says: 'a head that two readers could frame differently is refused, and nothing behind it runs (by node:http, the default where others ask)' },
  { id: 'S-2', says: 'no value can end a header line' },
  { id: 'S-3', says: 'slow heads and slow bodies are cut off' },
  { id: 'S-4', says: 'long heads, queries and lists are refused or read, by a stated limit' },
  { id: 'S-5', says: 'names that every object has are names like others' },
  { id: 'S-6', says: 'no cell runs as a formula' },
  { id: 'S-7', says: 'no value changes a query to the store' },
  { id: 'S-8', says: 'long texts take time in proportion to their length' },
  { id: 'S-9', says: 'deep, long and aliased bodies are refused' },
  { id: 'S-10', says: 'no path leads out of the routes' },
  { id: 'S-11', says: 'redirects lead to no other host and no private address' },
  { id: 'S-12', says: 'a server without sign-in is reached from this machine alone, by its own names; where callers sign in, one gate is in front of all it serves' },
  { id: 'S-13', says: 'secrets are in no error, answer, log line or setting' },
  { id: 'S-14', says: 'TLS 1.2 and later, certificates reloaded' },
  { id: 'S-15', says: 'the cluster roles permit what is read and changed, and nothing else' },
  { id: 'S-16', says: 'the container runs as nobody, on a read-only file system, without capabilities, in a closed network' },
  { id: 'S-17', says: 'browsers of other sites change nothing, and run nothing of ours' },
  { id: 'S-18', says: 'logs are lines of JSON, whatever is in them' },
  { id: 'S-19', says: 'answers do not name the engine' },
  { id: 'S-20', says: 'what is installed is named by content, with its licence, and runs no script', figure: '≤ 60 packages that run' },
  { id: 'S-21', says: 'bombs are refused while they unpack' },
  { id: 'S-22', says: 'who sees some rows alone gets what is asked with that filter, to the byte, and learns nothing of others', figure: '1,000 random filters; every route and parameter of /openapi.json in two worlds' },
  // The whole
  { id: 'P-SIM', says: 'a month of faults from one seed breaks no invariant', figure: '20 seeds in the gate, 200 in `npm run prove`' },
  { id: 'P-SOAK', says: 'hours under load with faults: memory, descriptors and threads stay flat, no 5xx but 503', figure: 'flat (`npm run soak` for hours)' },
  { id: 'P-COV', says: 'every promise is named by a test', later: 'branches and mutants are not counted yet' },
  { id: 'P-ORACLE', says: 'answers equal a plain reference, whatever the number of workers', figure: '1e-9 relative, the same bytes' },
];

/** `P-C2, P-C3: a full disk …` */
const NAMED = /^((?:[PS]-[A-Z]*\d*(?:, )?)+): /;

/** @returns the promises that a test of this name holds */
export function idsIn(name: string): readonly string[] {
  return NAMED.exec(name)?.[1]?.split(', ') ?? [];
}
