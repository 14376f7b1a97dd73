// Those of mongodb-memory-server 11 that can come about without a download and without a process. Upstream: util/errors.ts.

/** A method was called in a state in which it makes no sense. */
export class StateError extends Error {
  readonly wantedStates: string[];
  readonly gotState: string;

  constructor(wantedStates: string[], gotState: string) {
    super(`it is ${gotState}, and this can be done only while it is ${wantedStates.join(' or ')}`);
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
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StdoutInstanceError';
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
