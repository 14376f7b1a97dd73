import { describe, expect, test } from 'vitest';
import { parseScenario, showMistake } from '../src/index.ts';

function warningsOf(...steps: string[]): string[] {
  const text = `name: A claim\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`;
  return parseScenario(text, 'odd.yaml').warnings.map(
    ({ line, column, message, suggestion }) => `${line}:${column} ${message}${suggestion ? `; ${suggestion}` : ''}`,
  );
}

const WRITE = 'insert: { into: app.sessions, documents: [{ _id: 1 }] }';
const NEAR = 'did you mean "app.sessions"?';

test.for<[check: string, warnings: string[]]>([
  ['on: n1, count: app.sesions, is: 25', [`4:30 no step writes or creates app.sesions; ${NEAR}`]],
  ['on: n1, count: app.sesions, is: 0', [`4:30 no step writes or creates app.sesions; ${NEAR}`]],
  ['on: n1, count: app.sesions, is: { $lt: 5 }', [`4:30 no step writes or creates app.sesions; ${NEAR}`]],
  ['on: n1, count: app.somethingElse, is: 25', ['4:30 no step writes or creates app.somethingElse']],
  ['on: n1, count: app.somethingElse, is: 0', []],
  ['on: n1, count: app.somethingElse, is: { $lt: 5 }', []],
  ['not: { on: n1, count: app.somethingElse, is: 0 }', ['4:37 no step writes or creates app.somethingElse']],
  ['on: n1, find: app.somethingElse, is: [{ _id: 1 }]', ['4:29 no step writes or creates app.somethingElse']],
  ['on: n1, find: app.somethingElse, is: []', []],
  ['same: [app.sessions, app.somethingElse]', ['4:36 no step writes or creates app.somethingElse']],
  ['on: n1, count: app.sessions, is: 1', []],
  ['on: n1, count: local.oplog.rs, is: 7', []],
])('a collection that no step writes: %s', ([check, warnings]) => {
  expect(warningsOf(WRITE, `expect: { ${check} }`)).toEqual(warnings);
});

test.for<[made: string, warnings: string[]]>([
  [
    'createIndex: { in: app.session, keys: { a: 1 } }',
    ['5:30 no step puts documents into app.session; did you mean "app.sessions"?'],
  ],
  [
    'run: { db: app, command: { create: session } }',
    ['5:30 no step puts documents into app.session; did you mean "app.sessions"?'],
  ],
  ['insert: { into: app.session, documents: [{}] }', []],
  ['run: { db: app, command: { update: session, updates: [] } }', []],
])('a collection that is made, but stays empty: %s', ([made, warnings]) => {
  expect(warningsOf(WRITE, made, 'expect: { on: n1, count: app.session, is: 0 }')).toEqual(warnings);
  // Without another of a similar name it may be meant so.
  if (warnings.length > 0) expect(warningsOf(made, 'expect: { on: n1, count: app.session, is: 0 }')).toEqual([]);
});

