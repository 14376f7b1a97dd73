import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario, type ScenarioError } from '../src/index.ts';

function mistakesOf(text: string): readonly ScenarioError[] {
  try {
    parseScenario(text, 'bad.yaml');
  } catch (error) {
    if (error instanceof InvalidScenario) return error.mistakes;
    throw error;
  }
  return [];
}

/** A step in a scenario that is right but for it; the step begins at 3:5. */
const step = (text: string) => `name: A claim\nsteps:\n  - ${text}\n`;
const members = (list: string) => `name: A claim\nreplicaSet:\n  members: ${list}\nsteps:\n  - advance: 1s\n`;

/** Place of the only mistake, its message, its suggestion. */
const TOO_DEEP = 'this is nested too deep: at most 220 levels are read';

type Row = [name: string, text: string, place: string, message: string, suggestion?: string];

const files: Row[] = [
  ['empty', '', '1:1', 'the file is empty', 'a scenario needs at least "steps:"'],
  ['only a comment', '# later\n', '1:1', 'the file is empty', 'a scenario needs at least "steps:"'],
  ['a list', '- advance: 1s\n', '1:1', 'a scenario is a map', 'begin with "name: …" and "steps:"'],
  [
    'two documents',
    `${step('advance: 1s')}---\nname: b\n`,
    '4:1',
    'a file holds one scenario; a second YAML document begins here',
  ],
  [
    'a key twice',
    `name: a\n${step('advance: 1s')}`,
    '2:1',
    'this key appears twice in the same map',
    'keep one of them',
  ],
  ['a tab', 'name: a\nsteps:\n\t- advance: 1s\n', '3:1', 'YAML does not allow tabs as indentation', 'use spaces'],
  [
    'an unknown alias',
    step('advance: *soon'),
    '3:14',
    'nothing before this is anchored as "&soon"',
    'text that begins with "*" needs quotes: "*soon"',
  ],
  [
    'an alias inside itself',
    'name: a\nsteps: &s\n  - insert: { into: a.b, documents: *s }\n',
    '3:37',
    '"&s" contains itself',
  ],
  [
    'aliases that multiply',
    `a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n${[...'bcdefghi'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]\n`).join('')}`,
    '6:8',
    'aliases repeat too much: with this one they add more than 100000 values',
  ],
  [
    'aliases that pile up',
    `${Array.from({ length: 230 }, (_, i) => `a${i}: &a${i} [${i === 0 ? '1' : `*a${i - 1}`}]\n`).join('')}`,
    '221:13',
    'this is nested too deep: at most 220 levels are read',
  ],
  ['deep brackets', `name: a\nsteps: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`, '2:227', TOO_DEEP],
  ['deep dashes', `name: a\nsteps:\n${'- '.repeat(20_000)}x\n`, '3:439', TOO_DEEP],
  ['deep braces', `name: a\nsteps: ${'{ a: '.repeat(20_000)}1${' }'.repeat(20_000)}\n`, '2:1103', TOO_DEEP],
  ['deep brackets that stay open', `name: a\nsteps: ${'['.repeat(20_000)}`, '2:227', TOO_DEEP],
  [
    'more than is read',
    `name: a\n#${'x'.repeat(32 * 1024 * 1024)}\n`,
    '1:1',
    'this file is too long: it has 33554442 characters, and at most 33554432 are read',
  ],
  ['a name that is a number', 'name: 2024\nsteps: [ advance: 1s ]\n', '1:7', 'a name is text: put it in quotes'],
  [
    'a merge key',
    step('insert: { <<: { into: app.c }, documents: [{ a: 1 }] }'),
    '3:15',
    'merge keys (<<) are not supported',
    'write the fields out; an alias may be a whole value',
  ],
  [
    'seconds of a step-down by another name',
    step('stepDown: { secs: 5 }'),
    '3:17',
    'unknown key "secs" in stepDown',
    'did you mean "stepDownSecs"?',
  ],
  ['no name', 'steps: [ advance: 1s ]\n', '1:1', '"name" is missing here', 'a scenario says its claim in its name'],
  [
    'no steps',
    'name: a\n',
    '1:1',
    '"steps" is missing here',
    'expected a list of steps, each of which begins with "- "',
  ],
  [
    'steps that are none',
    'name: a\nsteps: advance\n',
    '2:8',
    'expected a list of steps, each of which begins with "- "',
  ],
  [
    'an unknown key',
    `nmae: b\n${step('advance: 1s')}`,
    '1:1',
    'unknown key "nmae" in a scenario',
    'did you mean "name"?',
  ],
  [
    'a version we do not have',
    `version: "5.0"\n${step('advance: 1s')}`,
    '1:10',
    'expected one of "8.2", "8.0", "7.0", "6.0", "4.4", "3.2", in quotes',
  ],
  [
    'a version that is a number',
    `version: 8.0\n${step('advance: 1s')}`,
    '1:10',
    'expected one of "8.2", "8.0", "7.0", "6.0", "4.4", "3.2", in quotes',
  ],
  [
    'an epoch',
    `epoch: yesterday\n${step('advance: 1s')}`,
    '1:8',
    '"yesterday" is not a time between 1970 and 2106',
    'write 2025-01-01T00:00:00Z',
  ],
  ['a seed', `seed: -1\n${step('advance: 1s')}`, '1:7', 'expected 0 or more'],
  [
    'latency',
    `network: { latencyMs: [4, 1] }\n${step('advance: 1s')}`,
    '1:23',
    'the least latency comes first',
    'did you mean [1, 4]?',
  ],
  ['loss', `network: { loss: 5 }\n${step('advance: 1s')}`, '1:18', 'expected a probability from 0 to 1'],
  [
    'a cost',
    `costs: { insertMicro: 5 }\n${step('advance: 1s')}`,
    '1:10',
    'unknown key "insertMicro" in costs',
    'did you mean "insertMicros"?',
  ],
];

