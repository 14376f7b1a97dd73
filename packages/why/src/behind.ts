import { compareOpTimes, type OpTime } from '@replsim/protocol';
import type { MemberStory } from './memberStory.ts';
import { whyNotWritable } from './office.ts';
import { aheadOf, at, memberOf, type Situation, whyNotRunning } from './situation.ts';
import { fetching, standingStill } from './standstill.ts';

/** How many entries a member has not applied, as far as they are remembered. */
interface Lag {
  readonly missing: number;
  readonly orMore: boolean;
  /** The first of them. */
  readonly oldest: OpTime | undefined;
}

/** Why a member's data are behind, in one sentence. */
export function whyBehind(story: MemberStory, { missing, orMore, oldest }: Lag, situation: Situation): string {
  const lag = `${story.name} lags by ${orMore ? 'more than ' : ''}${missing} ${missing === 1 ? 'entry' : 'entries'}`;
  return `${lag}: ${holdUp(story, situation, oldest)}`;
}

/** Why a member has no data at all, and never will; undefined if it is to have some. */
export function whyNoData({ name, config, standalone }: MemberStory): string | undefined {
  const self = standalone || !config ? undefined : memberOf(config, name);
  return self?.arbiterOnly ? `${name} is an arbiter, and holds no data` : undefined;
}

/**
 * What keeps a member from having what its set has.
 * @param wanted the entry that it lacks, where it is a certain one
 */
export function holdUp(story: MemberStory, situation: Situation, wanted?: OpTime): string {
  const { initialSync, tooStale, state } = story;
  const down = whyNotRunning(story);
  if (down) return down;
  if (initialSync)
    return `its initial sync ${phaseText(initialSync.is)} at ${at(initialSync.sinceMicros)} and is not done`;
  if (story.standalone) return `it has run as a standalone since ${at(story.standaloneMicros ?? 0)}`;
  if (state.is === 'PRIMARY')
    return whyNotWritable(story, situation) ?? `it has been PRIMARY since ${at(state.sinceMicros)}`;
  if (state.is === 'REMOVED') return `it has been REMOVED since ${at(state.sinceMicros)}`;
  const lies = wanted !== undefined && liesUnapplied(story, wanted);
  const standing = standingStill(story, lies ? ['apply', 'journal'] : undefined);
  if (standing) return standing;
  if (tooStale)
    return `it has been too stale since ${at(tooStale.sinceMicros)}: no member's oplog reaches back to where its own ends`;
  if (story.rollback) return `it has been rolling back since ${at(story.rollback.sinceMicros)}`;
  const waits = delayed(story, situation, wanted);
  // What it has already needs no source any more.
  if (lies && waits) return waits;
  if (lies && (story.slowDisk || story.slowProcessor)) return `it has fetched that${slowText(story)}`;
  const without = fetching(story, situation);
  if (without && waits && wanted) return `${waits}; and it has not fetched that: ${without}`;
  return without ?? waits ?? underWay(story, situation);
}

/** Whether a member has fetched an entry that its data do not show yet. */
function liesUnapplied({ fetched, applied }: MemberStory, wanted: OpTime): boolean {
  return (
    fetched !== undefined &&
    compareOpTimes(fetched, wanted) >= 0 &&
    (applied === undefined || compareOpTimes(applied, wanted) < 0)
  );
}

/** A delayed member lets entries lie until they are old enough, by its own clock. */
function delayed(story: MemberStory, { nowMicros, epochMs, epochSecs }: Situation, wanted: OpTime | undefined) {
  const { name, config } = story;
  const delaySecs = (config && memberOf(config, name)?.secondaryDelaySecs) ?? 0;
  if (delaySecs === 0) return undefined;
  const dueSecs = wanted && wanted.ts.t + delaySecs - epochSecs;
  const dueMicros = dueSecs === undefined ? undefined : dueSecs * 1_000_000 - aheadOf(story, epochMs) * 1000;
  if (dueMicros !== undefined && dueMicros <= nowMicros) return undefined;
  const when = dueMicros === undefined ? '' : `, this one until ${at(dueMicros)}`;
  return `it is delayed: each entry waits for the \`secondaryDelaySecs\` of ${delaySecs}${when}`;
}

function underWay(story: MemberStory, { links }: Situation): string {
  const {
    name,
    syncSource: { is: source },
  } = story;
  const late = source === undefined ? undefined : links.whyLate(source, name);
  const way = late === undefined ? '' : `; ${late}`;
  return `it fetches from ${source}, and what is missing is on its way${way}${slowText(story)}`;
}

function slowText({ slowDisk, slowProcessor }: MemberStory): string {
  const disk =
    slowDisk && `; its disk has taken ${slowDisk.is}ms longer for each write since ${at(slowDisk.sinceMicros)}`;
  return `${disk ?? ''}${slowProcessor ? processorText(slowProcessor) : ''}`;
}

function processorText({ is: { slowdown, cores }, sinceMicros }: NonNullable<MemberStory['slowProcessor']>): string {
  const slow = slowdown === 1 ? [] : [`taken ${slowdown} times as long as usual`];
  const few = cores === 0 ? [] : [`computed ${cores === 1 ? 'one operation' : `${cores} operations`} at a time`];
  return `; its processor has ${[...slow, ...few].join(' and ')} since ${at(sinceMicros)}`;
}

function phaseText(phase: string): string {
  return phase === 'started' ? 'began' : phase === 'cloned' ? 'had copied all data' : 'failed';
}
