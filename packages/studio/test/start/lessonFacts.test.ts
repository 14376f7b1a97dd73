import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { History } from '../../src/core/history/history.ts';
import { drawingsOf } from '../../src/set/draw.ts';
import { tempoOf } from '../../src/tempo/tempo.ts';
import { traceOf } from '../core/lesson/traced.ts';

// What the cards of the start page show of each lesson. `npx vitest run lessonFacts -u` writes it anew.

const FILE = '../../src/start/lessonFacts.txt';
const PICTURES = '../../src/start/lessonPictures.txt';
const lessons = readdirSync(fileURLToPath(new URL('../../../../scenarios/lessons', import.meta.url)))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''))
  .sort();

test('the facts and the pictures of the lessons are those of their runs', async () => {
  const facts: string[] = [];
  const pictures: string[] = [];
  for (const id of lessons) {
    const history = new History();
    const events = await traceOf(`lessons/${id}`);
    history.add(events);
    facts.push(`${id} ${factsOf(history)}\n`);
    const { endFilmMillis, atMicrosOf } = tempoOf(history);
    const seenAt = id in SEEN_AT ? SEEN_AT[id]! * 1e6 : atMicrosOf(0.6 * endFilmMillis);
    pictures.push(`${id} ${drawingsOf(events).card(seenAt)}\n`);
  }
  await expect(facts.join('')).toMatchFileSnapshot(FILE);
  await expect(pictures.join('')).toMatchFileSnapshot(PICTURES);
});

/** The instant that says the most of what a lesson is about; of another lesson it is one in its second half. Unit: s. */
const SEEN_AT: Readonly<Record<string, number>> = {
  '01-what-a-term-is': 26.853,
  '02-how-an-election-goes': 22.522,
  '03-why-an-even-number-gains-nothing': 74.127,
  '04-w1-and-w-majority': 24.757,
  '05-what-a-rollback-takes-away': 35.483,
  '06-who-deletes-expired-documents': 120.004,
  '07-the-standalone-that-must-not-delete': 360.007,
  '08-read-concerns': 34.485,
  '09-priority-and-catch-up-takeover': 28.503,
  '10-initial-sync-and-a-short-oplog': 314.523,
  '11-reconfig-safely-and-by-force': 62.738,
  '12-an-arbiters-price': 66.982,
  '13-a-key-file-and-a-role': 28.5,
};

function factsOf(history: History): string {
  const { events } = history;
  const begins = events.find(({ type }) => type === 'act')?.atMicros ?? 0;
  const tempo = tempoOf(history);
  const from = tempo.filmMillisAt(begins);
  const share = (atMicros: number) =>
    Math.round((1000 * (tempo.filmMillisAt(atMicros) - from)) / (tempo.endFilmMillis - from));
  const lanes = history.memberNames.map((name) =>
    history
      .stretches(name)
      .filter(({ toMicros }) => toMicros === undefined || toMicros > begins)
      .map(({ state, toMicros }) => `${state.toLowerCase()}:${share(toMicros ?? history.endMicros)}`)
      .join(','),
  );
  return [minutesOf(events, tempo.endFilmMillis - from), ...lanes].join(' ');
}

/** Words are read at some 150 a minute, a question takes half of one, and the film goes by as it does. */
function minutesOf(events: readonly TraceEvent[], filmMs: number): number {
  const said = events.flatMap((event) =>
    event.type === 'note' ? [event.text] : event.type === 'asked' ? [event.question] : [],
  );
  const words = said.join(' ').split(/\s+/).length;
  const asked = events.filter(({ type }) => type === 'asked').length;
  return Math.max(2, Math.round(words / 150 + asked / 2 + filmMs / 60_000));
}