const steps: Row[] = [
  ['an unknown step', step('advnce: 62s'), '3:5', 'unknown key "advnce" in a step', 'did you mean "advance"?'],
  [
    'two steps in one',
    step('advance: 1s\n    kill: n1'),
    '4:5',
    'a step does one thing, and this one has "advance" already',
    'begin a new step: "- kill: …"',
  ],
  ['no step', step('{}'), '3:5', 'this step is empty', 'for example "- advance: 10s"'],
  ['a step that is text', step('advance'), '3:5', 'a step is a map', 'write "advance: …"'],
  [
    'a duration without unit',
    step('advance: 62'),
    '3:14',
    'expected a duration, or { to: duration }',
    'did you mean 62s?',
  ],
  ['a duration', step('advance: soon'), '3:14', 'expected a duration such as 250ms, 61s, 60.001s or 1h30m'],
  ['a duration too fine', step('advance: 0.0001ms'), '3:14', '"0.0001ms" is finer than a microsecond, or too long'],
  ['time backwards', step('advance: -5s'), '3:14', 'time does not run backwards', 'did you mean "5s"?'],
  ['an unknown member', step('kill: n4'), '3:11', 'no member is called "n4"', 'did you mean "n1"?'],
  [
    'an unknown target',
    step('kill: secondarys'),
    '3:11',
    'no member is called "secondarys"',
    'did you mean "secondaries"?',
  ],
  [
    'a member in a partition',
    step('partition: [[n1, x2], [n3]]'),
    '3:22',
    'no member is called "x2"',
    'did you mean "n2"?',
  ],
  [
    'a member on both sides',
    step('partition: [[n1, n2], [n2, n3]]'),
    '3:28',
    'n2 is on two sides',
    'name it on one of them',
  ],
  ['one side', step('partition: [[n1, n2]]'), '3:16', 'a partition has at least two sides: [[n1, n2], [n3]]'],
  [
    'a namespace',
    step('insert: { into: sessions, documents: [{ _id: 1 }] }'),
    '3:21',
    'expected a namespace: db.collection',
  ],
  [
    'documents missing',
    step('insert: { into: a.b }'),
    '3:13',
    'an insert has either "documents", or "count" and "document", or "file"',
  ],
  [
    'a required key',
    step('insert: { documents: [{ _id: 1 }] }'),
    '3:5',
    '"into" is missing here',
    'expected a namespace: db.collection',
  ],
  [
    'documents that are one',
    step('insert: { into: a.b, documents: { _id: 1 } }'),
    '3:37',
    'expected a list of documents: [{ field: value }]',
  ],
  [
    'a clock without change',
    step('clock: { on: n1 }'),
    '3:12',
    'a clock step has either "jump" or "drift"',
    'jump: 90s, or drift: 50 (parts per million)',
  ],
  [
    'a jump of less than a millisecond',
    step('clock: { on: n1, jump: 1us }'),
    '3:28',
    'a wall clock shows whole milliseconds',
    'did you mean 1ms?',
  ],
  [
    'a jump that no clock can make',
    step('clock: { on: n1, jump: 100000d }'),
    '3:28',
    'no clock jumps so far: clocks go from 1970 to 2106',
    'choose a shorter jump',
  ],
  [
    'a time beyond all clocks',
    step('advance: 100000d'),
    '3:14',
    'this is too long: clocks go from 1970 to 2106',
    'write at most 49710d',
  ],
  ['turns without end', step('repeat: { times: 1e15, steps: [{ note: x }] }'), '3:22', 'at most 1000000 turns'],
  ['a drift in fractions', step('clock: { on: n1, drift: 0.5 }'), '3:29', 'expected parts per million, a whole number'],
  [
    'a jump without a unit',
    step('clock: { on: n1, jump: 90 }'),
    '3:28',
    'expected a duration such as 250ms, 61s, 60.001s or 1h30m',
    'did you mean 90s?',
  ],
  [
    'a part that there is not',
    step('hold: { on: n1, part: all }'),
    '3:27',
    'expected one of fetch, apply, journal, heartbeats, ttl',
  ],
  [
    'a target of a fault that is misspelled',
    step('disconnect: { from: n1, to: [n2, secondries] }'),
    '3:38',
    'no member is called "secondries"',
    'did you mean "secondaries"?',
  ],
  [
    'a rolling restart in another order',
    step('rolling: { restart: {}, order: primary first }'),
    '3:36',
    'expected "secondaries first", the only order that keeps the set available',
  ],
  [
    'a rolling restart as a release that there is not',
    step('rolling: { restart: { version: "9.9" } }'),
    '3:36',
    'expected one of "8.2", "8.0", "7.0", "6.0", "4.4", "3.2", in quotes',
  ],
  [
    'a release without quotes',
    step('restart: { member: n1, version: 8.2 }'),
    '3:37',
    'expected one of "8.2", "8.0", "7.0", "6.0", "4.4", "3.2", in quotes',
  ],
  [
    'a rolling restart of nobody',
    step('rolling: { on: [n1, n4], restart: {} }'),
    '3:25',
    'no member is called "n4"',
    'did you mean "n1"?',
  ],
  [
    'a rolling restart that does not say how',
    step('rolling: { on: n1 }'),
    '3:5',
    '"restart" is missing here',
    'restart is a map',
  ],
  [
    'a rolling restart of one who is named inside',
    step('rolling: { restart: { member: n1 } }'),
    '3:27',
    'unknown key "member" in restart',
    'name the members in "on", beside "restart"',
  ],
  [
    'a rolling restart at an instant',
    step('{ at: 1s, rolling: { restart: {} } }'),
    '3:15',
    '"at" is only for what comes from outside, clients and faults, not for "rolling"',
    'write "- advance: { to: 1s }" before it, and no "at"',
  ],
  [
    'a feature compatibility version that is no release',
    step('rolling: { restart: { version: "8.2" }, featureCompatibilityVersion: "8.3" }'),
    '3:74',
    'expected one of "8.2", "8.0", "7.0", "6.0", "4.4", in quotes',
  ],
  [
    'a feature compatibility version for those that have none',
    step('rolling: { restart: { version: "3.2" }, featureCompatibilityVersion: "3.2" }'),
    '3:74',
    'expected one of "8.2", "8.0", "7.0", "6.0", "4.4", in quotes',
  ],
  [
    'a feature compatibility version that is too new',
    step('rolling: { restart: { version: "8.0" }, featureCompatibilityVersion: "8.2" }'),
    '3:74',
    '8.0 knows no feature compatibility version "8.2"',
    'write "8.0", or leave it out',
  ],
  [
    'a restart at an instant',
    step('{ at: 1s, restart: n1 }'),
    '3:15',
    '"at" is only for what comes from outside, clients and faults, not for "restart"',
    'write "- advance: { to: 1s }" before it, and no "at"',
  ],
  [
    'a start at an instant that must fail',
    step('{ at: 1s, start: { member: n1, error: true } }'),
    '3:36',
    'a step with "at" expects nothing',
    'leave "error" out',
  ],
  [
    'a word at an instant',
    step('{ at: 1s, cut: { from: primary, to: n2 } }'),
    '3:28',
    'a step with "at" names its members, and "primary" is none',
  ],
  [
    'a disk without change',
    step('disk: { on: n1 }'),
    '3:11',
    'this disk step has no effect',
    'latencyMs, full, corrupt, lost, torn or misdirected',
  ],
  [
    'an oplog that is cut in the future',
    step('truncateOplog: { on: n1, olderThan: -5s }'),
    '3:41',
    'entries are not older than the future',
    'write for instance 10s',
  ],
  [
    'a disk that is mended by words',
    step('disk: { on: n1, corrupt: false }'),
    '3:30',
    'only true: to repair a corrupt disk, start the member with wipe',
  ],
  [
    'a link without change',
    step('link: { from: n1, to: n2 }'),
    '3:11',
    'this link changes nothing',
    'latencyMs, loss, duplicate or reorder',
  ],
  [
    'a link to nowhere',
    step('link: { from: n1, loss: 1 }'),
    '3:11',
    'a link goes "from" one member "to" another, or "between" some',
    'write between: [n1, n2]',
  ],
  [
    'a link said twice',
    step('link: { from: n1, to: n2, between: [n1, n2], loss: 1 }'),
    '3:11',
    'a link goes "from" one member "to" another, or "between" some',
    'write between: [n1, n2]',
  ],
  ['a link between one', step('link: { between: [n1], loss: 1 }'), '3:22', 'expected at least two members'],
  [
    'a link between one that there is not',
    step('link: { between: [n1, x2], loss: 1 }'),
    '3:27',
    'no member is called "x2"',
    'did you mean "n2"?',
  ],
  [
    'a latency in other words',
    step('link: { between: [n1, n2], latencyMs: slow }'),
    '3:43',
    'expected milliseconds, or [least, greatest] in milliseconds',
  ],
  ['a latency below 0', step('link: { between: [n1, n2], latencyMs: -1 }'), '3:43', 'expected milliseconds, 0 or more'],
  [
    'an error’s name',
    step('run: { command: { ping: 1 }, error: NotWriteablePrimary }'),
    '3:41',
    'no error is called "NotWriteablePrimary"',
    'did you mean "NotWritablePrimary"?',
  ],
  [
    'as with an expectation',
    step('run: { command: { ping: 1 }, as: p, error: any }'),
    '3:41',
    'a step with "as" does not wait for its answer',
    'look at it later: expect: { reply: p, error: … }',
  ],
  [
    'as to several',
    step('run: { on: all, command: { ping: 1 }, as: p }'),
    '3:16',
    '"as" names one answer, and this goes to several members',
  ],
  [
    'a filter',
    step('run: { command: { ping: 1 }, matches: { $foo: 1 } }'),
    '3:43',
    "this is not a filter: unknown top level operator: $foo. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
  ],
  ['start as', step('start: { member: n1, as: alone }'), '3:30', 'expected standalone or { replSet: NAME }'],
  [
    'a new member without process',
    step('addMember: { name: n4 }'),
    '3:24',
    'no member is called "n4"',
    'did you mean "n1"?',
  ],
  [
    'a part that cannot be held',
    step('hold: { on: n1, part: fetcher }'),
    '3:27',
    'expected one of fetch, apply, journal, heartbeats, ttl',
    'did you mean "fetch"?',
  ],
  [
    'a fail point without mode',
    step('failPoint: { on: n1, name: failCommand }'),
    '3:5',
    '"mode" is missing here',
    'expected off, alwaysOn, { times: N } or { skip: N }',
  ],
  [
    'a fail point of no known mode',
    step('failPoint: { on: n1, name: failCommand, mode: sometimes }'),
    '3:51',
    'expected off, alwaysOn, { times: N } or { skip: N }',
  ],
];

