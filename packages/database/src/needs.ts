import type { Asker, Needed } from '@replsim/access';
import type { OpenConnection } from '@replsim/operations';
import type { CommandArguments } from '@replsim/pipeline';
import type { MemberServices } from './member.ts';

/** A client that wants to run a command, where access control is on. */
export interface Asking extends Asker {
  readonly member: MemberServices;
  readonly connection: OpenConnection;
  /** What another command needs, as the one that is explained. */
  needsOf(args: CommandArguments): readonly Needed[];
}

/**
 * All that a command needs, by its arguments. It reads them as the command does, and throws the same errors for those that make no
 * sense; whoever gets that far has logged in. Upstream: Command::doCheckAuthorization.
 */
export type NeedsOf = (asking: Asking) => readonly Needed[];
