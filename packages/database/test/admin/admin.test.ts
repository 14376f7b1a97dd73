import { createHash } from 'node:crypto';
import { ParameterStore, parametersOf } from '@replsim/pipeline';
import { CommandError, encodeDocument, VERSIONS } from '@replsim/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RunningOperation } from '../../../operations/src/operations/operation.ts';
import { OperationDebug } from '../../../operations/src/operations/operationDebug.ts';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

test('what every member answers, whatever its state', () => {
  member.writable = false;
  member.memberState = 'STARTUP';
  for (const name of ['ping', 'buildInfo', 'buildinfo', 'connectionStatus', 'whatsmyuri', 'serverStatus', 'hostInfo']) {
    expect(member.run({ [name]: 1 }).ok, name).toBe(1);
  }
  expect(member.ok({ getCmdLineOpts: 1 }, 'admin')).toMatchObject({
    argv: ['mongod'],
    parsed: { net: { port: 27017 } },
  });
});

test('buildInfo', () => {
  const { version, versionArray, maxBsonObjectSize } = member.ok({ buildInfo: 1 });
  expect([version, versionArray, maxBsonObjectSize]).toEqual(['8.0.15', [8, 0, 15, 0], 16_777_216]);
});

describe('parameters', () => {
  const get = (command: object) => member.run({ getParameter: 1, ...command }, 'admin');
  const set = (command: object) => member.run({ setParameter: 1, ...command }, 'admin');

  test('getParameter', () => {
    expect(get({ ttlMonitorSleepSecs: 1, nope: 1 })).toMatchObject({ ttlMonitorSleepSecs: 60, ok: 1 });
    expect(get({ nope: 1 })).toMatchObject({ code: 72, errmsg: 'no option found to get' });
    expect(get({}).code).toBe(72);
    expect(member.run({ getParameter: 'foo' }, 'admin').code).toBe(72);
    expect(get({ featureCompatibilityVersion: 1 }).featureCompatibilityVersion).toEqual({ version: '8.0' });
    for (const all of ['*', { allParameters: true }]) {
      const reply = member.run({ getParameter: all }, 'admin');
      expect(reply).toMatchObject({
        ttlMonitorEnabled: true,
        periodicNoopIntervalSecs: 10,
        rollbackTimeLimitSecs: 86_400,
      });
    }
  });

  test('getParameter with details tells what can be set when', () => {
    const { ttlMonitorSleepSecs, periodicNoopIntervalSecs, featureCompatibilityVersion } = member.ok(
      {
        getParameter: { showDetails: true },
        ttlMonitorSleepSecs: 1,
        periodicNoopIntervalSecs: 1,
        featureCompatibilityVersion: 1,
      },
      'admin',
    );
    expect(ttlMonitorSleepSecs).toEqual({ value: 60, settableAtRuntime: true, settableAtStartup: true });
    expect(periodicNoopIntervalSecs).toEqual({ value: 10, settableAtRuntime: false, settableAtStartup: true });
    // Nobody sets it as a parameter.
    expect(featureCompatibilityVersion).toEqual({
      value: { version: '8.0' },
      settableAtRuntime: false,
      settableAtStartup: false,
    });
  });

  test('setAt passes over what cannot be set then', () => {
    const shown = (options: object) => Object.keys(member.ok({ getParameter: { allParameters: true, ...options } }, 'admin')); // biome-ignore format: one line
    const runtime = shown({ setAt: 'runtime' });
    expect(runtime).toContain('ttlMonitorSleepSecs');
    expect(runtime).not.toContain('periodicNoopIntervalSecs');
    const startup = shown({ setAt: 'startup' });
    expect(startup).toEqual(expect.arrayContaining([...runtime, 'periodicNoopIntervalSecs']));
    expect(shown({})).toEqual(expect.arrayContaining([...startup, 'featureCompatibilityVersion']));
    expect(startup).not.toContain('featureCompatibilityVersion');
    expect(shown({ setAt: null })).toEqual(shown({}));
    // Of names, too; and with nothing left there is nothing to get.
    const byName = (getParameter: object, ...names: string[]) =>
      member.run({ getParameter, ...Object.fromEntries(names.map((name) => [name, 1])) }, 'admin');
    const noop = 'periodicNoopIntervalSecs';
    expect(byName({ setAt: 'runtime' }, noop, 'quiet')).toMatchObject({ ok: 1, quiet: false });
    expect(byName({ setAt: 'runtime' }, noop, 'quiet')).not.toHaveProperty(noop);
    expect(byName({ setAt: 'runtime' }, noop)).toMatchObject({ code: 72, errmsg: 'no option found to get' });
    expect(byName({ setAt: 'never' }, 'quiet')).toMatchObject({ code: 2 });
    expect(byName({ setAt: 1 }, 'quiet')).toMatchObject({ code: 14 });
    expect(byName({ nonsense: 1 }, 'quiet')).toMatchObject({ code: 40415 });
  });

  test('setParameter tells what was, and the member hears of it', () => {
    expect(set({ ttlMonitorSleepSecs: 5 })).toMatchObject({ was: 60, ok: 1 });
    expect(set({ ttlMonitorSleepSecs: 7.9 })).toMatchObject({ was: 5, ok: 1 });
    expect(member.parameters.number('ttlMonitorSleepSecs')).toBe(7);
    expect(set({ ttlMonitorEnabled: 0 })).toMatchObject({ was: true });
    expect(member.parameters.bool('ttlMonitorEnabled')).toBe(false);
    expect(member.parametersSet).toEqual(['ttlMonitorSleepSecs', 'ttlMonitorSleepSecs', 'ttlMonitorEnabled']);
  });

  test.for([
    [{}, 72, 'no option found to set'],
    [{ nope: 1 }, 72, 'nope'],
    [{ ttlMonitorSleepSecs: 0 }, 2, 'Invalid value for parameter ttlMonitorSleepSecs: 0 is not greater than 0'],
    [{ ttlMonitorSubPassTargetSecs: -1 }, 2, 'is not greater than or equal to 0'],
    [{ ttlMonitorSleepSecs: 'soon' }, 2, 'ttlMonitorSleepSecs'],
    [{ rollbackTimeLimitSecs: 0 }, 2, 'is not greater than or equal to 1'],
    [{ replElectionTimeoutOffsetLimitFraction: 0.01 }, 2, 'is not greater than 0.01'],
    [{ logLevel: 6 }, 2, 'is not less than or equal to 5'],
    [{ logLevel: 'x' }, 2, 'is not a 32-bit integer'],
    [{ syncdelay: 'x' }, 2, 'is not a number'],
    [{ periodicNoopIntervalSecs: 5 }, 20, 'runtime'],
    [{ ttlMonitorSleepSecs: 5, nope: 1 }, 72, 'nope'],
  ] as const)('setParameter %o: code %i', ([command, code, gist]) => {
    expect(set(command)).toMatchObject({ ok: 0, code, errmsg: expect.stringContaining(gist) });
    expect(member.parameters.number('ttlMonitorSleepSecs')).toBe(60);
    expect(member.parametersSet).toEqual([]);
  });

  test('at startup', () => {
    const definitions = parametersOf(VERSIONS['8.0']);
    const store = new ParameterStore(definitions, {
      ttlMonitorSleepSecs: '5',
      periodicNoopIntervalSecs: 3,
      quiet: 'true',
    });
    expect([store.get('ttlMonitorSleepSecs'), store.get('periodicNoopIntervalSecs'), store.bool('quiet')]).toEqual([
      5,
      3,
      true,
    ]);
    expect(() => new ParameterStore(definitions, { nope: 1 })).toThrow(CommandError);
    expect(() => new ParameterStore(definitions, { periodicNoopIntervalSecs: 11 })).toThrow(CommandError);
    expect(new ParameterStore(parametersOf(VERSIONS['3.2'])).has('ttlMonitorBatchDeletes')).toBe(false);
  });
});

