import { expect, test } from 'vitest';
import { errors, MongoMemoryReplSet, MongoMemoryServer } from '../../src/mongodb-memory-server.ts';

/** What `errors` of mongodb-memory-server-core 10.4.3 and 11.3.0 has, both. */
const THEIRS = [
  'AssertionFallbackError',
  'AuthNotObjectError',
  'BinaryNotFoundError',
  'DownloadError',
  'GenericMMSError',
  'InstanceInfoError',
  'InsufficientPermissionsError',
  'KeyFileMissingError',
  'KnownVersionIncompatibilityError',
  'Md5CheckFailedError',
  'NoRegexMatchError',
  'ParseArchiveRegexError',
  'ReplsetCountLowError',
  'StartBinaryFailedError',
  'StateError',
  'StdoutInstanceError',
  'UnableToUnlockLockfileError',
  'UnexpectedCloseError',
  'UnknownArchitectureError',
  'UnknownLinuxDistro',
  'UnknownLockfileStatusError',
  'UnknownPlatformError',
  'UnknownVersionError',
  'WaitForPrimaryTimeoutError',
];

test('any error can be asked whether it is one of theirs', () => {
  expect(Object.keys(errors).sort()).toEqual(THEIRS);
  for (const each of Object.values(errors)) {
    expect(each.prototype).toBeInstanceOf(Error);
    expect(new Error('another') instanceof each).toBe(false);
  }
});

test('those that are never thrown have their fields', () => {
  expect(new errors.DownloadError('https://x', 'gone', 'Status: 404')).toMatchObject({
    name: 'DownloadError',
    message: 'https://x could not be downloaded: gone',
    url: 'https://x',
    msg: 'gone',
    code: 'Status: 404',
  });
  expect(new errors.StartBinaryFailedError('/mongod')).toMatchObject({ binary: '/mongod' });
});

test('a state that does not fit names the method', async () => {
  const server = new MongoMemoryServer();
  const replSet = new MongoMemoryReplSet();
  expect(() => server.getUri()).toThrow(
    'MongoMemoryServer.getUri can be done only while it is running or starting, and it is new',
  );
  expect(() => server.replicaSet).toThrow('MongoMemoryServer.replicaSet can be done only while');
  await expect(server.cleanup()).rejects.toThrow('MongoMemoryServer.cleanup can be done only while it is stopped');
  expect(() => replSet.getUri()).toThrow(
    'MongoMemoryReplSet.getUri can be done only while it is running or init, and it is stopped',
  );
  await expect(replSet.waitUntilRunning()).rejects.toThrow(
    'MongoMemoryReplSet.waitUntilRunning can be done only while',
  );
});
