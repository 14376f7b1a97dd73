// Every error class that mongodb-memory-server 11 exports, so that `error instanceof errors.X` works. Upstream: util/errors.ts.
// Those in `neverThrown.ts`, about downloads, platforms and processes, are never thrown here.

export * from './neverThrown.ts';

/** Thrown if a method is called in a state that does not allow it. */
export class StateError extends Error {
  readonly wantedStates: string[];
  readonly gotState: string;

  /** @param where the method: `MongoMemoryServer.getUri` */
  constructor(wantedStates: string[], gotState: string, where = 'this') {
    super(`${where} requires the state ${wantedStates.join(' or ')}, but the state is ${gotState}`);
    this.name = 'StateError';
    this.wantedStates = wantedStates;
    this.gotState = gotState;
  }
}

/** Thrown if a method needs `instanceInfo` and there is none. */
export class InstanceInfoError extends Error {
  readonly where: string;

  constructor(where: string) {
    super(`${where} needs instanceInfo, but there is none: a server has it from its start until its cleanup`);
    this.name = 'InstanceInfoError';
    this.where = where;
  }
}

/** Thrown where a mongod would print an error and exit, for example because its port is in use. */
export class StdoutInstanceError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'StdoutInstanceError';
  }
}

/** Emitted with `instanceError` if a member ends unexpectedly. */
export class UnexpectedCloseError extends Error {
  constructor(code: number | null, signal: string | null) {
    super(`the member ended as a mongod ends with code ${code} and signal ${signal}`);
    this.name = 'UnexpectedCloseError';
  }
}

/** Thrown if `replSet.count` is less than 1. */
export class ReplsetCountLowError extends Error {
  readonly count: number;

  constructor(count: number) {
    super(`replSet.count: a set needs at least 1 member, not ${count}`);
    this.name = 'ReplsetCountLowError';
    this.count = count;
  }
}

/** Thrown if `auth` is not an object. */
export class AuthNotObjectError extends Error {
  constructor() {
    super('auth: expected an object such as { enable: false }');
    this.name = 'AuthNotObjectError';
  }
}

/** Thrown if a version contains no number. */
export class UnknownVersionError extends Error {
  readonly version: string;

  constructor(version: string) {
    super(`"${version}" is not a version: write one such as 8.0.4, or latest`);
    this.name = 'UnknownVersionError';
    this.version = version;
  }
}

/** Thrown for errors without a class of their own. In replsim: for features of mongodb-memory-server that it does not support. */
export class GenericMMSError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GenericMMSError';
  }
}