describe('getLog', () => {
  test('lines are JSON as mongod writes it', () => {
    const line = { severity: 'I', component: 'INDEX', id: 5479200, ctx: 'TTLMonitor', msg: 'done', attr: { numDeleted: 3 } } as const; // biome-ignore format: one line
    member.logs.global.add(Date.UTC(2025, 0, 1, 0, 0, 1, 5), line);
    member.logs.global.add(0, { ...line, attr: {} });
    const { log, totalLinesWritten } = member.ok({ getLog: 'global' }, 'admin');
    expect(totalLinesWritten).toBe(2);
    expect(log[0]).toBe('{"t":{"$date":"2025-01-01T00:00:01.005+00:00"},"s":"I",  "c":"INDEX",    "id":5479200, "ctx":"TTLMonitor","msg":"done","attr":{"numDeleted":3}}'); // biome-ignore format: one line
    expect(log[1]).not.toContain('attr');
  });

  test('the newest 1024 lines are kept, all are counted', () => {
    const line = { severity: 'I', component: 'REPL', id: 1, ctx: 'x', msg: '', attr: {} } as const;
    for (let n = 0; n < 5000; n++) member.logs.global.add(n, { ...line, id: n });
    const { log, totalLinesWritten } = member.ok({ getLog: 'global' }, 'admin');
    expect([log.length, totalLinesWritten]).toEqual([1024, 5000]);
    expect([JSON.parse(log[0]).id, JSON.parse(log[1023]).id]).toEqual([3976, 4999]);
  });

  test('other logs', () => {
    expect(member.ok({ getLog: 'startupWarnings' }, 'admin').log).toEqual([]);
    expect(member.ok({ getLog: '*' }, 'admin').names).toEqual(['global', 'startupWarnings']);
    expect(member.run({ getLog: 'nope' }, 'admin').code).toBe(96);
    expect(member.run({ getLog: 1 }, 'admin').code).toBe(14);
  });
});