test.for<[value: string, written: string | undefined]>([
  ['ISODate("2099-01-01T00:00:00Z")', '{ $date: "…" }'],
  ['new Date()', '{ $date: "…" }'],
  ['ObjectId("507f1f77bcf86cd799439011")', '{ $oid: "…" }'],
  ['NumberLong(5)', '{ $numberLong: "…" }'],
  ['Timestamp(1', '{ $timestamp: { t: …, i: … } }'],
  ['"ISODate(x)"', undefined],
  ['isodate(x)', undefined],
  ['Dates (many)', undefined],
  ['constructor(x)', undefined],
])('a value as mongosh writes it: %s', ([value, written]) => {
  const name = /\w+(?=\()/.exec(value)?.[0];
  const warned = warningsOf(`insert: { into: app.c, documents: [{ at: ${value} }] }`);
  expect(warned).toEqual(
    written === undefined
      ? []
      : [`3:46 this is text: YAML does not know ${name}(…); write ${written}, or put the text in quotes`],
  );
});

test.for([
  ['run: { db: app, command: { create: c } }'],
  ['run: { db: app, command: { aggregate: d, pipeline: [{ $out: c }], cursor: {} } }'],
  ['run: { command: { renameCollection: app.d, to: app.c } }'],
  ['createIndex: { in: app.c, keys: { a: 1 } }'],
  ['workload: { name: w, every: 1s, insert: { into: app.c, document: { a: 1 } } }'],
  ['send: { to: n1, command: "{}" }'],
])('what creates a collection: %s', ([step]) => {
  const check = 'expect: { on: n1, count: app.c, is: 1 }';
  expect(warningsOf(step!, check)).toEqual([]);
  expect(warningsOf('advance: 1s', check)).toHaveLength(1);
});

test.for([['find: { in: app.c }'], ['run: { db: app, command: { count: c } }']])('what only reads: %s', ([step]) => {
  expect(warningsOf(step!, 'expect: { on: n1, count: app.c, is: 1 }')).toHaveLength(1);
});

test('a warning is shown with its place', () => {
  const text = `name: A claim\nsteps:\n  - ${WRITE}\n  - expect: { same: [app.sesions] }\n`;
  expect(parseScenario(text, 'odd.yaml').warnings.map(showMistake)).toEqual([
    [
      'odd.yaml:4:22: no step writes or creates app.sesions',
      '    4 |   - expect: { same: [app.sesions] }',
      '      |                      ^^^^^^^^^^^',
      '      did you mean "app.sessions"?',
    ].join('\n'),
  ]);
});

describe('members whom a partition forgets', () => {
  const of = (members: string, ...steps: string[]) => {
    const text = `name: A claim\nreplicaSet: { members: ${members} }\nzones: { east: [n1, n2] }\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`;
    return parseScenario(text, 'odd.yaml').warnings.map(({ message, suggestion }) => `${message}; ${suggestion}`);
  };
  const together = (names: string) => `${names} stand on no side, and so together on one of their own`;

  test.for<[what: string, members: string, steps: string[], warnings: string[]]>([
    ['none', '3', ['partition: [[n1], [n2, n3]]'], []],
    [
      'one',
      '3',
      ['partition: [n1, n2]'],
      ['n3 stands on no side, and so alone; if this is intended, write [[n1], [n2], [n3]]'],
    ],
    [
      'who would make a majority',
      '5',
      ['partition: [[n1, n2], [n3]]'],
      [`${together('n4, n5')}; if this is intended, write [[n1, n2], [n3], [n4, n5]]`],
    ],
    ['who change nothing', '7', ['partition: [[n1, n2, n3, n4], [n5]]'], []],
    [
      'of whom later steps speak',
      '7',
      ['kill: n7', 'partition: [[n1, n2, n3, n4], [n5]]', 'expect: { state: { n6: SECONDARY } }'],
      [`${together('n6, n7')}; if this is intended, write [[n1, n2, n3, n4], [n5], [n6, n7]]`],
    ],
    ['or did before', '7', ['kill: n7', 'partition: [[n1, n2, n3, n4], [n5]]'], []],
    [
      'who have no votes',
      '[n1, n2, n3, { name: n4, votes: 0, priority: 0 }, { name: n5, votes: 0, priority: 0 }]',
      ['partition: [[n1], [n2, n3]]'],
      [],
    ],
    ['beside a zone', '3', ['partition: [east, n3]'], []],
    ['beside a word', '3', ['partition: [primary, n3]'], []],
    ['what came from outside', '3', ['{ at: 1s, partition: [[n1]] }'], []],
  ])('%s', ([, members, steps, warnings]) => {
    expect(of(members, ...steps)).toEqual(warnings);
  });
});

test('a question is of collections that somebody writes, writes none itself, and claims nothing', () => {
  const asks = (answer: string) => `ask: { question: Q, answer: ${answer}, choices: [0, 1] }`;
  expect(warningsOf(WRITE, asks('{ count: { in: app.sesions } }'))).toEqual([
    `4:48 no step writes or creates app.sesions; ${NEAR}`,
  ]);
  expect(warningsOf(WRITE, 'ask: { question: Q, answer: { holds: { count: app.c, is: 1 } } }')).toEqual([
    '4:51 no step writes or creates app.c',
  ]);
  expect(warningsOf(asks('{ count: { in: app.c } }'), 'expect: { count: app.c, is: 1 }')).toHaveLength(2);
  expect(warningsOf('act: A', 'focus: n1', 'ask: { question: Q, answer: primary }')).toEqual([
    '3:3 no step of this scenario checks anything, so it always holds; end it with a check: "- expect: { … }"',
  ]);
});

describe('a stream', () => {
  const WATCH = 'watch: { name: s, in: app.c }';
  const check = '{ stream: s, events: [] }';

  test('at which no check looks', () => {
    expect(warningsOf(WATCH, WRITE, 'stop: s', 'expect: { primary: any }')).toEqual([
      '3:20 no check looks at the stream "s": it may show anything; for example "- eventually: { within: 10s, stream: s, events: [{ operationType: insert }] }"',
    ]);
  });

  test.for([
    [`expect: ${check}`],
    [`eventually: { within: 1s, stream: s, error: any }`],
    [`always: { for: 1s, not: ${check} }`],
    [`repeat: { times: 2, steps: [{ expect: ${check} }] }`],
    [`ask: { question: Q, answer: { holds: ${check} } }`],
  ])('at which somebody looks: %s', ([step]) => {
    expect(warningsOf(WATCH, WRITE, step!, 'expect: { primary: any }')).toEqual([]);
  });
});
