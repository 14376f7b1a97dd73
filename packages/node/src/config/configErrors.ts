import { CommandError, type ErrorCodeName } from '@replsim/protocol';

/** Runs `check`; the error that it throws becomes one of this name, with the inner code's name at the end of the text. */
export function wrapErrors<T>(codeName: ErrorCodeName, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(codeName, `${error.message} (${error.codeName})`);
  }
}

/** A config that is wrong by itself. */
export function invalidConfig(reason: string): never {
  throw new CommandError('InvalidReplicaSetConfig', reason);
}