const insert = (document: string) => step(`insert: { into: a.b, documents: [${document}] }`);
const values: Row[] = [
  [
    '$date',
    insert('{ d: { $date: nonsense } }'),
    '3:52',
    '"nonsense" is not a value for $date',
    'write { $date: "2025-01-01T00:00:00Z" }',
  ],
  [
    '$date without a zone',
    insert('{ d: { $date: "2025-01-01T00:00:00" } }'),
    '3:52',
    '"2025-01-01T00:00:00" is not a value for $date',
    'write { $date: "2025-01-01T00:00:00Z" }',
  ],
  [
    '$oid',
    insert('{ d: { $oid: xyz } }'),
    '3:51',
    '"xyz" is not a value for $oid',
    'write { $oid: "0123456789abcdef01234567" }',
  ],
  [
    '$numberLong',
    insert('{ d: { $numberLong: "9223372036854775808" } }'),
    '3:58',
    '"9223372036854775808" is not a value for $numberLong',
    'write { $numberLong: "5" }',
  ],
  [
    '$numberInt',
    insert('{ d: { $numberInt: "5.5" } }'),
    '3:57',
    '"5.5" is not a value for $numberInt',
    'write { $numberInt: "5" }',
  ],
  [
    '$numberDecimal',
    insert('{ d: { $numberDecimal: five } }'),
    '3:61',
    '"five" is not a value for $numberDecimal',
    'write { $numberDecimal: "5.0" }',
  ],
  [
    '$binary',
    insert('{ d: { $binary: AQID } }'),
    '3:54',
    '"AQID" is not a value for $binary',
    'write { $binary: { base64: "AQID", subType: "00" } }',
  ],
  [
    '$uuid',
    insert('{ d: { $uuid: c8ed } }'),
    '3:52',
    '"c8ed" is not a value for $uuid',
    'write { $uuid: "c8edabc3-f738-4ca3-b68d-ab92a91478a3" }',
  ],
  [
    '$timestamp',
    insert('{ d: { $timestamp: { t: -1, i: 1 } } }'),
    '3:57',
    'this is not a value for $timestamp',
    'write { $timestamp: { t: 1735689600, i: 1 } }',
  ],
  [
    'a key beside $date',
    insert('{ d: { $date: "2025-01-01", x: 1 } }'),
    '3:66',
    '"x" cannot be combined with $date, which is a value by itself',
    'write { $date: "2025-01-01T00:00:00Z" }',
  ],
  [
    '$now',
    insert('{ d: { $now: yesterday } }'),
    '3:51',
    '"yesterday" is not a duration',
    'write { $now: -90s } or { $now: { minus: 1h, times: $i } }',
  ],
  [
    '$now’s parts',
    insert('{ d: { $now: { minus: 1h, time: 2 } } }'),
    '3:64',
    '$now has no "time"',
    'did you mean "times"?',
  ],
  [
    '$i outside of count',
    insert('{ _id: $i }'),
    '3:45',
    '$i counts the documents of an insert with "count"; here it has no value',
    'insert: { into: …, count: 10, document: { … } }',
  ],
  [
    '$x',
    insert('{ _id: $x }'),
    '3:45',
    'nothing called $x was remembered before this step',
    'give it a value first: "- let: { x: { on: …, command: …, path: … } }"',
  ],
  ['$plus', insert('{ _id: { $plus: 1 } }'), '3:54', '$plus takes a list of values to add', 'write { $plus: [$x, 1] }'],
  [
    '$rand',
    insert('{ _id: { $rand: [6, 1] } }'),
    '3:54',
    '$rand takes the least and the greatest integer',
    'write { $rand: [1, 6] }',
  ],
];

