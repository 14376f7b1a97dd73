import { describe, expect, test } from 'vitest';
import { forkAt, insertStep, type NewStep, type StepTime } from '../../../src/core/edit/insertStep.ts';

const TEXT = `name: A failover
replicaSet: { members: [n1, n2, n3] }
steps:
  # Somebody leads.
  - eventually: { within: 30s, primary: any }
  - kill: n1
  - advance: 8s # and on
  - insert:
      into: app.c
      documents: [{ _id: 1 }]
`;
const STEPS: readonly StepTime[] = [
  { index: 2, atMicros: 11_000_000, endedMicros: 11_000_000 },
  { index: 3, atMicros: 11_000_000, endedMicros: 19_000_000 },
  { index: 4, atMicros: 19_000_000, endedMicros: 19_500_000 },
];
const KILL: NewStep = { kind: 'fault', texts: ['kill: n2'] };
const line = (text: string, number: number) => text.split('\n')[number - 1];

describe('a click becomes a line', () => {
  test.for<[what: string, atMicros: number, before: string, after: string]>([
    ['before all steps', 0, 'steps:', '  # Somebody leads.'],
    ['while a check waits: before it', 5_000_000, 'steps:', '  # Somebody leads.'],
    ['while a step of some length is under way: before that', 19_200_000, '  - advance: 8s # and on', '  - insert:'],
    ['after the last', 30_000_000, '      documents: [{ _id: 1 }]', ''],
  ])('%s', ([, atMicros, before, after]) => {
    const edited = insertStep(TEXT, atMicros, KILL, STEPS)!;
    expect(line(edited.text, edited.line)).toMatch(/^ {2}- at: [\d.]+s$/);
    expect(line(edited.text, edited.line + 1)).toBe('    kill: n2');
    expect(line(edited.text, edited.line - 1)).toBe(before);
    expect(line(edited.text, edited.line + 2)).toBe(after);
    // Nothing else has changed.
    const lines = edited.text.split('\n');
    lines.splice(edited.line - 1, 2);
    expect(lines.join('\n')).toBe(TEXT);
  });

  test('an advance that was under way ends when it did', () => {
    const { text, line: at } = insertStep(TEXT, 15_000_000, KILL, STEPS)!;
    expect(text.split('\n').slice(at - 2, at + 3)).toEqual([
      '  - kill: n1',
      '  - at: 15s',
      '    kill: n2',
      '  - advance: { to: 19s }',
      '  - insert:',
    ]);
  });

  test('what is no fault stands behind an advance', () => {
    const insert = { kind: 'step', texts: ['insert: { into: app.c, documents: [{}] }'] } as const;
    const { text, line: at } = insertStep(TEXT, 30_000_001, insert, STEPS)!;
    expect(text.split('\n').slice(at - 1, at + 1)).toEqual([
      '  - advance: { to: 30.000001s }',
      '  - insert: { into: app.c, documents: [{}] }',
    ]);
  });

  test('without a line’s end at the end, and without steps', () => {
    expect(insertStep(TEXT.trimEnd(), 30_000_000, KILL, STEPS)?.text).toBe(`${TEXT}  - at: 30s\n    kill: n2\n`);
    expect(insertStep('name: nothing', 0, KILL, [])).toBeUndefined();
  });
});

test('a fork goes there, and forgets what followed', () => {
  expect(forkAt(TEXT, 15_000_000, STEPS)).toBe(
    TEXT.replace(/ {2}- insert:[\s\S]*/, '  - advance: { to: 15s }\n').replace('  - advance: 8s # and on\n', ''),
  );
});
