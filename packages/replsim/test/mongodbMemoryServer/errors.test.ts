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
    'MongoMemoryServer.getUri requires the state running or starting, but the state is new',
  );
  expect(() => server.replicaSet).toThrow('MongoMemoryServer.replicaSet requires the state');
  await expect(server.cleanup()).rejects.toThrow('MongoMemoryServer.cleanup requires the state stopped');
  expect(() => replSet.getUri()).toThrow(
    'MongoMemoryReplSet.getUri requires the state running or init, but the state is stopped',
  );
  await expect(replSet.waitUntilRunning()).rejects.toThrow('MongoMemoryReplSet.waitUntilRunning requires the state');
});
