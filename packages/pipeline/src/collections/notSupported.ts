import { CommandError } from '@replsim/protocol';

/** CommandNotSupported 115: what a mongod has and this program has not. */
export function notSupported(what: string): CommandError {
  return new CommandError('CommandNotSupported', `${what} is not supported by replsim yet`);
}
