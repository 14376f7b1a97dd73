import { compareOpTimes, type OpTime, sameOpTime } from '@replsim/protocol';
import type { History, Moment } from '../core/history/history.ts';
import type { MemberAt } from '../core/history/memberAt.ts';
import { sidesOf } from './sides.ts';

/**
 * Which entries of a member are nobody else's, and may stay so: it is cut off from most others, it is dead, or another has gone on in a later
 * term. On its way from a healthy primary each entry is alone for a moment, and that is no news.
 */
export function onlyHere(history: History, member: MemberAt, { members, cut, atMicros }: Moment) {
  const others = members.filter(({ name }) => name !== member.name);
  const laterTerm = Math.max(...others.map(({ lastApplied }) => lastApplied?.t ?? -1));
  const isAlone = isApart(member, members, cut);
  return (opTime: OpTime): boolean => {
    if (others.length === 0 || !(isAlone || laterTerm > opTime.t)) return false;
    if (member.commitPoint && compareOpTimes(opTime, member.commitPoint) <= 0) return false;
    return !others.some(({ name }) => {
      const newest = history.oplogs.at(name, atMicros, 1, opTime)[0];
      return newest !== undefined && newest.removal === undefined && sameOpTime(newest.entry.opTime, opTime);
    });
  };
}

function isApart({ name, process }: MemberAt, members: readonly MemberAt[], cut: Moment['cut']): boolean {
  if (process !== 'running' && process !== 'paused') return true;
  const names = members.map((each) => each.name);
  const side = sidesOf(names, cut).find((each) => each.includes(name)) ?? names;
  return 2 * side.length <= names.length;
}
