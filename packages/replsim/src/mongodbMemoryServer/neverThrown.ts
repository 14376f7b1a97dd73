// Errors of mongodb-memory-server 11 that cannot occur here, because nothing is downloaded and no process is started. They exist, with
// their fields, for code that tests for them or creates one in a test. A set without a primary throws `NoPrimaryError` instead.
// Upstream: util/errors.ts.

export class UnknownLockfileStatusError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the lock file has an unknown status: ${status}`);
    this.name = 'UnknownLockfileStatusError';
    this.status = status;
  }
}

export class UnableToUnlockLockfileError extends Error {
  readonly thisInstance: boolean;
  readonly file: string;

  constructor(thisInstance: boolean, file: string) {
    super(`${file} is not locked by this ${thisInstance ? 'instance' : 'process'}`);
    this.name = 'UnableToUnlockLockfileError';
    this.thisInstance = thisInstance;
    this.file = file;
  }
}

export class UnknownPlatformError extends Error {
  readonly platform: string;

  constructor(platform: string) {
    super(`unknown platform: ${platform}`);
    this.name = 'UnknownPlatformError';
    this.platform = platform;
  }
}

export class UnknownArchitectureError extends Error {
  readonly arch: string;
  readonly platform: string | undefined;

  constructor(arch: string, platform?: string) {
    super(`unknown architecture: ${arch}${platform ? ` of ${platform}` : ''}`);
    this.name = 'UnknownArchitectureError';
    this.arch = arch;
    this.platform = platform;
  }
}

export class WaitForPrimaryTimeoutError extends Error {
  readonly timeout: number;
  readonly where: string | undefined;

  constructor(timeout: number, where?: string) {
    super(`no primary after ${timeout} ms${where ? ` (${where})` : ''}`);
    this.name = 'WaitForPrimaryTimeoutError';
    this.timeout = timeout;
    this.where = where;
  }
}

export class Md5CheckFailedError extends Error {
  readonly binarymd5: string;
  readonly checkfilemd5: string;

  constructor(binarymd5: string, checkfilemd5: string) {
    super(`the MD5 is ${binarymd5}, and should be ${checkfilemd5}`);
    this.name = 'Md5CheckFailedError';
    this.binarymd5 = binarymd5;
    this.checkfilemd5 = checkfilemd5;
  }
}

export class StartBinaryFailedError extends Error {
  readonly binary: string;

  constructor(binary: string) {
    super(`${binary} could not be started`);
    this.name = 'StartBinaryFailedError';
    this.binary = binary;
  }
}

export class KeyFileMissingError extends Error {
  constructor() {
    super('keyfileLocation is missing');
    this.name = 'KeyFileMissingError';
  }
}

export class InsufficientPermissionsError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} may not be executed`);
    this.name = 'InsufficientPermissionsError';
    this.path = path;
  }
}

export class BinaryNotFoundError extends Error {
  readonly path: string;
  readonly extra: string;

  constructor(path: string, extra = '') {
    super(`there is no mongod at ${path}${extra}`);
    this.name = 'BinaryNotFoundError';
    this.path = path;
    this.extra = extra;
  }
}

export class AssertionFallbackError extends Error {
  constructor() {
    super('an assertion has failed');
    this.name = 'AssertionFallbackError';
  }
}

export class ParseArchiveRegexError extends Error {
  readonly key: string;

  constructor(key: string) {
    super(`${key} was not found in the name of the archive`);
    this.name = 'ParseArchiveRegexError';
    this.key = key;
  }
}

export class NoRegexMatchError extends Error {
  readonly extra: string | undefined;

  constructor(name: string, extra?: string) {
    super(`${name} does not match${extra ? ` (${extra})` : ''}`);
    this.name = name;
    this.extra = extra;
  }
}

export class KnownVersionIncompatibilityError extends Error {
  readonly dist: string;
  readonly requested_version: string;
  readonly available_versions: string;
  readonly extra: string | undefined;

  constructor(dist: string, requested_version: string, available_versions: string, extra?: string) {
    super(`there is no ${requested_version} for ${dist}, but ${available_versions}${extra ? ` (${extra})` : ''}`);
    this.name = 'KnownVersionIncompatibilityError';
    this.dist = dist;
    this.requested_version = requested_version;
    this.available_versions = available_versions;
    this.extra = extra;
  }
}

export class DownloadError extends Error {
  readonly url: string;
  readonly msg: string;
  readonly code: string | undefined;
  maxRetries?: number;
  attempts?: number;

  constructor(url: string, msg: string, code?: string) {
    super(`${url} could not be downloaded: ${msg}`);
    this.name = 'DownloadError';
    this.url = url;
    this.msg = msg;
    this.code = code;
  }
}

export class UnknownLinuxDistro extends Error {
  readonly distro: string;
  readonly id_like: string[];

  constructor(distro: string, id_like: string[]) {
    super(`unknown Linux: ${distro}, which is like ${id_like.join(', ')}`);
    this.name = 'UnknownLinuxDistro';
    this.distro = distro;
    this.id_like = id_like;
  }
}
