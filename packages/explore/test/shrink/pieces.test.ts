import { InvalidScenario, parseScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { NO_COVERAGE, shrink, type Trial, type TrialInput } from '../../src/index.ts';

// What is inside of steps and of the set gets smaller, too; whether a text fails is said by the test.

const failing =
  (needed: RegExp) =>
  async ({ text }: TrialInput): Promise<Trial> => {
    const rest = { coverage: NO_COVERAGE, seed: 1, beganMicros: 0, endMicros: 1, members: ['n1'] };
    const trial = { ...rest, steps: new Map<number, number>(), ends: new Map<number, number>() };
    try {
      parseScenario(text, 'a.yaml');
    } catch (error) {
      if (!(error instanceof InvalidScenario)) throw error;
      return { ...trial, obstacle: { of: 'text', title: error.message, reason: '' } };
    }
    if (!needed.test(text)) return trial;
    return { ...trial, failure: { of: 'invariant', sameAs: 'x', title: 'x', detail: '', at: [] } };
  };

const head = 'name: x\nreplicaSet: { members: 3 }\n';

test.for([
  [
    'documents and their fields',
    `${head}steps:\n  - insert: { into: a.b, documents: [{ _id: 1 }, { _id: 2, v: 3 }, { _id: 4 }] }\n`,
    /_id: 2/,
    'steps:\n  - insert: { into: a.b, documents: [{ _id: 2 }] }\n',
  ],
  [
    'what stands in a repetition',
    `${head}steps:\n  - repeat: { times: 3, steps: [{ advance: 1s }, { kill: n1 }] }\n`,
    /kill: n1/,
    'steps:\n  - kill: n1\n',
  ],
  [
    'options of a workload',
    `${head}steps:\n  - workload: { name: w, every: 1s, insert: { into: a.b, document: { a: 1 } }, writeConcern: { w: 1 }, near: n1 }\n`,
    /workload/,
    'steps:\n  - workload: { name: w, every: 1s, insert: { into: a.b, document: {} } }\n',
  ],
  [
    'members, and their fields',
    'name: x\nreplicaSet: { settings: { chainingAllowed: false }, members: [{ name: n1, priority: 2 }, n2, n3] }\nsteps:\n  - kill: n1\n',
    /kill: n1/,
    'replicaSet: { members: 1 }\nsteps:\n  - kill: n1\n',
  ],
  [
    'fields of commands that are recorded as text',
    `${head}steps:\n  - { at: 0s }\n  - { at: 1s, send: { to: n1, command: '{"insert":"c","documents":[],"lsid":{},"$db":"a"}' } }\n`,
    /insert.*\$db/,
    `steps:\n  - { send: { to: n1, command: '{"insert":"c","$db":"a"}' } }\n`,
  ],
  [
    'durations are rounded wherever they stand',
    `${head}steps:\n  - always: { for: 12.345s, primary: none }\n`,
    /always/,
    'steps:\n  - always: { for: 10s, primary: none }\n',
  ],
] as const)('%s', async ([, text, needed, left]) => {
  const shrunk = await shrink(text, { seed: 1, play: failing(needed) });
  const body = shrunk?.text.replace('name: x\n', '').replace(/seed: 1\n/, '');
  expect(left.startsWith('replicaSet') ? body : body?.slice(body.indexOf('steps:'))).toBe(left);
});

test('no text is played twice', async () => {
  const seen: string[] = [];
  const play = failing(/kill: n1/);
  const text = `${head}steps:\n  - kill: n1\n  - insert: { into: a.b, documents: [{ _id: 1 }] }\n  - advance: 5s\n`;
  await shrink(text, {
    seed: 1,
    play: (input) => {
      seen.push(input.text);
      return play(input);
    },
  });
  expect(seen.slice(1)).toEqual([...new Set(seen.slice(1))]);
});