const expectation = (check: string) => step(`expect: { ${check} }`);
const checks: Row[] = [
  [
    'a lateness of something unknown',
    step('expect: { ttl: { index: ttl, lateness: { mediumMs: 5 } } }'),
    '3:46',
    'a lateness has no "mediumMs"',
    'did you mean "medianMs"?',
  ],
  [
    'a part of a lateness that there is not, inside $or',
    step('expect: { ttl: { index: ttl, lateness: { $or: [{ count: 1 }, { worst.sleeptMs: 5 }] } } }'),
    '3:68',
    'a lateness has no "worst.sleeptMs"',
    'did you mean "worst.sleepMs"?',
  ],
  [
    'a lateness on a member that there is not',
    step('expect: { ttl: { index: ttl, on: n4, lateness: { count: 5 } } }'),
    '3:38',
    'no member is called "n4"',
    'did you mean "n1"?',
  ],
  [
    'a lateness that is no filter',
    step('expect: { ttl: { index: ttl, lateness: { worstMs: { $less: 5 } } } }'),
    '3:44',
    'this is not a filter: unknown operator: $less',
  ],
  [
    'a ttl without an index',
    step('expect: { ttl: { lateness: { count: 5 } } }'),
    '3:15',
    '"index" is missing here',
    'expected text',
  ],
  [
    'a ttl that asks nothing',
    step('expect: { ttl: { index: ttl } }'),
    '3:15',
    '"lateness" is missing here',
    'expected a filter: { field: value }',
  ],
  [
    'an unknown key in ttl',
    step('expect: { ttl: { index: ttl, member: n1, lateness: { count: 5 } } }'),
    '3:34',
    'unknown key "member" in ttl',
    'known here: index, ns, on, lateness',
  ],
  [
    'nothing',
    step('expect: {}'),
    '3:13',
    'this check is empty',
    'primary, state, count, find, sum, command, oplog, log, reply, workload, stream, same, ttl or not',
  ],
  ['an unknown key', expectation('primry: n1'), '3:15', 'unknown key "primry" in a check', 'did you mean "primary"?'],
  [
    'a fault that befalls nobody',
    step('kill: nobody'),
    '3:11',
    'no member is called "nobody"',
    'leave the step out, or name at least one: n1, n2, n3, primary, secondaries, all, any',
  ],
  ['primary’s member', expectation('primary: nobody'), '3:24', 'no member is called "nobody"', 'did you mean "none"?'],
  [
    'a state',
    expectation('state: { n1: SECONDRY }'),
    '3:28',
    'expected one of STARTUP, PRIMARY, SECONDARY, RECOVERING, STARTUP2, UNKNOWN, ARBITER, DOWN, ROLLBACK, REMOVED',
    'did you mean "SECONDARY"?',
  ],
  [
    'a state in small letters',
    expectation('state: { n1: primary }'),
    '3:28',
    'expected one of STARTUP, PRIMARY, SECONDARY, RECOVERING, STARTUP2, UNKNOWN, ARBITER, DOWN, ROLLBACK, REMOVED',
    'did you mean "PRIMARY"?',
  ],
  ['a state’s member', expectation('state: { m1: DOWN }'), '3:24', 'no member is called "m1"', 'did you mean "n1"?'],
  [
    'count without is',
    expectation('on: n1, count: a.b'),
    '3:23',
    '"count" needs "is"',
    'write is: 25, or is: { $gte: 1 }',
  ],
  [
    'is that is text',
    expectation('on: n1, count: a.b, is: many'),
    '3:39',
    'expected a number or conditions on it',
    'write is: 5, or is: { $gte: 5 }',
  ],
  [
    'find without a list',
    expectation('on: n1, find: a.b, is: { _id: 1 }'),
    '3:38',
    'expected a list of documents',
    'write is: [ { _id: 1 } ]',
  ],
  [
    'two questions',
    expectation('on: n1, count: a.b, is: 1, command: { ping: 1 }'),
    '3:42',
    'a check asks one thing of a member; this one asks "count" already',
    'put "command" in a check of its own',
  ],
  [
    'on without a question',
    expectation('primary: n1, on: n2'),
    '3:28',
    '"on" needs to know what to ask',
    'it goes with count, find, sum, command, oplog or log',
  ],
  [
    'a key of another question',
    expectation('on: n1, count: a.b, is: 1, sort: { a: 1 }'),
    '3:42',
    '"sort" does not go with "count"',
    'it can be combined with filter, is, on',
  ],
  [
    'command without matches',
    expectation('on: n1, command: { ping: 1 }'),
    '3:23',
    '"command" needs "matches"',
    'or "error"',
  ],
  ['oplog without count', expectation('on: n1, oplog: { op: d }'), '3:23', '"oplog" needs "count"', 'or "entries"'],
  [
    'an unknown reply',
    expectation('reply: w1'),
    '3:22',
    'no earlier step was sent "as: w1"',
    'send one so: "- run: { as: w1, … }"',
  ],
  [
    'after beyond within',
    step('eventually: { within: 5s, after: 6s, primary: any }'),
    '3:38',
    '"after" must be less than "within"',
    'after 6s nothing is left of 5s',
  ],
  [
    'always without for',
    step('always: { primary: n1 }'),
    '3:5',
    '"for" is missing here',
    'expected a duration such as 250ms, 61s, 60.001s or 1h30m',
  ],
  ['inside not', expectation('not: { primary: n9 }'), '3:31', 'no member is called "n9"', 'did you mean "n1"?'],
];

/** A workload that is right but for what comes after its name; that begins at 3:27. */
const workload = (text: string) => step(`workload: { name: load, ${text} }`);
const INSERT = 'insert: { into: a.b, document: { _id: $i } }';
/** A check of a workload that the step before it started; it begins at 4:15. */
const ledger = (text: string) => `${workload(`every: 1s, ${INSERT}`)}  - expect: { ${text} }\n`;
const clients: Row[] = [
  [
    'a stream on a collection and a database',
    step('watch: { name: w, in: a.b, db: a }'),
    '3:32',
    'a stream is on a collection or on a database',
    'leave "in" or "db" out',
  ],
  [
    'two streams of one name',
    `${step('watch: { name: w, in: a.b }')}  - watch: { name: w, db: a }\n`,
    '4:20',
    '"w" is called something already',
    'give it another name',
  ],
  [
    'a stream that nobody opened',
    step('expect: { stream: w, events: [] }'),
    '3:23',
    'no earlier step opened a stream called "w"',
    'open it first: "- watch: { name: w, in: … }"',
  ],
  [
    'a stream of which nothing is asked',
    `${step('watch: { name: w, in: a.b }')}  - expect: { stream: w }\n`,
    '4:15',
    '"stream" needs "events"',
    'write events: [{ operationType: insert }]',
  ],
  [
    'a workload without a rhythm',
    workload(INSERT),
    '3:5',
    '"every" is missing here',
    'expected a duration such as 250ms, 61s, 60.001s or 1h30m',
  ],
  [
    'a workload that does nothing',
    workload('every: 1s'),
    '3:15',
    'this workload does nothing',
    'insert: { into, document }, update, find, transfer, sum or append',
  ],
  [
    'a workload that does two things',
    workload(`every: 1s, ${INSERT}, find: { in: a.b }`),
    '3:86',
    'a workload does one thing, and this one has "insert" already',
  ],
  [
    'a misspelt operation',
    workload('every: 1s, insrt: { into: a.b, document: {} }'),
    '3:40',
    'unknown key "insrt" in workload',
    'did you mean "insert"?',
  ],
  [
    'a turn that takes no time',
    workload(`every: 0s, ${INSERT}`),
    '3:36',
    'a turn takes some time',
    'for example every: 100ms',
  ],
  [
    'a read concern for a write',
    workload(`every: 1s, ${INSERT}, readConcern: { level: majority }`),
    '3:86',
    '"readConcern" does not go with "insert"',
    'did you mean "writeConcern"?',
  ],
  [
    'a write concern for a read',
    workload('every: 1s, find: { in: a.b }, writeConcern: { w: 1 }'),
    '3:59',
    '"writeConcern" does not go with "find"',
    'did you mean "readConcern"?',
  ],
  ['near nobody', workload(`every: 1s, near: n9, ${INSERT}`), '3:46', 'no member is called "n9"', 'did you mean "n1"?'],
  [
    'an unknown option',
    workload(`every: 1s, ${INSERT}, options: { retryWrite: false }`),
    '3:97',
    'unknown key "retryWrite" in options',
    'did you mean "retryWrites"?',
  ],
  [
    'heartbeats that drivers do not allow',
    workload(`every: 1s, ${INSERT}, options: { heartbeatFrequencyMS: 100 }`),
    '3:119',
    'heartbeatFrequencyMS is at least 500',
  ],
  [
    'two of one name',
    `${workload(`every: 1s, ${INSERT}`)}  - workload: { name: load, every: 1s, ${INSERT} }\n`,
    '4:23',
    'a workload called "load" was started before',
    'give it another name',
  ],
  [
    'stopping what was not started',
    `${workload(`every: 1s, ${INSERT}`)}  - stop: laod\n`,
    '4:11',
    'no earlier step started a workload called "laod"',
    'did you mean "load"?',
  ],
  [
    'looking at what was not started',
    ledger('workload: lod, lost: 0'),
    '4:25',
    'no earlier step started a workload called "lod"',
    'did you mean "load"?',
  ],
  [
    'looking at nothing of it',
    ledger('workload: load'),
    '4:15',
    '"workload" needs a number to look at',
    'sent, acknowledged, lost, errors, unknown, reads, dirtyReads, staleReads, aborted, sums, tornSums, unservedMs, longestUnservedMs, withoutPrimaryMs, longestWithoutPrimaryMs, p50Ms, p95Ms, p99Ms, maxMs, history, anomalies',
  ],
  [
    'a number of no workload',
    ledger('primary: n1, lost: 0'),
    '4:28',
    '"lost" needs to know what to ask',
    'it goes with workload',
  ],
  [
    'a misspelt number',
    ledger('workload: load, acknowleged: 5'),
    '4:31',
    'unknown key "acknowleged" in a check',
    'did you mean "acknowledged"?',
  ],
  [
    'a member for a workload',
    ledger('on: n1, workload: load, lost: 0'),
    '4:15',
    '"on" does not go with "workload"',
    'it can be combined with sent, acknowledged, lost, errors, unknown, reads, dirtyReads, staleReads, aborted, sums, tornSums, unservedMs, longestUnservedMs, withoutPrimaryMs, longestWithoutPrimaryMs, p50Ms, p95Ms, p99Ms, maxMs, phase, history, anomalies',
  ],
  [
    'a number that is none',
    ledger('workload: load, lost: many'),
    '4:37',
    'expected a number or conditions on it',
    'write lost: 5, or lost: { $gte: 5 }',
  ],
  [
    'a read preference in other words',
    step('find: { in: a.b, readPreference: secondaries }'),
    '3:38',
    '"secondaries" is not a read preference',
    'did you mean "secondary"?',
  ],
  [
    'a read preference without a mode',
    step('find: { in: a.b, readPreference: { tags: [{ dc: east }] } }'),
    '3:22',
    '"mode" is missing here',
    'expected a mode: secondary, nearest …',
  ],
  [
    'tags that are no list',
    step('find: { in: a.b, readPreference: { mode: nearest, tags: { dc: east } } }'),
    '3:61',
    'expected a list of tag sets: [{ dc: east }, {}]',
  ],
  [
    'tags for the primary',
    step('find: { in: a.b, readPreference: { mode: primary, tags: [{ dc: east }] } }'),
    '3:55',
    '"tags" does not go with mode primary: there is only one',
  ],
  [
    'too little staleness',
    step('find: { in: a.b, readPreference: { mode: nearest, maxStalenessSeconds: 30 } }'),
    '3:76',
    'maxStalenessSeconds is at least 90: below that a client cannot tell',
    'write at least 90, or leave it out',
  ],
  [
    'a session that is no name',
    step('find: { in: a.b, session: "s 1" }'),
    '3:31',
    'expected a name: letters, digits and "_"',
  ],
];

