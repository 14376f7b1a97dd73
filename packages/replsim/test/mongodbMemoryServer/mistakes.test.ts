import { describe, expect, test } from 'vitest';
import { InvalidOptions } from '../../src/index.ts';
import { MongoMemoryReplSet, MongoMemoryServer } from '../../src/mongodb-memory-server.ts';

// What `ReplicaSet.start` refuses is said to whoever knows nothing of it.
describe('a mistake is told under the name under which it was made', () => {
  test.for<[opts: object, message: string]>([
    [{ instance: { ip: '0.0.0.0' } }, 'instance.ip: cannot listen on 0.0.0.0'],
    [{ instance: { dbPath: import.meta.filename } }, `instance.dbPath: ${import.meta.filename} is a file`],
    [{ instance: { port: 70_000 } }, 'instance.port: expected a port, 0 to 65535'],
    [{ instance: { replSet: 5 } }, 'instance.replSet: expected text'],
    [{ instance: { args: ['--setParameter', 'nonsense=1'] } }, 'instance.args: no parameter is called "nonsense"'],
    [{ instance: { args: ['--auth'] } }, 'instance.args: cannot use --auth'],
    [{ instance: { args: '--quiet' } }, 'instance.args: expected a list of arguments'],
  ])('MongoMemoryServer %j', async ([opts, message]) => {
    const starting = MongoMemoryServer.create(opts);
    await expect(starting).rejects.toThrow(InvalidOptions);
    await expect(starting).rejects.toThrow(`MongoMemoryServer: ${message}`);
  });

  test.for<[opts: object, message: string]>([
    [{ replSet: { ip: '0.0.0.0' } }, 'replSet.ip: cannot listen on 0.0.0.0'],
    [{ replSet: { name: '' } }, 'replSet.name: a set has a name, such as rs0'],
    [{ replSet: { count: 8 } }, 'replSet.count: a replica set has at most 7 voting members'],
    [{ replSet: { count: 1.5 } }, 'replSet.count: expected a whole number'],
    [{ replSet: { configSettings: 5 } }, 'replSet.configSettings: expected an object'],
    [
      { replSet: { configSettings: { electionTimeout: 5 } } },
      'replSet.configSettings.electionTimeout: unknown key "electionTimeout" in settings; did you mean "electionTimeoutMillis"?',
    ],
    [{ replSet: { args: ['--setParameter', 'nonsense=1'] } }, 'args: no parameter is called "nonsense"'],
    [{ instanceOpts: [{ args: ['--auth'] }] }, 'instanceOpts.0.args: cannot use --auth'],
    [{ instanceOpts: [{}, { port: 70_000 }] }, 'instanceOpts.1.port: expected a port, 0 to 65535'],
    [{ instanceOpts: [{ dbPath: import.meta.filename }] }, `instanceOpts.0.dbPath: ${import.meta.filename} is a file`],
    [{ instanceOpts: [{ replicaMemberConfig: 5 }] }, 'instanceOpts.0.replicaMemberConfig: expected an object'],
    [
      { instanceOpts: [{ replicaMemberConfig: { prioritty: 5 } }] },
      'instanceOpts.replicaMemberConfig.prioritty: unknown key "prioritty" in a member; did you mean "priority"?',
    ],
  ])('MongoMemoryReplSet %j', async ([opts, message]) => {
    const starting = MongoMemoryReplSet.create(opts);
    await expect(starting).rejects.toThrow(InvalidOptions);
    await expect(starting).rejects.toThrow(`MongoMemoryReplSet: ${message}`);
  });
});