describe('operations', () => {
  const killed: [number, number][] = [];
  const operation = (opId: number, desc: string): RunningOperation => ({
    opId,
    desc,
    ns: 'app.c',
    commandName: 'find',
    startedMicros: 1_000_000,
    killable: 'onRollback',
    endsWithClient: true,
    debug: new OperationDebug(),
    waitingFor: opId === 7 ? 'awaitData' : undefined,
    kill: ({ code }) => killed.push([opId, code]),
  });
  beforeEach(() => {
    killed.length = 0;
    member.running = [operation(7, 'conn3'), operation(8, 'TTLMonitor')];
  });

  test('currentOp', () => {
    const { inprog } = member.ok({ currentOp: 1 }, 'admin');
    expect(inprog).toMatchObject([{ opid: 7, desc: 'conn3', ns: 'app.c', secs_running: 4, msg: 'waiting for awaitData', command: { find: 1 } }, { opid: 8 }]); // biome-ignore format: one line
    const opids = (command: object) =>
      member.ok({ currentOp: 1, ...command }, 'admin').inprog.map(({ opid }: { opid: number }) => opid);
    expect([opids({}), opids({ $all: true })]).toEqual([
      [7, 8],
      [7, 8],
    ]);
    expect(opids({ $all: true, opid: { $gt: 7 } })).toEqual([8]);
    expect(member.run({ currentOp: 1 }).code).toBe(13);
  });

  test('killOp', () => {
    expect(member.ok({ killOp: 1, op: 8 }, 'admin').info).toContain('kill');
    expect(member.run({ killOp: 1, op: 99 }, 'admin').ok).toBe(1);
    expect(member.run({ killOp: 1 }, 'admin').code).toBe(4);
    expect(member.run({ killOp: 1, op: -8 }, 'admin').ok).toBe(1);
    for (const op of [1.5, Number.NaN]) expect(member.run({ killOp: 1, op }, 'admin').code).toBe(2);
    for (const op of [2 ** 31, -(2 ** 31) - 1]) expect(member.run({ killOp: 1, op }, 'admin').code).toBe(26823);
    expect(killed).toEqual([[8, 11601]]);
    // The fake's commands run as operation 1.
    expect(member.run({ killOp: 1, op: 1 }, 'admin').code).toBe(11601);
  });
});