/** A head that is right but for its parameters, which begin at 1:15. */
const parameters = (text: string, head = '') => `parameters: { ${text} }\n${head}${step('advance: 1s')}`;
const words: Row[] = [
  [
    'a parameter',
    parameters('ttlMonitorSleepSec: 5'),
    '1:15',
    'no parameter is called "ttlMonitorSleepSec"',
    'did you mean "ttlMonitorSleepSecs"?',
  ],
  [
    'a parameter out of range',
    parameters('ttlMonitorSleepSecs: 0'),
    '1:36',
    'Invalid value for parameter ttlMonitorSleepSecs: 0 is not greater than 0',
    'its default is 60',
  ],
  [
    'a parameter of another release',
    parameters('ttlMonitorBatchDeletes: true', 'version: "3.2"\n'),
    '1:15',
    '3.2 has no parameter "ttlMonitorBatchDeletes"',
    'it is one of 8.2, 8.0, 7.0',
  ],
  [
    'a member’s parameter',
    members('[n1, { name: n2, parameters: { ttlMonitorEnable: false } }]'),
    '3:43',
    'no parameter is called "ttlMonitorEnable"',
    'did you mean "ttlMonitorEnabled"?',
  ],
  [
    'a parameter at start',
    step('restart: { member: n1, parameters: { syncdelay: -1 } }'),
    '3:53',
    'Invalid value for parameter syncdelay: -1 is not greater than or equal to 0',
    'its default is 60',
  ],
  [
    'a parameter at a start as another release',
    step('restart: { member: n1, version: "3.2", parameters: { ttlMonitorBatchDeletes: false } }'),
    '3:58',
    '3.2 has no parameter "ttlMonitorBatchDeletes"',
    'it is one of 8.2, 8.0, 7.0',
  ],
  [
    'a parameter of a rolling restart',
    step('rolling: { restart: { parameters: { syncdelay: -1 } } }'),
    '3:52',
    'Invalid value for parameter syncdelay: -1 is not greater than or equal to 0',
    'its default is 60',
  ],
  [
    'a parameter of a rolling upgrade',
    `version: "3.2"\n${step('rolling: { restart: { version: "4.4", parameters: { ttlMonitorBatchDeletes: false } } }')}`,
    '4:57',
    '4.4 has no parameter "ttlMonitorBatchDeletes"',
    'it is one of 8.2, 8.0, 7.0',
  ],
  [
    'a parameter of the head that a rolling upgrade takes along',
    `parameters: { ttlCollLowPrioritySubpassLimit: 5 }\n${step('rolling: { restart: { version: "8.2" } }')}`,
    '4:36',
    'it keeps the parameter "ttlCollLowPrioritySubpassLimit" of the head, and 8.2 has no parameter "ttlCollLowPrioritySubpassLimit"',
    'it is one of 8.0, 7.0',
  ],
  [
    "a member's parameter that its restart takes along",
    `replicaSet: { members: [{ name: n1, parameters: { ttlCollLowPrioritySubpassLimit: 5 } }, n2] }\n${step('restart: { member: n1, version: "8.2" }')}`,
    '4:37',
    'it keeps the parameter "ttlCollLowPrioritySubpassLimit" of the head, and 8.2 has no parameter "ttlCollLowPrioritySubpassLimit"',
    'it is one of 8.0, 7.0',
  ],
  [
    'setParameter',
    step('setParameter: { on: all, parameters: { ttlMonitorEnabld: false } }'),
    '3:44',
    'no parameter is called "ttlMonitorEnabld"',
    'did you mean "ttlMonitorEnabled"?',
  ],
  [
    'setParameter as a command',
    step('run: { command: { setParameter: 1, syncdelay: soon } }'),
    '3:51',
    'Invalid value for parameter syncdelay: soon is not a number',
    'its default is 60',
  ],
  [
    'setParameter of what is set at startup',
    step('setParameter: { on: n1, parameters: { writePeriodicNoops: false } }'),
    '3:43',
    '"writePeriodicNoops" is set when a process starts, and not after',
    'in the head: "parameters: { writePeriodicNoops: … }", or with start or restart',
  ],
  [
    'a fail point',
    step('failPoint: { on: n1, name: rsSyncAplyStop, mode: alwaysOn }'),
    '3:32',
    'no fail point is called "rsSyncAplyStop"',
    'did you mean "rsSyncApplyStop"?',
  ],
  [
    'a fail point as a command',
    step('run: { on: n1, command: { configureFailPoint: everything, mode: alwaysOn } }'),
    '3:51',
    'no fail point is called "everything"',
    'docs/faults.md lists them',
  ],
  [
    'a write concern mode',
    step('insert: { into: a.b, documents: [{ _id: 1 }], writeConcern: { w: majorty } }'),
    '3:70',
    '"majorty" is neither majority nor a mode in settings.getLastErrorModes',
    'did you mean "majority"?',
  ],
  [
    'a write concern mode beside one of the set’s own',
    `replicaSet: { members: [{ name: n1, tags: { room: a } }], settings: { getLastErrorModes: { twoRooms: { room: 2 } } } }\n${step('run: { db: a, command: { drop: b, writeConcern: { w: twoRoms } } }')}`,
    '4:58',
    '"twoRoms" is neither majority nor a mode in settings.getLastErrorModes',
    'did you mean "twoRooms"?',
  ],
  [
    'a workload’s write concern mode',
    workload(`every: 1s, ${INSERT}, writeConcern: { w: most } `),
    '3:105',
    '"most" is neither majority nor a mode in settings.getLastErrorModes',
    'known here: majority',
  ],
  [
    'a default write concern',
    step('run: { command: { setDefaultRWConcern: 1, defaultWriteConcern: { w: majorty } } }'),
    '3:73',
    '"majorty" is neither majority nor a mode in settings.getLastErrorModes',
    'did you mean "majority"?',
  ],
  [
    'a read concern level',
    step('find: { in: a.b, readConcern: { level: majorty } }'),
    '3:44',
    '"majorty" is not a read concern level',
    'did you mean "majority"?',
  ],
  [
    'a read concern level in a check',
    expectation('not: { on: n1, command: { count: b, readConcern: { level: Local } }, db: a, matches: { n: 1 } }'),
    '3:73',
    '"Local" is not a read concern level',
    'did you mean "local"?',
  ],
];

