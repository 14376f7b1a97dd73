import { decodeDocument, encodeDocument } from '@replsim/protocol';
import type { ReplicaSetApi } from './replicaSetApi.ts';

const STATUS = encodeDocument({ replSetGetStatus: 1, $db: 'admin' });
const SETTLED_STATES = ['PRIMARY', 'SECONDARY', 'ARBITER'];

type Looked = Pick<ReplicaSetApi, 'ask' | 'status' | 'memberNames'>;

/**
 * Why a rolling restart cannot go on to the next member yet; undefined if it can: the set has a primary, and this member is one of
 * its secondaries, has applied what the primary knew to be committed, or leads itself.
 */
export function unsettled(set: Looked, member: string): string | undefined {
  const { running, paused, mode } = set.status(member);
  if (!running || paused) return `${member} ${running ? 'is paused' : 'is not running'}`;
  // It belongs to no set, and waits for none.
  if (mode === 'standalone') return undefined;
  const primary = set.memberNames.find((name) => set.status(name).saysPrimary);
  if (primary === undefined) return 'the set has no primary';
  const status = statusOf(set, member);
  const state = status.myState === undefined ? 'not in the set yet' : stateName(status);
  if (!SETTLED_STATES.includes(state)) return `${member} is ${state}`;
  if (state !== 'SECONDARY') return undefined;
  const { lastCommittedOpTime } = statusOf(set, primary).optimes ?? {};
  const { appliedOpTime } = status.optimes ?? {};
  if (!lastCommittedOpTime || !appliedOpTime) return `${member} has applied nothing yet`;
  return isBefore(appliedOpTime.ts, lastCommittedOpTime.ts) ? `${member} has not caught up with ${primary}` : undefined;
}

interface Time {
  readonly ts: { readonly t: number; readonly i: number };
}
interface Status {
  readonly myState?: number;
  readonly members?: readonly { readonly self?: boolean; readonly stateStr: string }[];
  readonly optimes?: { readonly lastCommittedOpTime?: Time; readonly appliedOpTime?: Time };
}

function statusOf(set: Looked, member: string): Status {
  return decodeDocument(set.ask(member, STATUS)) as Status;
}

function stateName({ members }: Status): string {
  return members?.find(({ self }) => self)?.stateStr ?? 'not in the set yet';
}

function isBefore(one: Time['ts'], other: Time['ts']): boolean {
  return one.t !== other.t ? one.t < other.t : one.i < other.i;
}
