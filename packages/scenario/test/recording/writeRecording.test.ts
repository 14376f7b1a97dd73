import { encodeDocument, TraceNames } from '@replsim/protocol';
import type { Recorded, ReplSetOptions } from '@replsim/replset';
import { Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidScenario, parseScenario, recordedStep, recordingObstacle, writeRecording } from '../../src/index.ts';

const TWO: ReplSetOptions = { members: [{ name: 'n1' }, { name: 'n2' }] };
const HELLO = encodeDocument({ hello: 1, $db: 'admin' });

test.for([
  ['two names', TWO],
  [
    'everything',
    {
      seed: 99,
      version: '7.0',
      setName: 'rs "0"',
      epochMs: Date.UTC(2026, 1, 3, 4, 5, 6, 789),
      members: [
        { name: 'true', host: 'localhost:27017', config: { priority: 2, tags: { dc: 'east' } }, version: '8.2' },
        { name: 'n2', host: '[::1]:27018', clock: { offsetMs: -1500, driftPpm: 40 }, oplogSizeMB: 0.5 },
        { name: '3', config: { hidden: true, priority: 0 }, parameters: { ttlMonitorEnabled: false } },
        { name: 'alone', standalone: true, oplogMinRetentionHours: 1 },
        { name: 'spare', spare: true },
      ],
      settings: { electionTimeoutMillis: 2000, getLastErrorModes: { both: { dc: 2 } } },
      parameters: { ttlMonitorSleepSecs: 5, anyUserPasswords: 'a: b', replElectionTimeoutOffsetLimitFraction: 0.25 },
      network: { latencyMs: [1, 4.5], loss: 0.01 },
      costs: { insertMicros: 7 },
      initiate: false,
    } satisfies ReplSetOptions,
  ],
] as const)('the set is made again: %s', ([, setOptions]) => {
  const scenario = parseScenario(
    writeRecording({ name: 'A "name"', setOptions, records: [], untilMicros: 5 }),
    'recording.yaml',
  );
  const { seed = 1, ...options } = setOptions as ReplSetOptions;
  expect(scenario.name).toBe('A "name"');
  expect(scenario.seed).toBe(seed);
  expect(scenario.options).toEqual(options);
});

test('a set that no scenario can list is refused', () => {
  const write = (members: ReplSetOptions['members']) => () =>
    writeRecording({ name: 'x', setOptions: { members }, records: [], untilMicros: 0 });
  expect(write([{ name: 'n1', spare: true }, { name: 'n2' }])).toThrow(RangeError);
  expect(write([])).toThrow(RangeError);
});

test('steps are for people too', () => {
  const records: Recorded[] = [
    { atMicros: 0, type: 'connect', connection: 1, member: 'n1', remote: '127.0.0.1:50000' },
    { atMicros: 1_234_567, type: 'send', connection: 1, command: HELLO, exhaustAllowed: true },
    { atMicros: 1_300_000, type: 'awaitEnded', connection: 1, request: 1 },
    { atMicros: 2_000_000, type: 'send', connection: 1, command: encodeDocument({ v: "it's" }), moreToCome: true },
    { atMicros: 2_000_000, type: 'send', connection: 1, command: new Uint8Array([1, 2, 3]) },
    {
      atMicros: 2_000_000,
      type: 'command',
      member: 'n2',
      command: encodeDocument(
        new Map([
          ['ping', 1],
          ['1', 1],
        ]),
      ),
    },
    { atMicros: 2_500_000, type: 'hangUp', connection: 1 },
    { atMicros: 2_600_000, type: 'connect', connection: 2, member: 'n1', remote: '127.0.0.1:50001' },
    { atMicros: 2_600_000, type: 'secured', connection: 2, peer: { protocol: 'TLSv1.3', subject: 'CN=a b' } },
    { atMicros: 2_600_000, type: 'connect', connection: 3, member: 'n1', remote: '127.0.0.1:50002' },
    { atMicros: 2_600_000, type: 'connect', connection: 4, member: 'n1', remote: '127.0.0.1:50003', rejected: true },
    { atMicros: 2_600_000, type: 'refused', connection: 3, refusal: { code: 141, errmsg: 'no: TLS' } },
    { atMicros: 3_600_000_001, type: 'start', member: 'n2', options: { wipe: true, parameters: { a: Long.ONE } } },
    { atMicros: 3_600_000_001, type: 'partition', groups: [['n1'], ['n2']] },
    { atMicros: 3_600_000_001, type: 'partition', groups: [['n2']] },
  ];
  const text = writeRecording({ name: 'A talk', setOptions: TWO, records, untilMicros: 3_700_000_000 });
  expect(text.slice(text.indexOf('steps:'))).toBe(`steps:
  - { at: 0s }
  - { at: 0s, connect: { connection: 1, to: n1, remote: "127.0.0.1:50000" } }
  - { at: 1.234567s, send: { connection: 1, exhaustAllowed: true, command: '{"hello":1,"$db":"admin"}' } }
  - { at: 1.3s, awaitEnded: { connection: 1, request: 1 } }
  - { at: 2s, send: { connection: 1, moreToCome: true, command: '{"v":"it''s"}' } }
  - { at: 2s, send: { connection: 1, bson: "AQID" } } # 3 bytes
  - { at: 2s, send: { to: n2, bson: "FgAAABBwaW5nAAEAAAAQMQABAAAAAA==" } } # ping, 22 bytes
  - { at: 2.5s, hangUp: 1 }
  - { at: 2.6s, connect: { connection: 2, to: n1, remote: "127.0.0.1:50001" } }
  - { at: 2.6s, secured: { connection: 2, protocol: TLSv1.3, subject: "CN=a b" } }
  - { at: 2.6s, connect: { connection: 3, to: n1, remote: "127.0.0.1:50002" } }
  - { at: 2.6s, connect: { connection: 4, to: n1, remote: "127.0.0.1:50003", rejected: true } }
  - { at: 2.6s, refused: { connection: 3, code: 141, errmsg: "no: TLS" } }
  - { at: 3600.000001s, start: { member: n2, wipe: true, parameters: { a: 1 } } }
  - { at: 3600.000001s, partition: [[n1], [n2]] }
  - { at: 3600.000001s, partition: [[n2]] }
  - { at: 3700s }
`);
  expect(parseScenario(text, 'recording.yaml').steps).toHaveLength(records.length + 2);
});

