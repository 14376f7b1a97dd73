import { compareOpTimes, isNullOpTime, type OpTime, UNINITIALIZED_TERM } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import type { SavedMember } from './savedSet.ts';

/** A member whose data under `dbpath` has lost writes since the last run. */
export interface Loss {
  readonly member: string;
  /** How far its journal reached when this was last saved. */
  readonly had: OpTime;
  /** How far its journal reaches now; undefined if it is empty. */
  readonly has: OpTime | undefined;
}

/**
 * Thrown if a set had data under `dbpath` and all of it, or what a majority had last, is gone. The option `acceptEmpty` lets the set
 * start without.
 */
export class DataGoneError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DataGoneError';
  }
}

/** The members that start with less than was saved. Standalones are skipped, because they do not use their oplog. */
export function lossesSince(members: readonly SavedMember[], set: ReplSet): Loss[] {
  return members.flatMap(({ name, durable: had }) => {
    if (had === undefined || !set.memberNames.includes(name)) return [];
    const has = set.durable(name);
    if (has === undefined || compareOpTimes(has, had) >= 0) return [];
    return [{ member: name, had, has: isNullOpTime(has) ? undefined : has }];
  });
}

/** @throws DataGoneError if every member that had data has lost it, so that none is left to copy from */
export function refuseIfAllIsGone(dbpath: string, members: readonly SavedMember[], losses: readonly Loss[]): void {
  const holders = members.filter(({ durable }) => durable !== undefined);
  const gone = losses.filter(({ has }) => has === undefined);
  if (holders.length === 0 || gone.length < holders.length) return;
  const known = gone.map(({ member, had }) => `${member} up to ${positionText(had)}`).join(', ');
  throw new DataGoneError(
    `no member has data any more under ${dbpath}, where there were some (${known}): ` +
      'put the folders back, or let the set start empty with --accept-empty (acceptEmpty: true)',
  );
}

/**
 * What a majority had was acknowledged, or may have been. One member's loss is another thing: the others have what it had.
 * @throws DataGoneError if no member has it any more
 */
export function refuseIfMajorityLost(dbpath: string, members: readonly SavedMember[], set: ReplSet): void {
  const regular = members.filter(({ spare }) => !spare);
  const had = regular.flatMap(({ durable }) => durable ?? []).sort((a, b) => compareOpTimes(b, a));
  const acknowledged = had[Math.floor(regular.length / 2)];
  const [newest] = set.memberNames.flatMap((name) => set.durable(name) ?? []).sort((a, b) => compareOpTimes(b, a));
  if (acknowledged === undefined || newest === undefined || compareOpTimes(newest, acknowledged) >= 0) return;
  throw new DataGoneError(
    `acknowledged writes are missing under ${dbpath}: a majority had data up to ${positionText(acknowledged)}, and now ` +
      `none of ${set.memberNames.join(', ')} reaches further than ${positionText(newest)}: put back the folders of these members, ` +
      'or let the set start without those writes with --accept-empty (acceptEmpty: true)',
  );
}

/** The warning about a loss, for the user who starts the set. */
export function lossText({ member, had, has }: Loss): string {
  const now = has === undefined ? 'nothing is left' : `now they reach up to ${positionText(has)}`;
  return `${member} starts on less than it had: its data reached up to ${positionText(had)}, and ${now}`;
}

function positionText({ ts: { t, i }, t: term }: OpTime): string {
  const at = new Date(t * 1000).toISOString().replace('.000Z', 'Z');
  return `${at} (${t},${i}${term === UNINITIALIZED_TERM ? '' : ` in term ${term}`})`;
}
