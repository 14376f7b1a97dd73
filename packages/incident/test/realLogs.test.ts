import { expect, test } from 'vitest';
import { infer, type MemberLog, readLogs, write } from '../src/index.ts';
import { logLines } from './playing.ts';

// Lines in the form in which mongods of 4.4 to 8.0 write them, with texts and attributes that people post; hosts and times are our own.

const DAY = '2024-03-05T';

function line(time: string, id: number, msg: string, attr?: object): string {
  return JSON.stringify({
    t: { $date: `${DAY}${time}+00:00` },
    s: 'I',
    c: 'REPL',
    id,
    ctx: 'ReplCoord-12',
    msg,
    ...(attr && { attr }),
  });
}

const host = (n: number) => `mongo-${n}.mongo.shop.svc.cluster.local:27017`;
const CONFIG = {
  _id: 'shop',
  version: 41_012,
  term: 17,
  members: [0, 1, 2].map((n) => ({ _id: n, host: host(n), arbiterOnly: false, priority: n === 0 ? 2 : 1, votes: 1 })),
  settings: { chainingAllowed: true, electionTimeoutMillis: 10_000, heartbeatTimeoutSecs: 10 },
};
const refused = {
  code: 6,
  codeName: 'HostUnreachable',
  errmsg: 'Error connecting to mongo-0 :: caused by :: Connection refused',
};

/** The primary is killed and comes back half a minute later; another is elected, and hands back. */
const FIRST = [
  line('09:00:00.100', 21_393, 'Found self in config', { hostAndPort: host(0) }),
  line('09:00:02.000', 51_803, 'Slow query', {
    type: 'command',
    ns: 'shop.orders',
    command: { insert: 'orders', ordered: true, writeConcern: { w: 'majority' }, $db: 'shop' },
    durationMillis: 140,
  }),
  line('09:00:20.000', 51_803, 'Slow query', {
    type: 'command',
    ns: 'shop.orders',
    command: { insert: 'orders' },
    durationMillis: 210,
  }),
  line('09:00:52.000', 4_615_611, 'MongoDB starting', { pid: 1, port: 27_017, dbPath: '/data/db', host: 'mongo-0' }),
  line('09:00:52.010', 23_403, 'Build Info', { buildInfo: { version: '7.0.14', gitVersion: '0' } }),
  line('09:00:53.000', 21_392, 'New replica set config in use', { config: CONFIG }),
  line('09:00:53.001', 21_393, 'Found self in config', { hostAndPort: host(0) }),
  line('09:00:53.100', 21_358, 'Replica set state transition', { newState: 'SECONDARY', oldState: 'RECOVERING' }),
  line('09:01:04.000', 4_615_660, 'Starting an election for a priority takeover'),
  line('09:01:04.000', 21_438, 'Conducting a dry run election to see if we could be elected', { currentTerm: 18 }),
  line('09:01:04.020', 21_450, 'Election succeeded, assuming primary role', { term: 19 }),
  line('09:01:04.020', 21_358, 'Replica set state transition', { newState: 'PRIMARY', oldState: 'SECONDARY' }),
  line('09:01:20.000', 51_803, 'Slow query', {
    type: 'command',
    ns: 'admin.$cmd',
    command: { hello: 1 },
    durationMillis: 110,
  }),
];
const SECOND = [
  line('09:00:00.000', 21_392, 'New replica set config in use', { config: CONFIG }),
  line('09:00:00.000', 21_393, 'Found self in config', { hostAndPort: host(1) }),
  line('09:00:01.000', 21_215, 'Member is in new state', { hostAndPort: host(0), newState: 'PRIMARY' }),
  line('09:00:30.500', 23_974, 'Heartbeat failed after max retries', {
    target: host(0),
    maxHeartbeatRetries: 2,
    error: refused,
  }),
  line('09:00:30.501', 21_216, 'Member is now in state DOWN', {
    hostAndPort: host(0),
    heartbeatMessage: refused.errmsg,
  }),
  line('09:00:41.000', 4_615_652, "Starting an election, since we've seen no PRIMARY in election timeout period", {
    electionTimeoutPeriodMillis: 10_000,
  }),
  line('09:00:41.000', 21_438, 'Conducting a dry run election to see if we could be elected', { currentTerm: 17 }),
  line('09:00:41.030', 21_450, 'Election succeeded, assuming primary role', { term: 18 }),
  line('09:00:41.030', 21_358, 'Replica set state transition', { newState: 'PRIMARY', oldState: 'SECONDARY' }),
  line('09:01:04.030', 21_358, 'Replica set state transition', { newState: 'SECONDARY', oldState: 'PRIMARY' }),
  line('09:01:20.000', 5_479_200, 'Deleted expired documents using index', {
    namespace: 'shop.carts',
    index: 'seen_1',
    numDeleted: 12,
    durationMillis: 130,
  }),
];