const name = fc.constantFrom('n1', 'n2');
const anyRecord: fc.Arbitrary<Recorded> = fc
  .record({
    atMicros: fc.nat(2 ** 45),
    input: fc.oneof(
      fc.record({ type: fc.constantFrom('kill', 'shutdown', 'pause', 'resume'), member: name }),
      fc.record({
        type: fc.constant('command'),
        member: name,
        command: fc.oneof(fc.uint8Array(), fc.dictionary(fc.string(), fc.jsonValue()).map(encodeDocument)),
      }),
      fc.record({ type: fc.constantFrom('hold', 'release'), member: name, part: fc.constantFrom('ttl', 'apply') }),
      fc.record({ type: fc.constant('heal'), members: fc.constantFrom('all', ['n1']) }),
      fc.record({ type: fc.constant('clock'), member: name, jumpMs: fc.integer() }),
      fc.record({ type: fc.constant('clock'), member: name, driftPpm: fc.integer({ min: -1000, max: 1000 }) }),
      fc.record({
        type: fc.constant('link'),
        from: fc.constant('n1'),
        to: fc.constant('n2'),
        settings: fc.record({ loss: fc.double({ min: 0, max: 1, noNaN: true }) }),
      }),
      fc.record({
        type: fc.constant('disk'),
        member: name,
        settings: fc.record({ latencyMs: fc.nat(), full: fc.boolean() }, { requiredKeys: ['full'] }),
      }),
      fc.record({
        type: fc.constant('start'),
        member: name,
        options: fc.constantFrom({ as: 'standalone' }, { as: { replSet: 'rs1' } }, { queryableBackupMode: true }),
      }),
    ),
  })
  .map(({ atMicros, input }) => ({ atMicros, ...input }) as Recorded);

test('what is read is what was recorded, to the microsecond', () => {
  fc.assert(
    fc.property(fc.array(anyRecord), (unordered) => {
      const records = unordered.toSorted((a, b) => a.atMicros - b.atMicros);
      const text = writeRecording({ name: 'x', setOptions: TWO, records, untilMicros: 2 ** 46 });
      const read = parseScenario(text, 'recording.yaml').steps.map(({ action }) => action);
      expect(read).toEqual([
        { kind: 'outside', atMicros: 0, inputs: [] },
        ...records.map(({ atMicros, ...input }) => ({ kind: 'outside', atMicros, inputs: [plain(input)] })),
        { kind: 'outside', atMicros: 2 ** 46, inputs: [] },
      ]);
    }),
    { seed: 11, numRuns: 200 },
  );
});

/** A zero has no sign in YAML, and none that matters. */
function plain(input: object): object {
  return JSON.stringify(input).includes('"loss":0}') ? { ...input, settings: { loss: 0 } } : input;
}

test('a long text, as of a document with many fields, costs what its length says: one line, one text', () => {
  const documents = Array.from({ length: 500 }, (_, _id) => ({ _id, name: `user ${_id}` }));
  const command = encodeDocument({ insert: 'users', documents, $db: 'app' });
  const line = recordedStep({ atMicros: 0, type: 'command', member: 'n1', command });
  expect(line.split('\n')).toHaveLength(2);
  const large = encodeDocument({ insert: 'users', documents: [{ text: 'x'.repeat(100_000) }], $db: 'app' });
  const inBase64 = recordedStep({ atMicros: 0, type: 'command', member: 'n1', command: large });
  expect(inBase64).toMatch(/bson: "[^"]*" } } # insert, 1000\d\d bytes\n$/);
});

