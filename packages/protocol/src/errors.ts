import { codeNameOf, type ErrorCodeName, ErrorCodes } from './errorCodes.ts';

/** A command's failure, which the driver receives as `{ ok: 0, errmsg, code, codeName }`. */
export class CommandError extends Error {
  readonly code: number;
  /** Further top-level fields of the reply, such as `keyPattern` and `keyValue` of a duplicate key. */
  readonly extra: Readonly<Record<string, unknown>>;

  /** @param code a registered name, or the bare number of an assertion that upstream never named */
  constructor(code: ErrorCodeName | number, errmsg: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(errmsg);
    this.name = 'CommandError';
    this.code = typeof code === 'number' ? code : ErrorCodes[code];
    this.extra = extra;
  }

  /** MongoDB's name for the code; `Location` and the number for one without. */
  get codeName(): string {
    return codeNameOf(this.code);
  }
}

/** Our own bug: it stops the run, and the program exits with 3 and the seed that repeats it. */
export class InvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantError';
  }
}

/** Throws InvariantError unless `condition` holds; for what only a bug of ours can break. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** A value that only a bug of ours can leave out: InvariantError says that there is no `what`. */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new InvariantError(`there is no ${what}`);
  return value;
}
