import { readdirSync, readFileSync } from 'node:fs';
import { InvalidScenario, parseScenario } from '@replsim/scenario';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Difference } from '../../../src/core/edit/difference.ts';
import { differing, secondOf } from '../../../src/core/edit/differing.ts';

const SETTING: Difference = { kind: 'setting', name: 'settings.electionTimeoutMillis', value: '5000' };
const HEAD = `# What it is about.
name: A failover # in one line
`;
const STEPS = `# Above the steps.
steps:
  - advance: 5s
`;

function text(of: string, difference: Difference): string {
  const second = differing(of, difference);
  if ('cannot' in second) throw new Error(second.cannot);
  return second.text;
}

describe('everything else stays, and so do comments', () => {
  test.for<[what: string, before: string, difference: Difference, after: string]>([
    [
      'a seed',
      `${HEAD}seed: 1 # the first\n${STEPS}`,
      { kind: 'seed', seed: 2 },
      `${HEAD}seed: 2 # the first\n${STEPS}`,
    ],
    ['a seed where there is none', HEAD + STEPS, { kind: 'seed', seed: 2 }, `${HEAD}seed: 2\n${STEPS}`],
    [
      'a version',
      `${HEAD}version: '8.0'\n${STEPS}`,
      { kind: 'version', version: '7.0' },
      `${HEAD}version: "7.0"\n${STEPS}`,
    ],
    [
      'a setting without a set',
      HEAD + STEPS,
      SETTING,
      `${HEAD}replicaSet: { settings: { electionTimeoutMillis: 5000 } }\n${STEPS}`,
    ],
    [
      'a setting of a set in flow style, that has no settings',
      `${HEAD}replicaSet: { members: [n1, n2] } # two\n${STEPS}`,
      SETTING,
      `${HEAD}replicaSet: { members: [n1, n2], settings: { electionTimeoutMillis: 5000 } } # two\n${STEPS}`,
    ],
    [
      'a setting of a set in block style',
      `${HEAD}replicaSet:\n  # Two of them.\n  members:\n    - n1 # one\n    - n2\n${STEPS}`,
      SETTING,
      `${HEAD}replicaSet:\n  settings: { electionTimeoutMillis: 5000 }\n  # Two of them.\n  members:\n    - n1 # one\n    - n2\n${STEPS}`,
    ],
    [
      'a setting beside others',
      `${HEAD}replicaSet:\n  settings:\n    chainingAllowed: false # no chains\n  members: 3\n${STEPS}`,
      SETTING,
      `${HEAD}replicaSet:\n  settings:\n    electionTimeoutMillis: 5000\n    chainingAllowed: false # no chains\n  members: 3\n${STEPS}`,
    ],
    [
      'a setting that stands there',
      `${HEAD}replicaSet: { settings: { electionTimeoutMillis: 2000 }, members: 3 }\n${STEPS}`,
      SETTING,
      `${HEAD}replicaSet: { settings: { electionTimeoutMillis: 5000 }, members: 3 }\n${STEPS}`,
    ],
    [
      'settings with nothing in them',
      `${HEAD}replicaSet:\n  settings: # none\n  members: 3\n${STEPS}`,
      SETTING,
      `${HEAD}replicaSet:\n  settings: { electionTimeoutMillis: 5000 } # none\n  members: 3\n${STEPS}`,
    ],
    [
      'an empty map',
      `${HEAD}replicaSet: {}\n${STEPS}`,
      SETTING,
      `${HEAD}replicaSet: { settings: { electionTimeoutMillis: 5000 } }\n${STEPS}`,
    ],
    [
      'a map as a setting, in the place of one in block style',
      `${HEAD}replicaSet:\n  settings:\n    getLastErrorModes:\n      far: { dc: 2 }\n  # Three.\n  members: [{ name: n1, tags: { dc: a } }, n2, n3]\n${STEPS}`,
      { kind: 'setting', name: 'settings.getLastErrorModes', value: '{ far: { dc: 1 } }' },
      `${HEAD}replicaSet:\n  settings:\n    getLastErrorModes:\n      { far: { dc: 1 } }\n  # Three.\n  members: [{ name: n1, tags: { dc: a } }, n2, n3]\n${STEPS}`,
    ],
    [
      'a parameter',
      HEAD + STEPS,
      { kind: 'setting', name: 'parameters.ttlMonitorSleepSecs', value: '10' },
      `${HEAD}parameters: { ttlMonitorSleepSecs: 10 }\n${STEPS}`,
    ],
    [
      'a scenario in flow style',
      '{ name: Flow, steps: [{ advance: 5s }] }',
      SETTING,
      '{ name: Flow, steps: [{ advance: 5s }], replicaSet: { settings: { electionTimeoutMillis: 5000 } } }',
    ],
  ])('%s', ([, before, difference, after]) => {
    expect(text(before, difference)).toBe(after);
    expect(() => parseScenario(after, 'second.yaml')).not.toThrow();
  });
});

