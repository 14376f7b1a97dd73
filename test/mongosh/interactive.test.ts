import { describe, expect, test } from 'vitest';
import { useServedSet } from '../clients/servedSets.ts';
import { directly } from './asking.ts';
import { useTerminal } from './terminal.ts';

/** What helpers print where an answer lacks something that they count on. */
const UGLY = /undefined|null|NaN|Invalid|\[object/;
const DATE = "'\\w{3} \\w{3} \\d{2} \\d{4} [\\d:]{8} GMT\\+0000 \\(Coordinated Universal Time\\)'";

describe('at a terminal', () => {
  const served = useServedSet({ seed: 21 });
  const terminal = useTerminal(() => directly(served()));
  const enter = (line: string) => terminal().enter(line);
  const ids = (text: string) => Array.from(text.matchAll(/_id: (\d+)/g), ([, id]) => Number(id));

  test('it says what it is connected to, and warns of nothing that the server said', () => {
    const { banner, prompt } = terminal();
    expect(banner).toMatch(/^Using MongoDB:\t\t8\.0\.15$/m);
    expect(banner).toMatch(/^Using Mongosh:\t\t2\.12\.0$/m);
    expect(banner).not.toContain('The server generated these startup warnings');
    expect(prompt).toBe('rs0 [direct: primary] test> ');
  });

  test('find shows twenty documents, and `it` the next', async () => {
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
    await enter('db.many.insertMany(Array.from({ length: 130 }, (_, i) => ({ _id: i }))).acknowledged');
    const found = await enter('db.many.find()');
    expect(ids(found)).toEqual(range(0, 20));
    expect(found).toMatch(/\]\nType "it" for more$/);
    for (let from = 20; from < 120; from += 20) expect(ids(await enter('it'))).toEqual(range(from, from + 20));
    const last = await enter('it');
    expect(ids(last)).toEqual(range(120, 130));
    expect(last).not.toContain('Type "it" for more');
    expect(await enter('it')).toBe('no cursor');
  });

  test('so does aggregate', async () => {
    const found = await enter('db.many.aggregate([{ $match: { _id: { $gte: 105 } } }, { $sort: { _id: -1 } }])');
    expect(ids(found)).toHaveLength(20);
    expect(ids(await enter('it'))).toEqual([109, 108, 107, 106, 105]);
  });

  test.for([
    ['use app', /^switched to db app$/],
    ['db', /^app$/],
    ['db.orders.insertOne({ _id: 1 }).insertedId', /^1$/],
    ['use test', /^switched to db test$/],
    ['show dbs', /^admin +[\d.]+ KiB\napp +8\.00 KiB\nconfig +[\d.]+ KiB\nlocal +[\d.]+ KiB\ntest +[\d.]+ KiB$/],
    ['show databases', /^admin .*\napp /],
    ['show collections', /^many$/],
    ['show tables', /^many$/],
    ["db.createView('few', 'many', [{ $limit: 1 }]).ok", /^1$/],
    ["db.createCollection('temps', { timeseries: { timeField: 't' } }).ok", /^1$/],
    ['show collections', /^few +\[view\]\nmany\ntemps +\[time-series\]\nsystem\.buckets\.temps\nsystem\.views$/],
    ['show logs', /^\[ 'global', 'startupWarnings' \]$/],
    ['show log startupWarnings', /^\[\]$/],
    ['show log', /"msg":"MongoDB starting".*"msg":"Transition to primary complete/s],
    ['show log nope', /^Uncaught MongoServerError\[OperationFailed\]/],
    ['show profile', /^db\.system\.profile is empty\.\nUse db\.setProfilingLevel\(2\) will enable profiling\./],
    ['show users', /^\[\]$/],
    ['show roles', /backup|\[\]/],
    ['show startupWarnings', /^$/],
    ['db.many', /^test\.many$/],
    ['db.many.explain()', /^Explainable\(test\.many\)$/],
    ['db.many.getIndexes()', /^\[ \{ v: 2, key: \{ _id: 1 \}, name: '_id_' \} \]$/],
    ['db.many.find({ _id: 3 }).explain().queryPlanner.winningPlan', /stage: 'EXPRESS_IXSCAN'/],
    ['db.serverStatus().metrics.ttl', /deletedDocuments: Long\('0'\),\s+passes: Long\('\d+'\)/],
    ["db.currentOp({ 'command.aggregate': 1 }).inprog.length", /^1$/],
    ['rs', /^ReplicaSet/],
    ['rs.help()', /printSecondaryReplicationInfo/],
    ['db.nope()', /^Uncaught TypeError: db\.nope is not a function$/],
    ['db.runCommand({ nope: 1 })', /^Uncaught MongoServerError\[CommandNotFound\]: no such command: 'nope'$/],
    ['db.many.insertOne({ _id: 1 })', /^Uncaught MongoServerError: E11000 duplicate key error collection: test\.many /],
    ['db.many.watch().tryNext()', /^null$/],
    ['rs.freeze(1)', /^Uncaught MongoServerError\[NotSecondary\]: Cannot freeze node when primary/],
  ] as const)('%s', async ([line, said]) => {
    expect(await enter(line)).toMatch(said);
  });

  test('show profile tells of what was slow', async () => {
    await enter('db.setProfilingLevel(2)');
    const data = "{ failCommands: ['find'], blockConnection: true, blockTimeMS: 20 }";
    await enter(`db.adminCommand({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: ${data} })`);
    await enter('db.many.find({ _id: -1 })');
    expect(await enter('db.setProfilingLevel(0).was')).toBe('2');
    const said = await enter('show profile');
    expect(said).toMatch(/^query\ttest\.many (?:[2-9]\d|\d{3,})ms \w{3} \w{3} \d{2} 20\d\d /);
    expect(said).toMatch(/ find: 'many',\n +filter: \{ _id: -1 \},/);
    expect(said).toContain(' nreturned:0 ');
    expect(said).not.toMatch(UGLY);
  });

  test('rs.printReplicationInfo()', async () => {
    const said = await enter('rs.printReplicationInfo()');
    const rows = ['990 MB', '990 MB', '\\d+ secs \\([\\d.]+ hrs\\)'].map((row) => `'${row}'`);
    const titles = ['actual oplog size', 'configured oplog size', 'log length start to end', 'oplog first event time', 'oplog last event time', 'now']; // biome-ignore format: one line
    const blocks = titles.map((title, i) => `${title}\n${rows[i] ?? DATE}`);
    expect(said).toMatch(new RegExp(`^${blocks.join('\n---\n')}$`));
  });

  test('rs.printSecondaryReplicationInfo()', async () => {
    const said = await enter('rs.printSecondaryReplicationInfo()');
    const { set, primary } = served();
    const secondaries = set.memberNames.filter((name) => name !== primary).map((name) => set.hostOf(name));
    expect(Array.from(said.matchAll(/^source: (.*)$/gm), ([, host]) => host)).toEqual(secondaries);
    expect(said.match(new RegExp(`syncedTo: ${DATE},\n +replLag: '-?\\d+ secs \\([\\d.]+ hrs\\) behind the primary '`, 'g'))).toHaveLength(2); // biome-ignore format: one line
    expect(said).not.toMatch(UGLY);
  });

  test.for([
    ['rs.printSec', 'rs.printSecondaryReplicationInfo'],
    ['db.adminC', 'db.adminCommand'],
    // What the server has:
    ['db.man', 'db.many'],
    ['use ap', 'use app'],
    ['show coll', 'show collections'],
    ['db.many.aggregate([{ $gro', 'db.many.aggregate([{ $group'],
  ] as const)('Tab after %s', async ([line, completed]) => {
    await terminal().tab(line, completed);
    await terminal().erase();
  });

  test('Tab twice lists what is possible', async () => {
    await terminal().tab('db.many.findOneA', 'db.many.findOneAnd');
    await terminal().tabAgain('findOneAndDelete', 'findOneAndReplace', 'findOneAndUpdate');
    await terminal().erase();
  });

  test('the prompt tells of a step-down, and the shell goes on', async () => {
    expect(await enter('rs.stepDown()')).toMatch(/^\{\s+ok: 1,/);
    await terminal().untilPrompt('rs0 [direct: secondary] test> ');
    expect(await enter('db.many.insertOne({})')).toBe('Uncaught MongoServerError[NotWritablePrimary]: not primary');
    expect(await enter('db.many.countDocuments()')).toBe('130');
    expect(await enter('rs.freeze(20).ok')).toBe('1');
    const host = (await enter('db.hello().primary')).trim();
    expect(await enter('rs.printSecondaryReplicationInfo()')).not.toContain(host);
  });

  test('a member that dies under the shell', async () => {
    const member = served().set.memberNames.find((name) => terminal().banner.includes(served().set.hostOf(name)))!;
    await served().act({ type: 'kill', member });
    expect(await enter('db.hello()')).toMatch(/^Uncaught:\nMongoServerSelectionError: connect ECONNREFUSED/);
    await served().start(member);
    await served().advance(15_000_000);
    expect(await enter('db.many.countDocuments()')).toBe('130');
    await terminal().untilPrompt('rs0 [direct: secondary] test> ');
  });

  test('exit', async () => {
    expect(await terminal().leave()).toBe(0);
  });
});

describe('at a terminal, with a connection string of the whole set', () => {
  const served = useServedSet({ seed: 22 });
  const terminal = useTerminal(() => [served().uriOf('app')]);

  test('writes follow the primary', async () => {
    expect(terminal().prompt).toBe('rs0 [primary] app> ');
    const before = served().primary;
    expect(await terminal().enter("db.c.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } }).acknowledged")).toBe('true'); // biome-ignore format: one line
    expect(await terminal().enter('rs.stepDown()')).toMatch(/^\{\s+ok: 1,/);
    expect(await terminal().enter('db.c.insertOne({ _id: 2 }).acknowledged')).toBe('true');
    expect(served().primary).not.toBe(before);
    await terminal().untilPrompt('rs0 [primary] app> ');
    expect(await terminal().enter("db.c.find().readPref('secondary').readConcern('majority').sort({ _id: 1 })")).toMatch(/^\[ \{ _id: 1 \}/); // biome-ignore format: one line
  });
});

describe('at a terminal, on members that nobody has initiated', () => {
  const served = useServedSet({ seed: 23, initiate: false });
  const terminal = useTerminal(() => directly(served(), 'n1'));
  const enter = (line: string) => terminal().enter(line);

  test('rs.initiate() makes them a set', async () => {
    expect(terminal().prompt).toBe('test> ');
    const notYet = 'Uncaught MongoServerError[NotYetInitialized]: no replset config has been received';
    expect(await enter('rs.status()')).toBe(notYet);
    expect(await enter('rs.conf()')).toBe(notYet);
    expect(await enter('rs.printReplicationInfo()')).toMatch(/^Uncaught MongoshInvalidInputError: .* local\.system\.replset is empty/); // biome-ignore format: one line
    expect(await enter('db.c.insertOne({})')).toBe('Uncaught MongoServerError[NotWritablePrimary]: not primary');
    const members = served().set.memberNames.map((name, _id) => ({ _id, host: served().set.hostOf(name) }));
    expect(await enter(`rs.initiate({ _id: 'rs0', members: ${JSON.stringify(members)} })`)).toMatch(/^\{\s+ok: 1/);
    expect(await enter("db.adminCommand({ replsimUntilPrimary: 1, within: '60s' })")).toMatch(/^\{ primary: 'n\d', ok: 1 \}$/); // biome-ignore format: one line
    await terminal().untilPrompt(`rs0 [direct: ${served().primary === 'n1' ? 'primary' : 'secondary'}] test> `);
    expect(await enter('rs.status().members.map(({ stateStr }) => stateStr).sort()')).toBe("[ 'PRIMARY', 'SECONDARY', 'SECONDARY' ]"); // biome-ignore format: one line
    expect(await enter('rs.initiate()')).toMatch(/^Uncaught MongoServerError\[AlreadyInitialized\]/);
  });
});
