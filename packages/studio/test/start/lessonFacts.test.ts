import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { History } from '../../src/core/history/history.ts';
import { tempoOf } from '../../src/tempo/tempo.ts';
import { traceOf } from '../core/lesson/traced.ts';

// What the cards of the start page show of each lesson. `npx vitest run lessonFacts -u` writes it anew.

const FILE = '../../src/start/lessonFacts.txt';
const lessons = readdirSync(fileURLToPath(new URL('../../../../scenarios/lessons', import.meta.url)))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''))
  .sort();

test('the facts of the lessons are those of their runs', async () => {
  const lines: string[] = [];
  for (const id of lessons) lines.push(`${id} ${await factsOf(id)}`);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(FILE);
});

async function factsOf(id: string): Promise<string> {
  const events = await traceOf(`lessons/${id}`);
  const history = new History();
  history.add(events);
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