function read(...logs: (readonly string[])[]): MemberLog[] {
  return logs.map((lines, n) => readLogs(lines, `mongo-${n}.log`));
}

test('two of three logs of a killed primary: who led, when it died, what clients did', async () => {
  const text = write(infer({ logs: read(FIRST, SECOND), confs: [], statuses: [] }));
  expect(text).toContain('version: "7.0"');
  expect(text).toContain(`- { name: mongo-0, host: ${host(0)}, priority: 2 }`);
  expect(text).toContain(`# no log of ${host(2)}`);
  expect(text).toContain('# TTL deleted 12 documents');
  expect(text).toMatch(
    /at: 60\.48s, kill: mongo-0 \} # its log breaks off without a shutdown: mongo-0\.log:3; mongo-1\.log:4/,
  );
  expect(text).toContain('at: 82s, start: mongo-0 }');
  expect(text).toMatch(/2 slow × insert shop\.orders, the first at mongo-0\.log:2/);
  expect(text).toContain('writeConcern: { w: majority }');
  const { logs, failure } = await logLines(text, 'imported.yaml');
  expect(failure).toBeUndefined();
  const winners = [...logs].flatMap(([member, lines]) =>
    readLogs(lines, member).facts.flatMap(({ kind, atMs }) =>
      kind === 'wins' ? [{ member, at: new Date(atMs).toISOString().slice(11, 19) }] : [],
    ),
  );
  expect(winners.sort((a, b) => (a.at < b.at ? -1 : 1))).toEqual([
    { member: 'mongo-0', at: '08:59:42' },
    { member: 'mongo-1', at: '09:00:41' },
    { member: 'mongo-0', at: '09:01:04' },
  ]);
});

const TIMED_OUT = "Couldn't get a connection within the time limit";

test('members that time out for each other while their processes live are cut off from each other', () => {
  const cutOff = [
    line('09:00:00.000', 21_392, 'New replica set config in use', { config: CONFIG }),
    line('09:00:00.000', 21_393, 'Found self in config', { hostAndPort: host(2) }),
    line('09:00:40.000', 21_216, 'Member is now in state DOWN', { hostAndPort: host(0), heartbeatMessage: TIMED_OUT }),
    line('09:00:40.100', 21_216, 'Member is now in state DOWN', { hostAndPort: host(1), heartbeatMessage: TIMED_OUT }),
    line('09:00:55.000', 21_215, 'Member is in new state', { hostAndPort: host(0), newState: 'PRIMARY' }),
    line('09:00:55.100', 21_215, 'Member is in new state', { hostAndPort: host(1), newState: 'SECONDARY' }),
  ];
  const text = write(infer({ logs: read(cutOff), confs: [], statuses: [] }));
  expect(text).toMatch(
    /at: 60\.01s, partition: \[ \[ mongo-0, mongo-1 \], \[ mongo-2 \] \] \} # they did not hear each other: mongo-0\.log:3, mongo-0\.log:4/,
  );
  expect(text).toContain('at: 84.7s, heal: all }');
});

test('a config in a log that is none is refused where it stands', () => {
  const broken = [
    line('09:00:00.000', 21_393, 'Found self in config', { hostAndPort: host(0) }),
    line('09:00:00.000', 21_392, 'New replica set config in use', { config: { _id: 'shop', members: 5 } }),
  ];
  expect(() => infer({ logs: read(broken), confs: [], statuses: [] })).toThrow(/^mongo-0\.log:2/);
});

