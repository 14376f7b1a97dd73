import { DEFAULT_SETTINGS } from '@replsim/protocol';
import { memberSpecs, type ServeOptions } from './serveOptions.ts';

/** By how much a member stands for election later than its timeout, at most. Upstream: electionTimeoutOffsetLimitFraction. */
const LATEST_OFFSET = 0.15;
/** What heartbeats and votes take besides. Unit: ms. */
const ELECTION_MS = 100;
/** Of a set that takes longer to elect somebody nobody waits until it has. Unit: ms. */
const LONGEST_MS = 120_000;

/**
 * How long before the wall clock's now a set begins, so that its clocks show that when it has its first primary. Nobody can stand
 * before an election timeout is over, so a set of several members begins that much in the past. Unit: ms.
 */
export function beforeNowMs(options: ServeOptions): number {
  const members = memberSpecs(options).filter(({ spare, standalone }) => !spare && !standalone);
  // A member that is alone elects itself at once; who waits for somebody to initiate the set waits for no election.
  if (options.initiate === false || members.length < 2) return 0;
  const { electionTimeoutMillis } = { ...DEFAULT_SETTINGS, ...options.settings };
  const electionMs = Math.ceil(electionTimeoutMillis * (1 + LATEST_OFFSET)) + ELECTION_MS;
  return electionMs > LONGEST_MS ? 0 : electionMs;
}