test('serverStatus: sections, their types, and leaving some out', () => {
  member.advance(2_500_000);
  const status = member.ok({ serverStatus: 1, opcounters: 0 });
  expect(status).toMatchObject({
    host: 'n1:27017',
    process: 'mongod',
    version: '8.0.15',
    uptime: 7,
    uptimeMillis: 7500,
    repl: { setName: 'rs0' },
    metrics: { ttl: { passes: 3 }, repl: { apply: { ops: 4 } } },
    batchedDeletes: { batches: 0, docs: 0, stagedSizeBytes: 0, timeInBatchMillis: 0, refetchesDueToYield: 0 },
    opcountersRepl: { insert: 0 },
  });
  expect(status.opcounters).toBeUndefined();
  expect(status.localTime).toBeInstanceOf(Date);
});

describe('figures', () => {
  beforeEach(() => member.insert('c', { _id: 1 }, { _id: 2 }));

  test('dbHash: equal documents, equal hashes, whatever their history', () => {
    const other = new FakeMember();
    other.insert('c', { _id: 3 }, { _id: 2 }, { _id: 1 });
    const hash = (of: FakeMember) => of.ok({ dbHash: 1 });
    expect(hash(other).collections.c).not.toBe(hash(member).collections.c);
    expect(hash(other).md5).not.toBe(hash(member).md5);
    other.ok({ delete: 'c', deletes: [{ q: { _id: 3 }, limit: 1 }] });
    expect(hash(other).collections).toEqual(hash(member).collections);
    expect(hash(other).md5).toBe(hash(member).md5);
    expect(member.ok({ dbHash: 1, collections: ['zzz'] }).collections).toEqual({});
    expect(member.run({ dbHash: 1, collections: [1] }).code).toBe(14);
  });

  test('dbHash: md5 of the documents in the order of _id, and of those hashes in the order of names', () => {
    const md5 = (...parts: (Uint8Array | string)[]) =>
      parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest('hex');
    const of = (...documents: object[]) => md5(...documents.map((document) => encodeDocument(document)));
    member.insert('b', { _id: 'x', a: 1.5 }, { _id: 3 }, { _id: 1, a: [] });
    member.ok({ create: 'a', capped: true, size: 4096 });
    member.ok({ create: 'z', clusteredIndex: { key: { _id: 1 }, unique: true } });
    member.insert('z', { _id: 2 }, { _id: 1 });
    const b = of({ _id: 1, a: [] }, { _id: 3 }, { _id: 'x', a: 1.5 });
    const [c, z] = [of({ _id: 1 }, { _id: 2 }), of({ _id: 1 }, { _id: 2 })];
    expect(member.ok({ dbHash: 1 })).toMatchObject({
      collections: { a: md5(), b, c, z },
      capped: ['a'],
      md5: md5(md5(), b, c, z),
    });
    // Known from elsewhere: of no bytes at all.
    expect(md5()).toBe('d41d8cd98f00b204e9800998ecf8427e');
    expect(member.ok({ dbHash: 1, collections: ['b', 'c'] }).md5).toBe(md5(b, c));
  });

  test('dbHash is answered by a secondary, whatever the read preference', () => {
    member.writable = false;
    member.memberState = 'SECONDARY';
    expect(member.run({ dbHash: 1 }).ok).toBe(1);
    expect(member.run({ dbStats: 1 }).code).toBe(13435);
    expect(member.run({ dbStats: 1, $readPreference: { mode: 'secondary' } }).ok).toBe(1);
  });

  test('dbStats and collStats', () => {
    expect(member.ok({ dbStats: 1 })).toMatchObject({
      db: 'app',
      collections: 1,
      objects: 2,
      dataSize: 28,
      avgObjSize: 14,
      indexes: 1,
    });
    expect(member.ok({ dbStats: 1, scale: 2 }).dataSize).toBe(14);
    expect(member.run({ dbStats: 1, scale: 0 }).code).toBe(2);
    expect(member.ok({ collStats: 'c' })).toMatchObject({
      ns: 'app.c',
      count: 2,
      size: 28,
      avgObjSize: 14,
      nindexes: 1,
    });
    expect(member.ok({ collStats: 'zzz' })).toMatchObject({ ns: 'app.zzz', count: 0, size: 0 });
  });
});
