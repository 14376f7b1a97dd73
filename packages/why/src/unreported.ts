import { compareOpTimes, formatOpTime, type MemberPosition, type OpTime } from '@replsim/protocol';
import { holdUp } from './behind.ts';
import { type MemberStory, nameOf } from './memberStory.ts';
import { at, type Situation } from './situation.ts';

/** An entry, and how a sentence calls it. */
interface Wanted {
  readonly opTime: OpTime;
  readonly called: string;
}

/** Who is known to have an entry, by name, and a sentence on each who is not. */
export interface Reports {
  readonly have: readonly string[];
  readonly lack: readonly string[];
}

/** Who has not told the primary that it has the newest entry on its disk, one sentence each. */
export function whoHasNotReported(primary: MemberStory, newest: OpTime, situation: Situation): readonly string[] {
  return reportsOf(primary, { opTime: newest, called: 'the newest entry' }, true, situation).lack;
}

/**
 * What a primary knows of who has an entry.
 * @param durably on disk; else it is enough to have applied it
 */
export function reportsOf(primary: MemberStory, wanted: Wanted, durably: boolean, situation: Situation): Reports {
  const { opTime } = wanted;
  const have: string[] = [];
  const lack: string[] = [];
  for (const { _id, host, arbiterOnly } of primary.config?.members ?? []) {
    const name = nameOf(host);
    const story = situation.members.get(name);
    if (arbiterOnly) lack.push(`${name} is an arbiter, and has no data to report`);
    else if (story === primary) {
      if (!durably || (primary.durable && compareOpTimes(primary.durable, opTime) >= 0)) have.push(name);
      else lack.push(`${name} does not have it on its own disk yet${journalText(primary)}`);
    } else {
      const reported = primary.reported.get(_id);
      const position = durably ? reported?.durableOpTime : reported?.appliedOpTime;
      const has = position && compareOpTimes(position, opTime) >= 0;
      const why = story ? `: ${holdUp(story, situation, opTime)}` : '';
      if (has) have.push(name);
      else lack.push(`${name} has ${progress(primary.name, reported, wanted, durably, situation.epochSecs)}${why}`);
    }
  }
  return { have, lack };
}

function journalText({ heldSince }: MemberStory): string {
  const held = heldSince.get('journal');
  return held === undefined ? '' : `: its part journal has been held since ${at(held)}`;
}

/** @param to the primary, which is told @param durably whether it has to be on disk */
function progress(
  to: string,
  reported: MemberPosition | undefined,
  { opTime, called }: Wanted,
  durably: boolean,
  epochSecs: number,
): string {
  const wanted = formatOpTime(opTime, epochSecs);
  if (!reported) return `reported nothing to ${to} yet, and ${called} is ${wanted}`;
  const { durableOpTime, appliedOpTime, writtenOpTime } = reported;
  if (compareOpTimes(writtenOpTime, opTime) >= 0)
    return `reported ${wanted} as written, but not as ${durably ? 'on its disk' : 'applied'}`;
  return `reported up to ${formatOpTime(durably ? durableOpTime : appliedOpTime, epochSecs)}, and ${called} is ${wanted}`;
}
