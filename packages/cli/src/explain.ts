import { CommanderError } from 'commander';
import { AlreadyTold, diskFailure, ExitCodes, InputError, type Io, isReaderGone } from './io.ts';

/** Says what went wrong, as whoever typed the command can use it. @returns the exit code */
export function explain(error: unknown, io: Pick<Io, 'err'>): number {
  // Commander has said what it has to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCodes.ok : ExitCodes.badInput;
  if (error instanceof InputError) {
    io.err(`${error.message}\n`);
    return ExitCodes.badInput;
  }
  if (error instanceof AlreadyTold) return error.code;
  // Not an error: `| head` has read enough.
  if (isReaderGone(error)) return ExitCodes.ok;
  const failure = diskFailure(error);
  if (failure !== undefined) {
    io.err(`${failure.message}\n`);
    return ExitCodes.disk;
  }
  io.err(`${error instanceof Error ? error.stack : String(error)}\n`);
  return ExitCodes.bug;
}
