/**
 * Two worlds that agree in what callers with a filter may see, and differ in everything else. Every operation of the
 * document of the API, with every parameter, is answered alike in both: status, headers, entity tags and bytes.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { measured } from '../support/measured.ts';
import { sampled } from '../support/sampled.ts';
import { compareIn, isTellingApart, SCOPES, startWorlds, type World } from '../support/servers/two-worlds.ts'; // prettier-ignore
import { eachQuestion, worldQuestions } from '../support/world-questions.ts';

/** Every so many questions, one is also asked by a caller without a filter. */
const TOLD_APART = 10;

let worlds: readonly [World, World];
before(async () => void (worlds = await startWorlds()));
after(async () => {
  for (const world of worlds) await world.stop();
});

test('S-22: every route of /openapi.json answers callers with a filter alike, whatever others are and cost', async (t) => {
  const questions = sampled(await worldQuestions(worlds), { gate: 40 });
  const differences: string[] = [];
  const callers = Object.keys(SCOPES);
  let [answers, unchanged, differing, reading] = [0, 0, 0, 0];
  await eachQuestion(questions, async (question, place) => {
    const compared = await compareIn(worlds, callers[place % callers.length] ?? '', question);
    answers += compared.answers;
    unchanged += compared.unchanged;
    differences.push(...compared.differences);
    if (question.method !== 'GET' || place % TOLD_APART !== 0) return;
    reading++;
    if (await isTellingApart(worlds, question)) differing++;
  });
  assert.deepEqual(differences.slice(0, 10), [], `${differences.length} differences`);
  const routes = new Set(questions.map(({ route }) => route)).size;
  const pairs = new Set(questions.map(({ route, tried }) => `${route} ${tried}`)).size;
  // Who sees all rows can tell the worlds apart, and tags are compared.
  assert.ok(differing > 0.3 * reading, `${differing} of ${reading} differ for who sees all rows`);
  assert.ok(unchanged > 0.05 * questions.length, `${unchanged} of ${questions.length} answers are unchanged`);
  for (const { server } of worlds) assert.deepEqual(server.errors, []);
  measured(t, 'S-22', `${routes} routes, ${pairs} with a parameter, ${questions.length} questions, ${answers} answers of two worlds, ${unchanged} of them 304 by tag, 0 differences; ${differing} of ${reading} differ without a filter`);
}); // prettier-ignore
