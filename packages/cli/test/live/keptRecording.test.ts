import type { Recorded } from '@replsim/replset';
import { expect, test } from 'vitest';
import { KeptRecording } from '../../src/studio/live/keptRecording.ts';

const hello = Uint8Array.of(5, 0, 0, 0, 0);
const send = (atMicros: number): Recorded => ({ type: 'send', connection: 1, command: hello, atMicros });
const kill = (atMicros: number): Recorded => ({ type: 'kill', member: 'n1', atMicros });
const command = (atMicros: number, bytes: number): Recorded => ({
  type: 'command',
  member: 'n1',
  command: new Uint8Array(bytes),
  atMicros,
});

test('it is the recording, as long as that is short', () => {
  const kept = new KeptRecording(false, { records: 4, bytes: 100 });
  for (const recorded of [send(1), kill(2), send(3), send(4)]) kept.add(recorded);
  expect([kept.edition, kept.isWhole, kept.gap]).toEqual([1, true, undefined]);
  expect(kept.lines(1)[0]).toBe('  - { at: 0.000002s, kill: n1 }\n');
  expect(kept.lines(4)).toEqual([]);
});

test('of one that grows too long clients’ part is let go, and what was done stays', () => {
  const kept = new KeptRecording(false, { records: 4, bytes: 100 });
  for (const recorded of [send(1), kill(2), send(3), send(4), send(5), kill(6), send(7)]) kept.add(recorded);
  expect([kept.edition, kept.isWhole]).toEqual([2, false]);
  expect(kept.lines(0)).toEqual(['  - { at: 0.000002s, kill: n1 }\n', '  - { at: 0.000006s, kill: n1 }\n']);
  expect(kept.gap).toBe(
    '# What clients sent is left out, because it is too much to keep here: "replsim serve --record FILE" keeps everything.\n',
  );
});

test('what was done is kept within bounds too, the newest of it', () => {
  const kept = new KeptRecording(false, { records: 4, bytes: 100 });
  for (let at = 1; at <= 9; at++) kept.add(kill(at));
  expect(kept.lines(0).at(-1)).toBe('  - { at: 0.000009s, kill: n1 }\n');
  expect(kept.lines(0).length).toBeLessThanOrEqual(4);
  expect(kept.gap).toContain('the first 6 of what was done');
  const long = new KeptRecording(false, { records: 4, bytes: 100 });
  for (let at = 1; at <= 3; at++) long.add(command(at, 45));
  expect([long.lines(0).length, long.edition]).toEqual([1, 2]);
  long.add(kill(4));
  expect([long.lines(0).length, long.edition]).toEqual([2, 2]);
});

test('a set that began with data of its own has no whole one', () => {
  const kept = new KeptRecording(true);
  kept.add(send(1));
  expect([kept.isWhole, kept.lines(0).length]).toEqual([false, 1]);
  expect(kept.gap).toContain('started with existing data');
});