test('all that writes gets the write concern, and nothing else', () => {
  const before = `name: Writes
replicaSet: { members: [n1, n2, n3] }
steps:
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: majority, j: true } } # with j
  - update:
      in: app.c
      # All of them.
      update: { $set: { a: 1 } }
  - delete: { from: app.c, writeConcern: {} }
  - createIndex: { in: app.c, keys: { a: 1 } }
  - find: { in: app.c }
  - run: { db: app, command: { insert: c, documents: [{ _id: 2 }] } }
  - run: { db: app, command: { insert: c, documents: [{ _id: 3 }], lsid: { id: x }, txnNumber: 1, autocommit: false } }
  - run: { db: admin, command: { commitTransaction: 1, lsid: { id: x }, txnNumber: 1, autocommit: false } }
  - run: { db: app, command: { count: c } }
  - workload: { name: w1, every: 1s, insert: { into: app.c, document: { at: $i } } }
  - workload: { name: r1, every: 1s, find: { in: app.c } }
  - repeat:
      times: 2
      steps:
        - insert: { into: app.c, documents: [{ a: 2 }] }
`;
  const after = text(before, { kind: 'writeConcern', w: '2' });
  const [lines, others] = [before.split('\n'), after.split('\n')];
  expect(others.filter((line) => !lines.includes(line))).toEqual([
    '  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 2, j: true } } # with j',
    '      writeConcern: { w: 2 }',
    '  - delete: { from: app.c, writeConcern: { w: 2 } }',
    '  - createIndex: { in: app.c, keys: { a: 1 }, writeConcern: { w: 2 } }',
    '  - run: { db: app, command: { insert: c, documents: [{ _id: 2 }], writeConcern: { w: 2 } } }',
    '  - run: { db: admin, command: { commitTransaction: 1, lsid: { id: x }, txnNumber: 1, autocommit: false, writeConcern: { w: 2 } } }',
    '  - workload: { name: w1, every: 1s, insert: { into: app.c, document: { at: $i } }, writeConcern: { w: 2 } }',
    '        - insert: { into: app.c, documents: [{ a: 2 }], writeConcern: { w: 2 } }',
  ]);
  expect(after.split('\n').indexOf('      writeConcern: { w: 2 }')).toBe(lines.indexOf('      # All of them.'));
});

