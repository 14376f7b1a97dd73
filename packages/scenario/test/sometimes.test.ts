import { expect, test } from 'vitest';
import { Transcript } from '../src/index.ts';
import type { FakeSet } from './fakeSet.ts';
import { play } from './playing.ts';

// `sometimes` looks, and fails no run.

const electionAt = (micros: number) => (set: FakeSet) => {
  set.primaries.clear();
  set.at(micros, () => set.primaries.set('n2', 2));
};

test('it says whether it held, by line, and the run goes on either way', async () => {
  const { result, events } = await play(
    ['sometimes: { primary: any }', 'repeat: { times: 4, steps: [{ advance: 1s }, { sometimes: { primary: n2 } }] }'],
    electionAt(2_500_000),
  );
  expect(result.ok).toBe(true);
  expect(result.sometimes).toEqual([
    { line: 4, text: 'sometimes: {primary: any}', asked: 1, held: 0 },
    { line: 5, text: 'sometimes: {primary: n2}', asked: 4, held: 2 },
  ]);
  const transcript = new Transcript();
  const lines = events.flatMap((event) => transcript.observe(event)).filter((line) => line.includes('sometimes: {'));
  expect(lines.slice(0, 1).join('')).toMatch(/~ sometimes: \{primary: any\}: not now: .+$/);
  expect(lines.at(-1)).toMatch(/= sometimes: \{primary: n2\}$/);
});

test('nothing is said of it where nothing of the kind is asked', async () => {
  const { result } = await play(['advance: 1s']);
  expect('sometimes' in result).toBe(false);
});