test.for([
  ['what must fail', 'run: { command: { setParameter: 1, nothing: 1 }, error: InvalidOptions }'],
  ['what must not start', 'start: { member: n1, parameters: { nothing: 1 }, error: true }'],
  ['what is looked at later', 'run: { command: { drop: b, writeConcern: { w: nowhere } }, db: a, as: drop }'],
  [
    'what the answer is asked about',
    'run: { command: { drop: b, writeConcern: { w: nowhere } }, db: a, matches: { writeConcernError.code: 79 } }',
  ],
  ['other names', 'failPoint: { on: n1, name: shardWaitInFindBeforeMakingBatch, mode: "off" }'],
  ['Extended JSON', 'setParameter: { on: n1, parameters: { ttlMonitorSleepSecs: { $numberInt: "5" } } }'],
  ['a document', 'setParameter: { on: n1, parameters: { logComponentVerbosity: { index: 1 } } }'],
])('a word that is meant is no mistake: %s', ([, text]) => {
  expect(mistakesOf(step(text!)).map(({ message }) => message)).toEqual([]);
});

const OF_NEW = 'parameters: { ttlMonitorBatchDeletes: false }';
test.for([
  ['of a start as it', [`start: { member: n1, version: "8.0", ${OF_NEW} }`]],
  ['of a rolling upgrade to it', [`rolling: { restart: { version: "8.0", ${OF_NEW} } }`]],
  [
    'of a member that was upgraded before',
    ['restart: { member: n1, version: "8.0" }', `setParameter: { on: n1, ${OF_NEW} }`],
  ],
  ['of all that were', ['rolling: { restart: { version: "8.0" } }', `setParameter: { on: all, ${OF_NEW} }`]],
  ['at a later restart', ['rolling: { restart: { version: "8.0" } }', `restart: { member: n1, ${OF_NEW} }`]],
  [
    'inside a repeat',
    [
      `repeat: { times: 2, steps: [{ rolling: { restart: { version: "8.0" } } }, { setParameter: { on: n1, ${OF_NEW} } }] }`,
    ],
  ],
] as const)('a parameter that only the newer release has: %s', ([, texts]) => {
  const text = `name: A claim\nversion: "3.2"\nsteps:\n${texts.map((each) => `  - ${each}\n`).join('')}`;
  expect(mistakesOf(text).map(({ message }) => message)).toEqual([]);
});

test('a mode that a step defines may be used', () => {
  const define = 'reconfig: { update: { $set: { settings.getLastErrorModes.twoRooms: { room: 2 } } } }';
  const use = 'insert: { into: a.b, documents: [{ _id: 1 }], writeConcern: { w: twoRooms } }';
  expect(mistakesOf(`${step(define)}  - ${use}\n`)).toEqual([]);
});

const CLOCK = 'with this the clock is not between 1970 and 2106';
const SMALLER = 'choose a smaller offset, or another "epoch"';
const INT32_MS = 'expected milliseconds, at most 2147483647, like drivers and servers';
const INT32_KEYS = [
  'maxTimeMS',
  'options.serverSelectionTimeoutMS',
  'options.connectTimeoutMS',
  'options.socketTimeoutMS',
  'options.heartbeatFrequencyMS',
  'options.localThresholdMS',
] as const;

test.for(INT32_KEYS)('%s of a workload is an int32', (key) => {
  const given = (value: number) =>
    key === 'maxTimeMS' ? `${key}: ${value}` : `options: { ${key.slice(8)}: ${value} }`;
  const workload = (value: number) => step(`workload: { name: w, every: 1s, find: { in: a.b }, ${given(value)} }`);
  expect(mistakesOf(workload(2_147_483_647))).toEqual([]);
  for (const beyond of [2_147_483_648, Number.MAX_SAFE_INTEGER])
    expect(mistakesOf(workload(beyond)).map(({ message }) => message)).toEqual([INT32_MS]);
});

test.for([
  'stepDown: { on: primary, stepDownSecs: N }',
  'stepDown: { on: primary, secondaryCatchUpPeriodSecs: N }',
  'freeze: { on: n1, seconds: N }',
])('%s is an int32', (text) => {
  const withSecs = (secs: number) => step(text.replace('N', String(secs)));
  expect(mistakesOf(withSecs(2_147_483_647))).toEqual([]);
  expect(mistakesOf(withSecs(2_147_483_648)).map(({ message }) => message)).toEqual([
    'expected at most 2147483647, like servers',
  ]);
});

test('maxCommitTimeMS is an int32', () => {
  const options = 'options: { maxCommitTimeMS: 2147483648 }';
  const texts = [
    step(`startTransaction: { session: s, ${options} }`),
    step(
      'workload: { name: w, every: 1s, transfer: { in: a.b, accounts: 2, initial: 1 }, maxCommitTimeMS: 2147483648 }',
    ),
  ];
  for (const text of texts) expect(mistakesOf(text)[0]?.message).toBe(INT32_MS);
});

