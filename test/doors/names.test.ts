import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServedSet } from '@replsim/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../packages/cli/src/main.ts';
import { testIo } from '../../packages/cli/test/io.ts';
import { COMMAND_NAMES } from '../../packages/database/test/onSets/commandShapes.ts';
import { RawClient } from '../../packages/server/test/doors/rawClient.ts';

// What every JavaScript object has by inheritance is a name like any other here: of fields, collections, databases, indexes, members, sessions, users
// and roles, whichever door it comes through.

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const;
/** What a runtime says of its own mistakes; no client and no user sees such words. */
const INTERNAL =
  /is not (a function|iterable|an object)|Cannot (read|set|convert|access)|undefined|\[object|native code|RangeError|TypeError/;

/** A document with this one field of its own. */
const own = (name: string, value: unknown) => Object.fromEntries([[name, value]]);

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into without telling each type
type Reply = Record<string, any>;

describe('over the wire', () => {
  let served: ServedSet;
  let client: RawClient;
  beforeAll(async () => {
    served = await ServedSet.start({ members: 1 });
    client = await RawClient.connect(served.set.hostOf('n1'));
  });
  afterAll(async () => {
    client.socket.destroy();
    await served.stop();
  });

  const ask = (command: object, db = 'app'): Promise<Reply> => client.ask({ ...command, $db: db });
  async function ok(command: object, db?: string): Promise<Reply> {
    const reply = await ask(command, db);
    expect(reply, JSON.stringify(command)).toMatchObject({ ok: 1 });
    expect(reply.writeErrors).toBeUndefined();
    return reply;
  }

  test.for(NAMES)('%s names a database, a collection, an index and a field', async (name) => {
    await ok(
      {
        insert: name,
        documents: [
          { _id: 1, ...own('x', 1) },
          Object.fromEntries([
            ['_id', 2],
            [name, 7],
          ]),
        ],
      },
      name,
    );
    await ok({ createIndexes: name, indexes: [{ key: own(name, 1), name }] }, name);
    const found = await ok({ find: name, filter: own(name, 7), hint: name }, name);
    expect(found.cursor.firstBatch).toEqual([
      Object.fromEntries([
        ['_id', 2],
        [name, 7],
      ]),
    ]);
    expect(found.cursor.ns).toBe(`${name}.${name}`);
    const update = { q: { _id: 1 }, u: { $set: own(name, 8) } };
    expect(await ok({ update: name, updates: [update] }, name)).toMatchObject({ n: 1, nModified: 1 });
    const group = {
      $group: Object.fromEntries<unknown>([
        ['_id', `$${name}`],
        [name, { $sum: 1 }],
      ]),
    };
    const grouped = await ok({ aggregate: name, pipeline: [group, { $sort: { _id: 1 } }], cursor: {} }, name);
    expect(grouped.cursor.firstBatch).toEqual(
      [7, 8].map((_id) =>
        Object.fromEntries([
          ['_id', _id],
          [name, 1],
        ]),
      ),
    );
    expect((await ok({ distinct: name, key: name }, name)).values.sort()).toEqual([7, 8]);
    const indexes = (await ok({ listIndexes: name }, name)).cursor.firstBatch;
    expect(indexes.map((index: Reply) => index.name)).toEqual(['_id_', name]);
    const collections = (await ok({ listCollections: 1 }, name)).cursor.firstBatch;
    expect(collections.map((each: Reply) => each.name)).toEqual([name]);
    const { databases } = await ok({ listDatabases: 1 }, 'admin');
    expect(databases.map((each: Reply) => each.name)).toContain(name);
    expect(Object.keys((await ok({ dbHash: 1 }, name)).collections)).toEqual([name]);
    await ok({ dropDatabase: 1 }, name);
    // Nothing of it has reached the objects of the process.
    expect(({} as Reply).x ?? ({} as Reply).n).toBeUndefined();
  });

  test.for(NAMES)('%s names a user, a role and an application', async (name) => {
    await ok({ createRole: name, privileges: [], roles: [] });
    await ok({ createUser: name, pwd: 'secret', roles: [name] });
    const { users } = await ok({ usersInfo: name });
    expect(users).toMatchObject([{ user: name, roles: [{ role: name, db: 'app' }] }]);
    expect((await ok({ rolesInfo: name })).roles).toMatchObject([{ role: name }]);
    await ok({ dropUser: name });
    await ok({ dropRole: name });
    const own = await RawClient.connect(served.set.hostOf('n1'));
    const metadata = { application: { name }, driver: { name, version: '1' }, os: { type: name } };
    expect(await own.ask({ hello: 1, client: metadata, $db: 'admin' })).toMatchObject({ ok: 1 });
    const { inprog } = await own.ask({ currentOp: 1, $ownOps: true, $db: 'admin' });
    expect(inprog.map((op: Reply) => op.appName)).toContain(name);
    own.socket.destroy();
  });

  test.for(NAMES)('%s is no command, parameter, fail point, operator, stage, mode or section', async (name) => {
    const code = async (command: object, db?: string) => {
      const reply = await ask(command, db);
      expect(String(reply.errmsg ?? ''), JSON.stringify(command)).not.toMatch(INTERNAL);
      return reply.code ?? reply.writeConcernError?.code;
    };
    await ok({ insert: 'c', documents: [{ _id: name }] });
    expect(await code(own(name, 1))).toBe(59);
    expect(await code({ setParameter: 1, ...own(name, 1) }, 'admin')).toBe(72);
    expect(await code({ getParameter: 1, ...own(name, 1) }, 'admin')).toBe(72);
    expect(await code({ configureFailPoint: name, mode: 'alwaysOn' }, 'admin')).toBe(266);
    expect(await code({ find: 'c', filter: { x: own(`$${name}`, 1) } })).toBe(2);
    // There is an operator `$toString`.
    if (name !== 'toString') expect(await code({ find: 'c', filter: { $expr: own(`$${name}`, 1) } })).toBe(168);
    expect(await code({ aggregate: 'c', pipeline: [own(`$${name}`, 1)], cursor: {} })).toBe(40324);
    expect(await code({ aggregate: 'c', pipeline: [{ $group: { _id: 1, n: own(`$${name}`, 1) } }], cursor: {} })).toBe(
      15952,
    );
    expect(await code({ insert: 'c', documents: [{}], writeConcern: { w: name } })).toBe(79);
    expect(await code({ insert: 'c', documents: [{}], collation: { locale: name } })).toBe(40415);
    expect(await code({ find: 'c', collation: { locale: name } })).toBe(2);
    expect(await code({ find: 'c', readConcern: { level: name } })).toBe(9);
    expect(await code({ createUser: 'u', pwd: 'p', roles: [name] })).toBe(31);
    const status = await ok({ serverStatus: 1, ...own(name, 1) }, 'admin');
    expect(Object.hasOwn(status, name)).toBe(false);
  });

  test.for(NAMES)('%s in any field of any command is answered in mongod’s words', async (name) => {
    const names = COMMAND_NAMES.filter(
      (each) => !['shutdown', 'fsync', 'replSetFreeze', 'replSetStepDown'].includes(each),
    );
    expect(names.length).toBeGreaterThan(50);
    for (const command of names)
      for (const value of [name, own(name, 1), [own(name, name)]])
        for (const more of [{}, own(name, value), { filter: own(name, value), q: value }]) {
          const reply = await ask({ ...own(command, value), ...more, maxTimeMS: 100 }, 'admin');
          const text = JSON.stringify([command, value, more, reply.errmsg]);
          expect([0, 1], text).toContain(reply.ok);
          expect(String(reply.errmsg ?? ''), text).not.toMatch(INTERNAL);
          expect(reply.code, text).not.toBe(1);
        }
    expect(await ask({ ping: 1 })).toMatchObject({ ok: 1 });
  });
});

describe('in files', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'replsim-names-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function said(...words: readonly string[]) {
    const io = testIo();
    const code = await main(words, io);
    return { code, out: io.stdout, err: io.stderr };
  }

  /** @param member a member's name, which must be one that a host may have */
  const scenario = (name: string, member: string) => `
name: ${name}
replicaSet: { name: ${name}, members: [${member}, n2, n3] }
begin: with a primary
steps:
  - note: ${name}
  - insert: { into: ${name}.${name}, documents: [{ _id: 1, ${name}: 7 }], session: ${name} }
  - createIndex: { in: ${name}.${name}, keys: { ${name}: 1 }, options: { name: ${name} } }
  - let: { ${name}: { on: primary, db: ${name}, command: { count: ${name} }, path: n } }
  - find: { in: ${name}.${name}, filter: { ${name}: 7 }, session: ${name}, is: [{ _id: 1, ${name}: 7 }] }
  - run: { on: primary, db: ${name}, command: { count: ${name} }, matches: { n: $${name} } }
  - run: { on: primary, db: admin, command: { ${name}: 1 }, error: CommandNotFound }
  - workload: { name: ${name}, every: 100ms, insert: { into: app.w, document: { ${name}: $i } } }
  - kill: ${member}
  - advance: 1s
  - start: ${member}
  - eventually: { within: 60s, on: primary, count: ${name}.${name}, is: 1 }
`;
  const REPORTERS = ['pretty', 'json', 'junit', 'tap', 'html'];

  test.for(NAMES)('%s in a scenario: it runs, and every report says it', async (name) => {
    const file = join(folder, 'a.yaml');
    const member = name === '__proto__' ? 'proto' : name;
    writeFileSync(file, scenario(name, member));
    const trace = join(folder, 'trace');
    const reports = REPORTERS.flatMap((each) => ['--reporter', each, '--output', join(folder, each)]);
    const { code, err } = await said('run', file, '--trace', trace, ...reports);
    expect([code, err]).toEqual([0, '']);
    for (const each of REPORTERS) {
      const text = readFileSync(join(folder, each), 'utf8');
      expect(text, each).toContain(name);
      expect(text, each).not.toMatch(/\[object|native code/);
    }
    expect(readFileSync(trace, 'utf8')).toContain(name);
    for (const words of [
      ['check', file],
      ['list', file],
      ['why', file, 'primary'],
      ['why', file, 'state', member],
      ['why', file, 'data', `${name}.${name}`],
      ['diff', trace, trace],
    ]) {
      const { code, out, err } = await said(...words);
      expect([words.join(' '), code, err.match(INTERNAL)]).toEqual([words.join(' '), 0, null]);
      expect(out).not.toMatch(/\[object|native code/);
    }
  });

  test.for(NAMES)('%s where a word of the language belongs is a mistake with its place', async (name) => {
    const texts = [
      `name: a\n${name}: 1\nsteps: [{ advance: 1s }]\n`,
      `name: a\nsteps:\n  - ${name}: 1s\n`,
      `name: a\nsteps:\n  - ${name}\n`,
      `name: a\nsteps:\n  - kill: ${name}\n`,
      `name: a\nsteps:\n  - expect: { ${name}: 1 }\n`,
      `name: a\nsteps:\n  - expect: { state: { ${name}: PRIMARY } }\n`,
      `name: a\nsteps:\n  - insert: { into: app.c, documents: [{}], ${name}: 1 }\n`,
      `name: a\nreplicaSet: { members: 3, ${name}: 1 }\nsteps: [{ advance: 1s }]\n`,
      `name: a\nreplicaSet: { members: 3, settings: { ${name}: 1 } }\nsteps: [{ advance: 1s }]\n`,
      `name: a\nparameters: { ${name}: 1 }\nsteps: [{ advance: 1s }]\n`,
      `name: a\nsteps:\n  - hold: { on: n1, part: ${name} }\n`,
    ];
    for (const text of texts) {
      const file = join(folder, 'a.yaml');
      writeFileSync(file, text);
      const { code, out, err } = await said('check', file);
      expect(code, text + out + err).toBe(2);
      expect(out + err, text).toMatch(/a\.yaml:\d+/);
      expect(out + err, text).not.toMatch(/\[object|native code|is not a function/);
    }
  });

  test.for(NAMES)('%s in a config and in logs that are imported', async (name) => {
    const host = name === '__proto__' ? 'proto' : name;
    const members = [host, 'b', 'c'].map((each, _id) => ({ _id, host: `${each}:27017`, tags: own(name, name) }));
    const conf = join(folder, 'conf.json');
    const config = {
      _id: name,
      version: 1,
      term: 1,
      members,
      settings: { getLastErrorModes: own(name, own(name, 1)) },
    };
    writeFileSync(conf, JSON.stringify(config));
    const line = (s: string, id: number, msg: string, attr: object) =>
      JSON.stringify({ t: { $date: `2025-01-01T00:00:0${s}.000+00:00` }, s: 'I', c: name, id, ctx: name, msg, attr });
    mkdirSync(join(folder, 'logs'));
    writeFileSync(
      join(folder, 'logs', `${host}.log`),
      [
        line('1', 21392, 'New replica set config in use', { config }),
        line('2', 21358, 'Replica set state transition', { newState: name, oldState: 'STARTUP' }),
        line('3', 1, name, own(name, own(name, 1))),
        '{"t":{"$date":"2025-01-01T00:00:04Z"},"__proto__":{"msg":"x"},"constructor":{"prototype":{"polluted":1}}}',
      ].join('\n'),
    );
    for (const words of [
      ['import', conf],
      ['import', conf, '--logs', join(folder, 'logs')],
      ['import', join(folder, 'logs')],
    ]) {
      const { code, out, err } = await said(...words);
      expect([0, 1, 2], words.join(' ') + err).toContain(code);
      expect(out + err).not.toMatch(/\[object|native code|is not a function|Cannot read/);
    }
    expect(({} as Reply).polluted).toBeUndefined();
    expect(({} as Reply).msg).toBeUndefined();
  });
});