test.for<[string, string, Difference, RegExp]>([
  ['nothing that writes', HEAD + STEPS, { kind: 'writeConcern', w: 'majority' }, /no step of the first text writes/],
  ['no such number', HEAD + STEPS, { kind: 'writeConcern', w: '1, j: true' }, /how many members/],
  ['no list of steps', 'name: A', { kind: 'writeConcern', w: '1' }, /no list of steps/],
  ['a broken text', 'name: [', { kind: 'seed', seed: 2 }, /is not valid YAML/],
  ['no map', '- 1', SETTING, /is not a scenario/],
  ['half a seed', HEAD + STEPS, { kind: 'seed', seed: 1.5 }, /whole number/],
  ['no seed', HEAD + STEPS, { kind: 'seed', seed: Number.NaN }, /whole number/],
  ['a set that is no map', `${HEAD}replicaSet: 3\n${STEPS}`, SETTING, /“replicaSet” is not a map/],
  ['an alias', `${HEAD}zones: &z {}\nreplicaSet: *z\n${STEPS}`, SETTING, /“replicaSet” is an alias/],
  [
    'a write by an alias',
    `${HEAD}zones: &z {}\nsteps:\n  - insert: *z\n`,
    { kind: 'writeConcern', w: '1' },
    /“insert” is an alias/,
  ],
  ['a setting of nothing', HEAD + STEPS, { kind: 'setting', name: 'costs.insertMicros', value: '1' }, /name a setting/],
  ['no value', HEAD + STEPS, { ...SETTING, value: ' ' }, /say one value/],
  ['two values', HEAD + STEPS, { ...SETTING, value: '1, chainingAllowed: false' }, /say one value/],
  ['a comment', HEAD + STEPS, { ...SETTING, value: '1 # }' }, /say one value/],
  ['no version', HEAD + STEPS, { kind: 'version', version: '9.9' }, /no version 9.9/],
])('it cannot be made, and says why: %s', ([, before, difference, why]) => {
  expect(differing(before, difference)).toEqual({ cannot: expect.stringMatching(why) });
});

test('members with a version of their own keep it, and that is said', () => {
  const before = `name: Mixed\nreplicaSet: { members: [n1, { name: n2, version: "7.0" }] }\nsteps: [{ advance: 1s }]\n`;
  expect(differing(before, { kind: 'version', version: '8.2' })).toMatchObject({
    note: expect.stringMatching(/^n2: /),
  });
});

test('a seed that is not the text’s own is written into what is compared with it', () => {
  const second = secondOf(HEAD + STEPS, 7, SETTING);
  expect('text' in second && parse(second.text)).toMatchObject({ seed: 7 });
  expect(secondOf(HEAD + STEPS, 7, { kind: 'seed', seed: 8 })).toEqual(
    differing(HEAD + STEPS, { kind: 'seed', seed: 8 }),
  );
  expect(secondOf('x', 7, { kind: 'text', text: 'y' })).toEqual({ text: 'y' });
});

describe('every scenario', () => {
  const folder = new URL('../../../../../scenarios/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const commentsOf = (of: string) => of.match(/(^|\s)#.*$/gm);

  test.for(files)('%s', (file) => {
    const before = readFileSync(new URL(file, folder), 'utf8');
    const was = parse(before);
    for (const [difference, path] of [
      [{ kind: 'seed', seed: 4711 }, ['seed']],
      [SETTING, ['replicaSet', 'settings', 'electionTimeoutMillis']],
      [{ kind: 'version', version: '8.2' }, ['version']],
    ] as const) {
      const after = text(before, difference);
      const is = parse(after);
      expect(commentsOf(after)).toEqual(commentsOf(before));
      expect(without(is, path)).toEqual(without(was, path));
      expect(Object.keys(is)).toContain(path[0]);
    }
    const concern = differing(before, { kind: 'writeConcern', w: '1' });
    if ('cannot' in concern) return expect(concern.cannot).toMatch(/no step of the first text writes|is an alias/);
    expect(commentsOf(concern.text)).toEqual(commentsOf(before));
    expect(mistakesOf(concern.text)).toEqual([]);
  });

  function without(value: Record<string, unknown>, [key = '', ...rest]: readonly string[]): unknown {
    const { [key]: inner, ...others } = value;
    const left = rest.length > 0 && inner ? without(inner as Record<string, unknown>, rest) : {};
    return Object.keys(left as object).length === 0 ? others : { ...others, [key]: left };
  }
});

function mistakesOf(of: string): readonly string[] {
  try {
    parseScenario(of, 'second.yaml');
    return [];
  } catch (error) {
    if (error instanceof InvalidScenario) return error.mistakes.map(({ message }) => message);
    throw error;
  }
}