test('a shutdown is one, a file says whose log it is by its name, and a rotated log goes on', () => {
  const lines = [
    line('09:00:00.000', 21_358, 'Replica set state transition', { newState: 'SECONDARY', oldState: 'PRIMARY' }),
    line('09:00:10.000', 23_377, 'Received signal', { signal: 15, error: 'Terminated' }),
    line('09:00:10.500', 20_565, 'Now exiting'),
    line('09:00:10.600', 23_138, 'Shutting down', { exitCode: 0 }),
    line('09:00:30.000', 20_698, '***** SERVER RESTARTED *****'),
    line('09:00:30.000', 4_615_611, 'MongoDB starting', { pid: 2, port: 27_017, host: 'mongo-1' }),
  ];
  const [before, after] = [lines.slice(0, 2), lines.slice(2)].map((part) => readLogs(part, 'var/mongo-1.log'));
  const other = readLogs(
    [
      line('09:00:00.000', 21_392, 'New replica set config in use', { config: CONFIG }),
      line('09:00:00.000', 21_393, 'Found self in config', { hostAndPort: host(0) }),
    ],
    'mongo-0.log',
  );
  const text = write(infer({ logs: [after!, other, before!], confs: [], statuses: [] }));
  expect(text).toContain('# it shut down: var/mongo-1.log:2');
  expect(text).toContain(
    'run: { on: mongo-1, db: admin, command: { shutdown: 1, force: true, timeoutSecs: 0 }, as: ended1 }',
  );
  expect(text).toContain('at: 60s, start: mongo-1 }');
  expect(text).toContain('stepUp: { on: mongo-1');
});

test('what Docker Compose, journald and editors put before a line does no harm', () => {
  const config = line('09:00:00.000', 21_392, 'New replica set config in use', { config: CONFIG });
  const self = line('09:00:00.000', 21_393, 'Found self in config', { hostAndPort: host(0) });
  const log = readLogs(
    [
      `\uFEFF${config}\r`,
      `mongo1_1  | ${self}\r`,
      `Mar 05 09:00:01 db1 mongod[812]: ${self}`,
      '{"t":{"$date":"2024-03',
    ],
    'compose.log',
  );
  expect(log).toMatchObject({ host: host(0), lines: 4, unreadable: { count: 1, first: { line: 4 } } });
});

test('a start that fails, again and again, is one absence; a restart within a millisecond is a restart', () => {
  const starting = (time: string) =>
    line(time, 4_615_611, 'MongoDB starting', { pid: 1, port: 27_017, host: 'mongo-1' });
  const again = (time: string) => [line(time, 20_698, '***** SERVER RESTARTED *****'), starting(time)];
  const crashes = [
    line('09:00:00.000', 21_392, 'New replica set config in use', { config: CONFIG }),
    line('09:00:00.000', 21_393, 'Found self in config', { hostAndPort: host(1) }),
    line('09:00:20.000', 23_138, 'Shutting down', { exitCode: 0 }),
    ...again('09:00:20.000'),
    ...again('09:00:21.000'),
    ...again('09:00:22.000'),
    line('09:00:22.500', 21_393, 'Found self in config', { hostAndPort: host(1) }),
    line('09:00:23.000', 21_358, 'Replica set state transition', { newState: 'SECONDARY', oldState: 'RECOVERING' }),
  ];
  const { faults } = infer({ logs: [readLogs(crashes, 'mongo-1.log')], confs: [], statuses: [] });
  expect(faults.map(({ what, atMs }) => [atMs, what])).toEqual([[52_000, { start: 'mongo-1' }]]);
});