const head = 'name: x\nreplicaSet: { members: [n1, n2] }\nsteps:\n';
const open = '  - connect: { connection: 1, to: n1, remote: "c:1" }\n';
describe('mistakes', () => {
  test.for([
    [
      'a command without end',
      `${open}  - send: { connection: 1, command: '{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}' }`,
      '5:37',
      /not Extended JSON: it is nested too deep/,
    ],
    ['a command that is no JSON', `${open}  - send: { connection: 1, command: '{"a":' }`, '5:37', /not Extended JSON/],
    ['neither command nor bytes', `${open}  - send: { connection: 1 }`, '5:11', /either a "command", or its bytes/],
    ['no Base64', `${open}  - send: { connection: 1, bson: "A" }`, '5:34', /not Base64/],
    ['nobody to send to', `  - send: { command: { ping: 1 } }`, '4:11', /on a "connection" or "to" a member/],
    ['a connection that nobody opened', '  - hangUp: 2', '4:13', /no connection 2 has been opened/],
    ['one that is opened twice', `${open}${open}`, '5:28', /connection 1 has been opened before/],
    ['a request that was not sent', `${open}  - awaitEnded: { connection: 1, request: 1 }`, '5:43', /only 0 were sent/],
    ['an unknown member', '  - connect: { connection: 1, to: n3, remote: "c:1" }', '4:35', /no member is called "n3"/],
    [
      'a step that no recording has',
      '  - { at: 1s, expect: { primary: n1 } }',
      '4:15',
      /only for what comes from outside/,
    ],
    ['a target that only the run knows', '  - { at: 1s, kill: primary }', '4:21', /"primary" is none/],
    [
      'the order of time',
      '  - { at: 2s, kill: n1 }\n  - { at: 1s, start: n1 }',
      '5:11',
      /the steps before this one last until 2s at least/,
    ],
    ['two things at once', '  - { at: 2s, kill: n1, start: n1 }', '4:25', /a step does one thing/],
  ] as const)('%s', ([, steps, place, message]) => {
    const [mistake, ...others] = mistakesOf(`${head}${steps}\n`);
    expect(others).toEqual([]);
    expect(`${mistake!.line}:${mistake!.column}`).toBe(place);
    expect(mistake!.message).toMatch(message);
  });

  test.for([
    ['no port', '{ name: n1, host: localhost }', /HOST:PORT/],
    ['the host of another', '{ name: n1, host: "n2:27017" }', /two members have the host "n2:27017"/],
  ] as const)('hosts: %s', ([, member, message]) => {
    const text = `name: x\nreplicaSet: { members: [${member}, n2] }\nsteps: [{ advance: 1s }]\n`;
    expect(
      mistakesOf(text)
        .map((each) => each.message)
        .join(),
    ).toMatch(message);
  });
});

function mistakesOf(text: string): InvalidScenario['mistakes'] {
  try {
    parseScenario(text, 'x.yaml');
  } catch (error) {
    if (error instanceof InvalidScenario) return error.mistakes;
    throw error;
  }
  throw new Error('it was found right');
}

test('a command may be a map; nothing in it stands for anything else', () => {
  const steps = `  - send: { to: n1, command: { find: a, filter: { at: $now, n: 1.0, x: { $rand: [1, 2] } }, $db: app } }`;
  const [step] = parseScenario(`${head}${steps}`, 'x.yaml').steps;
  const expected = new Map<string, unknown>([
    ['find', 'a'],
    ['filter', { at: '$now', n: 1.5, x: { $rand: [1, 2] } }],
    ['$db', 'app'],
  ]);
  const bytes = encodeDocument(expected);
  bytes[bytes.indexOf(0xf8)] = 0xf0; // 1.5 becomes 1.0
  expect(step!.action).toEqual({ kind: 'outside', inputs: [{ type: 'command', member: 'n1', command: bytes }] });
});

test('what remembers another run stands against a recording', () => {
  expect(recordingObstacle('/data', [])).toBeUndefined();
  expect(recordingObstacle('/data', ['n1', 'n2', 'n3', 'lost+found'])).toBe(
    'a recording begins from nothing, and /data holds n1, n2, n3 and 1 more: record with an empty --dbpath, or without one',
  );
});

test('whoever reads a trace knows members by name', () => {
  const names = new TraceNames();
  expect(names.text('127.0.0.1:27017')).toBe('127.0.0.1:27017');
  names.named({
    atMicros: 0,
    type: 'runStarted',
    traceVersion: 1,
    seed: 1,
    version: '8.0',
    setName: 'rs0',
    members: ['n1', 'n2'],
    hosts: ['127.0.0.1:2701', '127.0.0.1:27017'],
    epochMs: 0,
  });
  expect(names.text('127.0.0.1:27017 after 127.0.0.1:2701, not 1127.0.0.1:2701')).toBe(
    'n2 after n1, not 1127.0.0.1:2701',
  );
});
