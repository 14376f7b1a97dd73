import { compareOpTimes, formatOpTime, type MemberPosition, type OpTime } from '@replsim/protocol';
import { holdUp } from './behind.ts';
import { type MemberStory, nameOf } from './memberStory.ts';
import type { Situation } from './notPrimary.ts';

/**
 * Who has not told the primary that it has the newest entry on its disk, one sentence each.
 * @param newest the primary's last entry
 * @param epochSecs time zero, seconds since 1970
 */
export function whoHasNotReported(
  primary: MemberStory,
  newest: OpTime,
  situation: Situation,
  epochSecs: number,
): string[] {
  const others = (primary.config?.members ?? []).filter(({ host }) => nameOf(host) !== primary.name);
  return others.flatMap(({ _id, host, arbiterOnly }) => {
    const name = nameOf(host);
    if (arbiterOnly) return [`${name} is an arbiter, and has no data to report`];
    const reported = primary.reported.get(_id);
    if (reported && compareOpTimes(reported.durableOpTime, newest) >= 0) return [];
    const story = situation.members.get(name);
    const why = story ? `: ${holdUp(story, situation.walls)}` : '';
    return [`${name} has ${progress(reported, newest, epochSecs)}${why}`];
  });
}

function progress(reported: MemberPosition | undefined, newest: OpTime, epochSecs: number): string {
  const wanted = formatOpTime(newest, epochSecs);
  if (!reported) return `reported nothing, and the newest entry is ${wanted}`;
  const { durableOpTime, writtenOpTime } = reported;
  if (compareOpTimes(writtenOpTime, newest) >= 0) return `reported ${wanted} as written, but not as on its disk`;
  return `reported up to ${formatOpTime(durableOpTime, epochSecs)}, and the newest entry is ${wanted}`;
}