test('the logs of a mongos and of a stranger are left out, with a comment that says so', () => {
  const router = [
    line('09:00:00.000', 21_951, 'Options set by command line', {
      options: { net: { port: 27_017 }, sharding: { configDB: 'cfg/cfg-0:27019' } },
    }),
  ];
  const stranger = [line('09:00:00.000', 21_393, 'Found self in config', { hostAndPort: 'elsewhere:27017' })];
  const read = [readLogs(FIRST, 'mongo-0.log'), readLogs(router, 'mongos.log'), readLogs(stranger, 'other.log')];
  const { notes, members } = infer({ logs: read, confs: [], statuses: [] });
  expect(members).toHaveLength(3);
  expect(notes).toContain('not used: mongos.log: this is the log of a mongos, which is in no set');
  expect(notes).toContain('not used: other.log: this is the log of elsewhere:27017, which is in no config of the set');
  expect(() => infer({ logs: [readLogs(router, 'mongos.log')], confs: [], statuses: [] })).toThrow(
    'mongos.log: this is the log of a mongos',
  );
});

// The order in which a mongod 7.0 ends when its container stops it: hand-over with 15 s, quiesce mode, storage engine.
test('a primary that its container stops hands over, with the time that it had', () => {
  const ends = [
    ...FIRST.slice(0, 2),
    line('09:00:30.000', 23_377, 'Received signal', { signal: 15, error: 'Terminated' }),
    line('09:00:30.000', 23_381, 'will terminate after current cmd ends'),
    line('09:00:30.001', 4_784_900, 'Stepping down the ReplicationCoordinator for shutdown', {
      waitTimeMillis: 15_000,
    }),
    line('09:00:30.001', 4_794_602, 'Attempting to enter quiesce mode'),
    line('09:00:30.002', 4_784_901, 'Shutting down the MirrorMaestro'),
    line('09:00:30.400', 23_138, 'Shutting down', { exitCode: 0 }),
  ];
  const log = readLogs(ends, 'mongo-0.log');
  expect(log.lives.map(({ shutdown }) => shutdown)).toEqual([
    { atMs: Date.parse(`${DAY}09:00:30.000Z`), seen: { file: 'mongo-0.log', line: 3 }, timeoutMs: 15_000 },
  ]);
});

const ONE_OF_TWO = [
  line('09:00:00.000', 21_392, 'New replica set config in use', { config: CONFIG }),
  line('09:00:00.000', 21_393, 'Found self in config', { hostAndPort: host(0) }),
  line('09:00:40.000', 21_216, 'Member is now in state DOWN', {
    hostAndPort: host(1),
    heartbeatMessage: `Error connecting to ${host(1)} (10.0.0.2:27017) :: caused by :: onInvoke :: caused by :: Connection refused`,
  }),
  line('09:05:40.000', 21_215, 'Member is in new state', { hostAndPort: host(1), newState: 'SECONDARY' }),
];

test('a member without a log that others are refused by is killed, and started when they hear of it again', async () => {
  const { faults, steps } = infer({ logs: read(ONE_OF_TWO), confs: [], statuses: [] });
  expect(faults).toMatchObject([
    {
      atMs: 69_980,
      what: { kill: 'mongo-1' },
      because: expect.stringMatching(/no log, and mongo-0\.log:3 was refused/),
    },
    { atMs: 369_000, what: { start: 'mongo-1' }, because: 'mongo-0.log:4 heard it again' },
  ]);
  expect(steps).toMatchObject([{ atMs: 371_000, what: { eventually: { primary: 'any' } } }]);
  const text = write(infer({ logs: read(ONE_OF_TWO), confs: [], statuses: [] }));
  expect((await logLines(text, 'imported.yaml')).failure).toBeUndefined();
});

test('one that is not heard again stays down, and a set without a majority gets no check', () => {
  const down = (n: number) =>
    line(`09:00:4${n}.000`, 21_216, 'Member is now in state DOWN', {
      hostAndPort: host(n),
      heartbeatMessage: refused.errmsg,
    });
  const logs = read([...ONE_OF_TWO.slice(0, 2), down(1), down(1), down(2)]);
  const { faults, steps } = infer({ logs, confs: [], statuses: [] });
  expect(faults.map(({ what }) => what)).toEqual([{ kill: 'mongo-1' }, { kill: 'mongo-2' }]);
  expect(steps).toEqual([]);
});
