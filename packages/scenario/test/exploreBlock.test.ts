import { FAULT_KINDS } from '@replsim/replset';
import { describe, expect, test } from 'vitest';
import { DRAWN_KINDS, DRAWS, InvalidScenario, parseScenario } from '../src/index.ts';

// `explore:` bounds what is drawn, and a run takes no notice of it.

const file = (explore: string) =>
  `name: A claim\nzones: { east: [n1, n2] }\nexplore: ${explore}\nsteps:\n  - eventually: { within: 30s, primary: any }\n`;

function mistakesOf(text: string): readonly string[] {
  try {
    parseScenario(text, 'a.yaml');
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    return error.mistakes.map(({ line, column, message, suggestion }) => `${line}:${column} ${message}; ${suggestion}`);
  }
  return [];
}

test('everything in it is read, and zones stand for their members', () => {
  const { exploring } = parseScenario(
    file('{ faults: [kill, stepDown], during: 1m, atMost: 3, members: [east, n3], overlap: true, heal: false }'),
    'a.yaml',
  );
  expect(exploring).toEqual({
    faults: ['kill', 'stepDown'],
    duringMicros: 60_000_000,
    atMost: 3,
    members: ['n1', 'n2', 'n3'],
    overlap: true,
    heal: false,
  });
  expect(parseScenario('name: A claim\nsteps: [{ advance: 1s }]\n', 'a.yaml').exploring).toBeUndefined();
});

describe('a mistake is told where it stands', () => {
  test.for([
    [
      '{}',
      '3:10 this says nothing about what is drawn; leave it out, or write explore: { faults: [kill, partition], atMost: 3 }',
    ],
    [
      '',
      '3:10 explore is a map; write its keys below it, indented further: faults, during, atMost, members, overlap, heal',
    ],
    ['{ faults: [] }', '3:20 expected at least one fault: [kill, partition]; undefined'],
    ['{ faults: kill }', '3:20 expected a list of faults: [kill, partition]; undefined'],
    ['{ faults: [kil] }', '3:21 no fault that can be drawn is called "kil"; did you mean "kill"?'],
    ['{ faults: [kill, kill] }', '3:27 "kill" is in this list already; leave it out'],
    ['{ faults: [heal] }', '3:21 "heal" is not drawn by itself: it ends partition, cut and link; these are: kill,'],
    ['{ members: [n9] }', '3:22 no member is called "n9"; did you mean "n1"?'],
    ['{ members: [] }', '3:21 expected at least one member; undefined'],
    ['{ members: [n1, n1] }', '3:26 "n1" is in this list already; leave it out'],
    ['{ atMost: 0 }', '3:20 expected 1 or more; undefined'],
    ['{ during: 0s }', '3:20 in no time nothing can be drawn; for example during: 60s'],
    ['{ during: -5s }', '3:20 time does not run backwards; did you mean "5s"?'],
    ['{ during: soon }', '3:20 expected a duration such as'],
    ['{ heal: yes }', '3:18 expected true or false; undefined'],
    ['{ kinds: [kill] }', '3:12 unknown key "kinds" in explore; did you mean "faults"?'],
    ['{ runs: 5 }', '3:12 unknown key "runs" in explore; it is an option of the command: --runs 1000'],
  ] as const)('%s', ([explore, told]) => {
    const [mistake, ...more] = mistakesOf(file(explore));
    expect(mistake).toContain(told);
    expect(more).toEqual([]);
  });
});

test('faults of which none can befall the set are a mistake', () => {
  const alone = file('{ faults: [partition, link] }').replace(
    'zones: { east: [n1, n2] }',
    'replicaSet: { members: 1 }',
  );
  expect(mistakesOf(alone)).toEqual([
    '3:20 these faults need a set of several members; add members, or for example kill',
  ]);
});

test('every kind of fault is drawn, or it is said why not', () => {
  for (const kind of FAULT_KINDS) {
    const row = DRAWS[kind];
    if ('never' in row) expect(row.never, kind).toMatch(/^[a-z].{10,}/);
    else expect(DRAWN_KINDS).toContain(kind);
  }
});
