/** W3C trace context: what is read, and what goes on to others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  askedOn,
  childOf,
  either,
  readTrace,
  traceHeaders,
  traceOf,
} from '../../src/query/index.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const REFUSED: readonly string[] = [
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}x-${SPAN}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
];

for (const header of REFUSED) {
  test(`the header '${header}' is no trace context`, () => {
    assert.equal(readTrace(header, 'a=b'), undefined);
  });
}

test('a trace goes on with a span of its own, its flag and its state', () => {
  const parent = readTrace(`00-${TRACE}-${SPAN}-01`, 'vendor=a:b,other=c');
  const { traceparent = '', tracestate } = traceHeaders(childOf(parent));
  assert.match(traceparent, new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-01$`));
  assert.equal(tracestate, 'vendor=a:b,other=c');
});

test('a later version is read as far as ours goes, and its unknown flags are not passed on', () => {
  const parent = readTrace(`cc-${TRACE}-${SPAN}-ff-what-comes-later`, '');
  assert.equal(parent?.spanId, SPAN);
  assert.match(traceHeaders(childOf(parent))['traceparent'] ?? '', /-01$/);
});

test('a state that is too long or no header is left out', () => {
  for (const state of ['x'.repeat(513), 'a=b\r\nx: y', 'a=é']) {
    assert.equal(readTrace(`00-${TRACE}-${SPAN}-00`, state)?.state, '', state);
  }
});

test('whatever comes, what goes out can be read again, and spans differ', () => {
  const hex = (length: number): fc.Arbitrary<string> =>
    fc.string({
      unit: fc.integer({ min: 0, max: 15 }).map((digit) => digit.toString(16)),
      minLength: length,
      maxLength: length,
    });
  const header = fc.oneof(
    fc.string(),
    fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((parts) => parts.join('-')),
  );
  const seen = new Set<string>();
  fc.assert(
    fc.property(header, fc.string(), (parent, state) => {
      const sent = traceHeaders(childOf(readTrace(parent, state)));
      const { traceparent = '', tracestate = '' } = sent;
      const again = readTrace(traceparent, tracestate);
      assert.ok(again !== undefined, traceparent);
      assert.ok(!seen.has(again.spanId));
      seen.add(again.spanId);
    }),
  );
});

test('signals that are made of a request have its trace', () => {
  const request = new AbortController();
  const trace = childOf(undefined);
  askedOn(request.signal, { trace, client: 'one' });
  const shared = new AbortController();
  askedOn(shared.signal, request.signal);
  const stopped = either(shared.signal, new AbortController().signal);
  assert.equal(traceOf(stopped), trace);
  assert.equal(traceOf(new AbortController().signal), undefined);
});
