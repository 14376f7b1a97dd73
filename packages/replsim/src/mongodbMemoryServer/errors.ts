// All that mongodb-memory-server 11 exports, so that `error instanceof errors.X` can be asked. Upstream: util/errors.ts.
// Those of downloads, platforms and processes are never thrown here: `neverThrown.ts`.

export * from './neverThrown.ts';

/** A method was called in a state in which it makes no sense. */
export class StateError extends Error {
  readonly wantedStates: string[];
  readonly gotState: string;

  /** @param where the method: `MongoMemoryServer.getUri` */
  constructor(wantedStates: string[], gotState: string, where = 'this') {
    super(`${where} can be done only while it is ${wantedStates.join(' or ')}, and it is ${gotState}`);
    this.name = 'StateError';
    this.wantedStates = wantedStates;
    this.gotState = gotState;
  }
}

/** There is no `instanceInfo` where one is needed. */
export class InstanceInfoError extends Error {
  readonly where: string;

  constructor(where: string) {
    super(`${where} needs instanceInfo, and there is none: a server has it from its start until its cleanup`);
    this.name = 'InstanceInfoError';
    this.where = where;
  }
}

/** A mongod would have said this and ended. */
export class StdoutInstanceError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'StdoutInstanceError';
  }
}

/** A member has ended, and nobody had asked it to: with `instanceError`. */
export class UnexpectedCloseError extends Error {
  constructor(code: number | null, signal: string | null) {
    super(`the member ended as a mongod ends with code ${code} and signal ${signal}`);
    this.name = 'UnexpectedCloseError';
  }
}

export class ReplsetCountLowError extends Error {
  readonly count: number;

  constructor(count: number) {
    super(`replSet.count: a set has 1 member or more, not ${count}`);
    this.name = 'ReplsetCountLowError';
    this.count = count;
  }
}

export class AuthNotObjectError extends Error {
  constructor() {
    super('auth: expected an object, as { enable: false }');
    this.name = 'AuthNotObjectError';
  }
}

/** A version of which no number can be made. */
export class UnknownVersionError extends Error {
  readonly version: string;

  constructor(version: string) {
    super(`"${version}" is no version: write one as 8.0.4, or latest`);
    this.name = 'UnknownVersionError';
    this.version = version;
  }
}

/** What has no name of its own; here: what replsim has not. */
export class GenericMMSError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GenericMMSError';
  }
}