const configs: Row[] = [
  [
    'an offset of less than a millisecond',
    members('[{ name: n1, clock: { offset: 1us } }]'),
    '3:42',
    'a wall clock shows whole milliseconds',
    'did you mean 1ms?',
  ],
  ['an offset beyond 2106', members('[{ name: n1, clock: { offset: 100000d } }]'), '3:42', CLOCK, SMALLER],
  ['an offset beyond 1970', members('[{ name: n1, clock: { offset: -30000d } }]'), '3:42', CLOCK, SMALLER],
  [
    'an offset beyond 2106, of an epoch near it',
    `epoch: 2106-02-07T06:27:00Z\n${members('[{ name: n1, clock: { offset: 2m } }]')}`,
    '4:42',
    CLOCK,
    SMALLER,
  ],
  [
    'a clock that runs backwards',
    members('[{ name: n1, clock: { drift: -1000001 } }]'),
    '3:41',
    '-1000000 stops the clock, and it does not run backwards',
  ],
  [
    'a clock that is too fast',
    members('[{ name: n1, clock: { drift: 1000001 } }]'),
    '3:41',
    'a clock runs at most twice as fast: 1000000',
  ],
  [
    'a drift in fractions from the start',
    members('[{ name: n1, clock: { drift: 0.5 } }]'),
    '3:41',
    'expected parts per million, a whole number',
  ],
  [
    'a member called primary',
    members('[n1, primary]'),
    '3:17',
    'a member cannot be called "primary": targets use that word',
    'for example n1',
  ],
  ['a name twice', members('[n1, n1]'), '3:17', 'two members are called "n1"', 'give one of them another name'],
  [
    'a name',
    members('["n 1"]'),
    '3:13',
    'a member\'s name is made of letters, digits, "-", "_" and ".", and begins with a letter or digit',
  ],
  [
    'votes',
    members('[n1, { name: n2, votes: 0 }]'),
    '3:29',
    'a member without a vote needs priority 0',
    'add priority: 0',
  ],
  [
    'hidden',
    members('[n1, { name: n2, hidden: true, priority: 1 }]'),
    '3:29',
    'a hidden member needs priority 0',
    'add priority: 0',
  ],
  [
    'delay',
    members('[n1, { name: n2, secondaryDelaySecs: 60 }]'),
    '3:29',
    'a delayed member needs priority 0',
    'add priority: 0',
  ],
  [
    'buildIndexes',
    members('[n1, { name: n2, buildIndexes: false }]'),
    '3:29',
    'a member without indexes needs priority 0',
    'add priority: 0',
  ],
  [
    'an arbiter’s tags',
    members('[n1, { name: n2, arbiterOnly: true, tags: { dc: a } }]'),
    '3:48',
    'an arbiter cannot have tags',
    'leave "tags" out',
  ],
  ['priority', members('[n1, { name: n2, priority: 1001 }]'), '3:39', 'priority is at most 1000'],
  [
    'eight voters',
    members('8'),
    '3:12',
    'a replica set has at most 7 voting members, and this one has 8',
    'give the others { votes: 0, priority: 0 }',
  ],
  [
    'nobody electable',
    members('[{ name: n1, priority: 0 }]'),
    '3:12',
    'no member can become primary',
    'give one a priority above 0',
  ],
  [
    'two arbiters',
    members('[n1, { name: n2, arbiterOnly: true }, { name: n3, arbiterOnly: true }]'),
    '3:50',
    'a replica set has at most one arbiter, and this one has 2',
    'add parameters: { allowMultipleArbiters: true }',
  ],
  [
    'a standalone’s priority',
    members('[n1, { name: s, standalone: true, priority: 0 }]'),
    '3:46',
    'a standalone has no place in the config, and so no "priority"',
    'leave "priority" out',
  ],
  [
    'an unknown field',
    members('[n1, { name: n2, prioriti: 0 }]'),
    '3:29',
    'unknown key "prioriti" in a member',
    'did you mean "priority"?',
  ],
];

const ask = (text: string) => step(`ask: { question: Q, answer: ${text} }`);
const lessons: Row[] = [
  ['an act without a title', step('act: ""'), '3:10', 'expected a few words'],
  [
    'an act in a repetition',
    step('repeat: { times: 2, steps: [{ act: A }, { advance: 1s }] }'),
    '3:35',
    '"act" is done once, and each turn would do it again',
    'do it before the "repeat"',
  ],
  [
    'nowhere to look',
    step('focus: [n2, tll]'),
    '3:17',
    '"tll" is no member or part of the page',
    'did you mean "ttl"?',
  ],
  [
    'hidden for ever',
    'name: A claim\nhide: start\nsteps:\n  - advance: 1s\n',
    '2:7',
    'no act begins after which there is something to see',
    'add "- act: TITLE", or leave "hide" out',
  ],
  ['hidden what', 'name: A claim\nhide: all\nsteps:\n  - act: One\n', '2:7', 'expected "start"'],
  [
    'no answer',
    step('ask: { question: Q }'),
    '3:5',
    '"answer" is missing here',
    'expected primary, { state: n2 }, { term: n2 }, { count: … } or { holds: CHECK }',
  ],
  [
    'an unknown answer',
    ask('secondary'),
    '3:33',
    'expected primary, { state: n2 }, { term: n2 }, { count: … } or { holds: CHECK }',
  ],
  ['an empty answer', ask('{}'), '3:33', 'this answer is empty', 'primary, or one of state, term, count and holds'],
  [
    'two answers',
    ask('{ state: n2, holds: { primary: n1 } }'),
    '3:33',
    'an answer is one thing, and this one is "state" already',
    'primary, or one of state, term, count and holds',
  ],
  ['the state of nobody', ask('{ state: n4 }'), '3:42', 'no member is called "n4"', 'did you mean "n1"?'],
  [
    'the state of several',
    ask('{ state: secondaries }'),
    '3:42',
    'no member is called "secondaries"',
    'known here: n1, n2, n3',
  ],
  [
    'the term of several',
    step('ask: { question: Q, answer: { term: all }, choices: [1, 2] }'),
    '3:41',
    '"all" is no single member',
    'known here: n1, n2, n3, primary',
  ],
  [
    'a number without choices',
    ask('{ term: n2 }'),
    '3:33',
    'the choices for this number are missing',
    'for example choices: [0, 5, 25]',
  ],
  [
    'a word for a number',
    step('ask: { question: Q, answer: { term: n2 }, choices: [1, two] }'),
    '3:60',
    'the answer is a number',
  ],
  [
    'a choice that nobody is',
    step('ask: { question: Q, answer: primary, choices: [n1, n4] }'),
    '3:56',
    '"n4" is no member',
    'did you mean "n1"?',
  ],
  [
    'a choice that is no state',
    step('ask: { question: Q, answer: { state: n1 }, choices: [DOWN, SECONDRY] }'),
    '3:64',
    '"SECONDRY" is no state',
    'did you mean "SECONDARY"?',
  ],
  [
    'a choice twice',
    step('ask: { question: Q, answer: primary, choices: [n1, n1] }'),
    '3:56',
    'n1 can be chosen already',
  ],
  [
    'choices of a check',
    step('ask: { question: Q, answer: { holds: { primary: n1 } }, choices: [yes, perhaps] }'),
    '3:70',
    'whether a check holds is yes or no',
    'leave out "choices"',
  ],
  [
    'a check that asks nothing',
    ask('{ holds: {} }'),
    '3:42',
    'this check is empty',
    'primary, state, count, find, sum, command, oplog, log, reply, workload, stream, same, ttl or not',
  ],
  [
    'a filter that is none',
    step('ask: { question: Q, answer: { count: { in: a.b, where: { $x: 1 } } }, choices: [0, 1] }'),
    '3:60',
    "this is not a filter: unknown top level operator: $x. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
  ],
  [
    'an answer in the past',
    step('ask: { question: Q, answer: primary, in: -5s }'),
    '3:46',
    'time does not run backwards',
    'did you mean "5s"?',
  ],
  [
    'a question that does something',
    ask('{ holds: { not: { on: n1, command: { setParameter: 1, syncdelay: 1 }, matches: { ok: 1 } } } }'),
    '3:84',
    'a question must not change anything, and "setParameter" may do something',
    'do it in a step: "- run: { as: NAME, … }", and ask for { reply: NAME }',
  ],
  [
    'a log line that cannot be',
    ask('{ holds: { log: { message: x }, count: 1 } }'),
    '3:51',
    'a log line has no field "message"',
    'known here: t, s, c, id, svc, ctx, msg, attr, tags',
  ],
];

