import { formatInstant } from '@replsim/kernel';
import { isElectable, type MemberConfig, type ReplSetConfig } from '@replsim/protocol';
import { type MemberStory, nameOf } from './memberStory.ts';
import type { Round } from './round.ts';
import type { Walls } from './walls.ts';

/** What is known when a question is asked. */
export interface Situation {
  readonly walls: Walls;
  readonly members: ReadonlyMap<string, MemberStory>;
}

/** Why a member is not a primary that accepts writes, in one sentence; undefined if it is one. */
export function whyNotPrimary(story: MemberStory, situation: Situation): string | undefined {
  const { name, state, config } = story;
  const down = whyNotRunning(story);
  if (down) return down;
  if (story.accepts) return undefined;
  if (state.is === 'PRIMARY')
    return `${name} is PRIMARY since ${at(state.sinceMicros)}, and does not accept writes yet`;
  const self = config && memberOf(config, name);
  if (!config) return `${name} has no config: nobody has told it of the set`;
  if (!self) return `${name} is not in the config that it knows`;
  if (!isElectable(self)) return `${name} cannot be elected: ${unelectable(self)}`;
  if (state.is !== 'SECONDARY')
    return `${name} is ${state.is} since ${at(state.sinceMicros)}, and only a SECONDARY stands`;
  return whyNotElected(story, config, situation);
}

/** Why a process answers nobody; undefined if it answers. */
export function whyNotRunning({ name, stopped, pausedSince }: MemberStory): string | undefined {
  if (stopped?.is === 'not started') return `${name} was never started`;
  if (stopped)
    return `${name} is down: ${stopped.is === 'fatal' ? 'it gave up' : stopped.is} at ${at(stopped.sinceMicros)}`;
  return pausedSince === undefined ? undefined : `${name} stands still since ${at(pausedSince)}: it is paused`;
}

function unelectable({ arbiterOnly, priority }: MemberConfig): string {
  if (arbiterOnly) return 'it is an arbiter';
  return priority === 0 ? 'its priority is 0' : 'it has no vote';
}

function whyNotElected(story: MemberStory, config: ReplSetConfig, situation: Situation): string {
  const { name, round, notStarted } = story;
  const refused = notStarted && (!round || notStarted.atMicros >= round.atMicros) ? notStarted : undefined;
  if (refused) {
    const stood = `${name} would have stood at ${at(refused.atMicros)} (${refused.cause}), and did not: ${refused.detail}`;
    return [stood, ...unheard(name, config, situation)].join('; ');
  }
  const primary = heardPrimary(story);
  if (primary !== undefined) return `${name} hears ${primary}, which it takes for the primary`;
  if (round) return standing(story, round, config, situation);
  return `${name} has not stood yet: it is SECONDARY since ${at(story.state.sinceMicros)}, and its election timer has not gone off`;
}

function heardPrimary({ believed }: MemberStory): string | undefined {
  for (const [other, { is }] of believed) if (is === 'PRIMARY') return other;
  return undefined;
}

/** How a candidacy stands: `2 of 5 votes, 3 needed`, and whose are missing. */
function standing(story: MemberStory, round: Round, config: ReplSetConfig, situation: Situation): string {
  const voters = config.members.filter(({ votes }) => votes === 1).map(({ host }) => nameOf(host));
  const needed = Math.floor(voters.length / 2) + 1;
  const granted = voters.filter((voter) => voter === story.name || round.answers.get(voter)?.granted);
  const missing = voters.filter((voter) => !granted.includes(voter));
  const what = round.dryRun ? 'a dry run' : `term ${round.term}`;
  const tally = `${granted.length} of ${voters.length} votes, ${needed} needed`;
  const reasons = grouped(missing.map((voter) => [voter, whyNoVote(story, voter, round, situation)]));
  return [`${story.name} stood at ${at(round.atMicros)} in ${what}: ${tally}`, ...reasons].join('; ');
}

function whyNoVote({ name }: MemberStory, voter: string, { answers }: Round, situation: Situation): string {
  const answer = answers.get(voter);
  const silent = whySilent(name, voter, situation);
  if (silent) return silent;
  return answer ? `said no: ${answer.reason}` : 'did not answer';
}

/** Why a member hears nothing of another; undefined if nothing that the trace knows of stands between them. */
function whySilent(name: string, other: string, { walls, members }: Situation): string | undefined {
  const story = members.get(other);
  if (story?.stopped) return `down since ${at(story.stopped.sinceMicros)}`;
  if (story?.pausedSince !== undefined) return `paused since ${at(story.pausedSince)}`;
  const apart = walls.apartSince(name, other);
  return apart === undefined ? undefined : `cut off since ${at(apart)}`;
}

/** Those of whom it hears nothing, and why. */
function unheard(name: string, { members }: ReplSetConfig, situation: Situation): string[] {
  const others = members.map(({ host }) => nameOf(host)).filter((other) => other !== name);
  const silent = others.map((other) => [other, whySilent(name, other, situation)] as const);
  return grouped(silent.filter((each): each is readonly [string, string] => each[1] !== undefined));
}

/** Members of whom the same is to be said, together: `a1, a2: cut off since 41.474s`. */
function grouped(reasons: readonly (readonly [member: string, reason: string])[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const [member, reason] of reasons) byReason.set(reason, [...(byReason.get(reason) ?? []), member]);
  return [...byReason].map(([reason, members]) => `${members.join(', ')}: ${reason}`);
}

function memberOf({ members }: ReplSetConfig, name: string): MemberConfig | undefined {
  return members.find(({ host }) => nameOf(host) === name);
}

/** An instant in a sentence. */
export function at(micros: number): string {
  return formatInstant(micros);
}
