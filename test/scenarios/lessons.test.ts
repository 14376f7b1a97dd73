import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, traceLine } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

// Each lesson is made of what a page needs to teach with it, and says nothing that its run would not be without.

const folder = fileURLToPath(new URL('../../scenarios/lessons', import.meta.url));
const files = readdirSync(folder).sort();
const lessons = files.filter((file) => file.endsWith('.yaml'));

test('there are thirteen, numbered in the order in which they are read, each with its transcript', () => {
  expect(lessons.map((file) => Number(file.slice(0, 2)))).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
  expect(files).toEqual(lessons.flatMap((file) => [file.replace('.yaml', '.transcript'), file]));
});

async function played(text: string): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const { failure } = await playScenario(parseScenario(text, 'lesson.yaml'), (options) => ReplSet.create(options), {
    onTrace: (event) => events.push(event),
  });
  expect(failure?.detail).toBeUndefined();
  return events;
}

/** The same scenario for somebody who knows it all. */
function untaught(text: string): string {
  const document = parseDocument(text);
  document.delete('hide');
  const steps = document.get('steps') as YAMLSeq<YAMLMap>;
  const teaches = (step: YAMLMap) => ['act', 'ask', 'focus'].some((kind) => step.has(kind));
  steps.items = steps.items.filter((step) => !teaches(step));
  return String(document);
}

test.for(lessons)('%s', async (file) => {
  const text = readFileSync(`${folder}/${file}`, 'utf8');
  const events = await played(text);
  const count = (type: TraceEvent['type']) => events.filter((event) => event.type === type).length;
  expect(count('hidden')).toBe(1);
  expect(count('act')).toBeGreaterThanOrEqual(2);
  expect(count('act')).toBeLessThanOrEqual(5);
  expect(count('asked')).toBeGreaterThanOrEqual(2);
  expect(count('answered')).toBe(count('asked'));
  expect(count('focused')).toBeGreaterThan(0);
  expect(count('note')).toBeGreaterThanOrEqual(5);
  // What nobody has looked at is not claimed.
  expect(count('checked')).toBeGreaterThanOrEqual(count('note') / 2);

  const said = new Set(['hidden', 'act', 'focused', 'asked', 'answered']);
  // Steps have other numbers, and who is asked says so; nothing else differs.
  const lineOf = (event: TraceEvent) => traceLine(event).replace(/"index":\d+,/, '');
  const plain = await played(untaught(text));
  expect(plain.some(({ type }) => said.has(type))).toBe(false);
  const isOfTheRun = (event: TraceEvent) =>
    !said.has(event.type) && !(event.type === 'readAnswered' && event.startedMicros === event.atMicros);
  expect(events.filter(isOfTheRun).map(lineOf)).toEqual(plain.filter(isOfTheRun).map(lineOf));
});