for (const [group, rows] of Object.entries({ files, steps, values, checks, clients, words, configs, lessons }))
  test.for(rows)(`${group}: %s`, ([, text, place, message, suggestion]) => {
    const mistakes = mistakesOf(text);
    expect(mistakes.map((each) => [`${each.line}:${each.column}`, each.message, each.suggestion])).toEqual([
      [place, message, suggestion],
    ]);
  });

test.for([
  ['costs: { checkpointMicros: 1e308 }', 'a cost is at most a day (86400000000)'],
  ['network: { latencyMs: 9007199254740991 }', 'expected milliseconds, at most a year (31622400000)'],
])('what would lead out of time: %s', ([head, message]) => {
  const told = mistakesOf(`name: a\n${head}\nsteps: [{ advance: 1s }]\n`).map((each) => each.message);
  expect(told.join()).toMatch(head!.startsWith('costs') ? message! : 'milliseconds');
});

test.for([
  ['{ failpoint.hangTTLMonitorWithLok: { mode: alwaysOn } }', /^no fail point is called "hangTTLMonitorWithLok"$/],
  ['{ failpoint.hangHeartbeatReconfigStore: { mode: alwaysOn } }', /mongod has it, and replsim does not/],
  ['{ failpoint.hangTTLMonitorWithLock: { mode: sometimes } }', /^unknown mode: sometimes$/],
  ['{ failpoint.hangTTLMonitorWithLock: alwaysOn }', /this is no JSON: alwaysOn$/],
  ['{ failpoint.hangTTLMonitorWithLock: 1 }', /a document is expected: \{ mode: 'alwaysOn' \}$/],
  ['{ enableTestCommands: false, failpoint.failCommand: { mode: off } }', /is known only with test commands$/],
] as const)('a fail point with which no process would start: %s', ([parameters, message]) => {
  for (const text of [
    `name: a\nparameters: ${parameters}\nsteps: [{ advance: 1s }]\n`,
    members(`[n1, { name: n2, parameters: ${parameters} }]`),
    `name: a\nsteps: [{ kill: n2 }, { start: { member: n2, parameters: ${parameters} } }]\n`,
  ]) {
    const told = mistakesOf(text).map((each) => each.message);
    expect(told, text).toEqual([expect.stringMatching(message)]);
  }
});

test('a fail point is set as a process starts, or by a step', () => {
  const text = step('setParameter: { on: n1, parameters: { failpoint.failCommand: { mode: off } } }');
  expect(mistakesOf(text).map(({ message, suggestion }) => [message, suggestion])).toEqual([
    [
      '"failpoint.failCommand" is set when a process starts, and not after',
      'while it runs: "failPoint: { on: …, name: failCommand, mode: … }"',
    ],
  ]);
});

test('more documents at once than memory has room for', () => {
  const told = (text: string) => mistakesOf(step(text)).map(({ message }) => message);
  expect(told('insert: { into: a.b, document: {}, count: 2147483647 }')).toEqual([
    'at most 1000000 documents; repeat the step for more',
  ]);
  const transfer = 'transfer: { in: a.b, accounts: 2147483647, initial: 1 }';
  expect(told(`workload: { name: w, every: 1s, ${transfer} }`)).toEqual([
    'at most 100000 accounts: one transaction opens them',
  ]);
});

test('more than 50 members', () => {
  const many = Array.from({ length: 51 }, (_, i) => (i < 7 ? `m${i}` : `{ name: m${i}, votes: 0, priority: 0 }`));
  expect(mistakesOf(members(`[${many.join(', ')}]`)).map(({ message }) => message)).toEqual([
    'a replica set has at most 50 members',
  ]);
});

test('all mistakes of a file come, in its order, on one screen', () => {
  const text = `name: Many mistakes
steps:
  - advnce: 62s
  - kill: n4
  - insert: { into: a.b, documents: [{ _id: { $oid: xyz } }] }
  - advance: 1s
  - expect: { on: n1, count: app.sessions }
  - pause: n5
  - resume: n6
`;
  let message = '';
  try {
    parseScenario(text, 'scenarios/many.yaml');
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toBe(`scenarios/many.yaml:3:5: unknown key "advnce" in a step
    3 |   - advnce: 62s
      |     ^^^^^^
      did you mean "advance"?

scenarios/many.yaml:4:11: no member is called "n4"
    4 |   - kill: n4
      |           ^^
      did you mean "n1"?

scenarios/many.yaml:5:53: "xyz" is not a value for $oid
    5 |   - insert: { into: a.b, documents: [{ _id: { $oid: xyz } }] }
      |                                                     ^^^
      write { $oid: "0123456789abcdef01234567" }

scenarios/many.yaml:7:23: "count" needs "is"
    7 |   - expect: { on: n1, count: app.sessions }
      |                       ^^^^^
      write is: 25, or is: { $gte: 1 }

scenarios/many.yaml:8:12: no member is called "n5"
    8 |   - pause: n5
      |            ^^
      did you mean "n1"?

and 1 more mistake in this file: mend these to see it`);
});

test('a long line is cut around what is wrong', () => {
  const text = insert(`{ a: "${'x'.repeat(300)}", b: { $oid: nope } }`);
  const lines = mistakesOf(text).map(({ place }) => place.lineText.length);
  expect(lines[0]).toBeGreaterThan(300);
  let rendered: string[] = [];
  try {
    parseScenario(text, 'long.yaml');
  } catch (error) {
    rendered = (error as Error).message.split('\n');
  }
  const [, line, carets] = rendered;
  expect(line!.length).toBeLessThan(125);
  const at = carets!.indexOf('^');
  expect(line!.slice(at, at + 4)).toBe('nope');
});

test.for([
  ['it goes to a member that does not have it', 'restart: { member: n2, version: "8.2" }'],
  ['the release has it', 'restart: { member: n1, version: "7.0" }'],
  ['the refusal is what is expected', 'restart: { member: n1, version: "8.2", error: true }'],
] as const)('a parameter of a member that is no mistake: %s', ([, each]) => {
  const text = `name: A claim\nreplicaSet: { members: [{ name: n1, parameters: { ttlCollLowPrioritySubpassLimit: 5 } }, n2] }\nsteps:\n  - ${each}\n`;
  expect(mistakesOf(text).map(({ message }) => message)).toEqual([]);
});
