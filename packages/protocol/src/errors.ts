import { codeNameOf, type ErrorCodeName, ErrorCodes } from './errorCodes.ts';

/** The failure of a command. Drivers receive it as `{ ok: 0, errmsg, code, codeName }`. */
export class CommandError extends Error {
  /** MongoDB's error code. */
  readonly code: number;
  /** Other top-level fields of the reply, for example `keyPattern` and `keyValue` of a duplicate key error. */
  readonly extra: Readonly<Record<string, unknown>>;

  /** @param code the name of an error code, or the number of one that MongoDB has not named */
  constructor(code: ErrorCodeName | number, errmsg: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(errmsg);
    this.name = 'CommandError';
    this.code = typeof code === 'number' ? code : ErrorCodes[code];
    this.extra = extra;
  }

  /** MongoDB's name for the code, or `Location` and the number if it has none. */
  get codeName(): string {
    return codeNameOf(this.code);
  }
}

/** A bug in replsim. It stops the run; the program exits with code 3 and reports the seed that repeats the run. */
export class InvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantError';
  }
}

/** Throws InvariantError unless `condition` holds. For conditions that only a bug in replsim can break. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Returns a value that only a bug in replsim can leave undefined. Otherwise InvariantError says that there is no `what`. */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new InvariantError(`there is no ${what}`);
  return value;
}
