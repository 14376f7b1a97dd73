import { decodePromoted, ErrorCodes, encodeDocument } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';

const HELLO = encodeDocument({ hello: 1, $db: 'admin' });

/** Whether a process that is to end tells its clients to look elsewhere; from then on it ends by itself. */
export function isQuiescing(set: ReplSet, member: string): boolean {
  const { running, paused } = set.status(member);
  return running && !paused && decodePromoted(set.ask(member, HELLO)).code === ErrorCodes.ShutdownInProgress;
}
