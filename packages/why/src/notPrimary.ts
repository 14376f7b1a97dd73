import { formatDuration } from '@replsim/kernel';
import { isElectable, type MemberConfig, type ReplSetConfig } from '@replsim/protocol';
import { type Deadline, type MemberStory, nameOf } from './memberStory.ts';
import type { Round } from './round.ts';
import { at, grouped, memberOf, type Situation, whoIsUnheard, whyNotRunning, whySilent } from './situation.ts';
import { stateOf } from './stateOf.ts';

/** Why a member is not a primary that accepts writes, in one sentence; undefined if it is one. */
export function whyNotPrimary(story: MemberStory, situation: Situation): string | undefined {
  const { name, state, config } = story;
  const down = whyNotRunning(story);
  if (down) return down;
  if (story.accepts) return undefined;
  if (state.is === 'PRIMARY') {
    const since = `${name} is PRIMARY since ${at(state.sinceMicros)}`;
    const { acceptedUntil: until } = story;
    return until !== undefined && until >= state.sinceMicros
      ? `${since}, and accepts no more writes since ${at(until)}: it tries to step down`
      : `${since}, and does not accept writes yet`;
  }
  const self = config && memberOf(config, name);
  if (story.standalone) return `${name} runs as a standalone, which is in no set`;
  if (!config) return `${name} has no config: nobody has told it of the set`;
  if (!self) return `${name} is not in the config that it knows`;
  if (!isElectable(self)) return `${name} cannot be elected: ${unelectable(self)}`;
  if (state.is !== 'SECONDARY') return `${stateOf(story, situation)}; only a SECONDARY stands`;
  return whyNotElected(story, config, situation);
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
    const frozen = pending(story, 'stepDown', situation);
    const again = frozen
      ? [`it may not stand before ${at(frozen.dueMicros)}`]
      : deadline(story, 'electionTimeout', 'it tries again', situation);
    return [stood, ...whoIsUnheard(name, config, situation), ...again].join('; ');
  }
  const primary = heardPrimary(story);
  if (primary !== undefined) return following(story, primary, situation);
  if (round) return standing(story, round, config, situation);
  if (story.steppedDown) {
    const { is: reason, sinceMicros } = story.steppedDown;
    const again = deadline(story, 'electionTimeout', 'it stands again', situation);
    return [`${name} stepped down at ${at(sinceMicros)}: ${reason}`, ...again].join('; ');
  }
  const since = `it is SECONDARY since ${at(story.state.sinceMicros)}, and its election timer has not gone off`;
  const stands = deadline(story, 'electionTimeout', 'it does', situation);
  return [`${name} has not stood ${sinceItsVote(story, situation) ?? 'yet'}: ${since}`, ...stands].join('; ');
}

/** Who gives its vote away waits anew, for the one that may have won with it. */
function sinceItsVote({ name, term, voted }: MemberStory, situation: Situation): string | undefined {
  const candidate = voted?.term === term ? nameOf(voted.candidate) : name;
  if (!voted || candidate === name || whySilent(name, candidate, situation) !== undefined) return undefined;
  return `since it voted for ${candidate} in term ${term} at ${at(voted.atMicros)}`;
}

/** A timer that is set, as far as the trace tells of timers. One that has gone off says nothing of what comes. */
function pending({ deadlines }: MemberStory, of: string, { nowMicros }: Situation): Deadline | undefined {
  const found = deadlines.get(of);
  return found && found.dueMicros > nowMicros ? found : undefined;
}

/** When somebody acts at last; an election timeout is longer by what is drawn when it is over. */
function deadline(story: MemberStory, of: 'electionTimeout' | 'takeover', words: string, now: Situation): string[] {
  const found = pending(story, of, now);
  if (!found) return [];
  const { dueMicros, drawnMicros } = found;
  if (drawnMicros !== undefined)
    return [
      `${words} at ${at(dueMicros)}, of which chance has added ${formatDuration(Math.round(drawnMicros / 1000) * 1000)}`,
    ];
  return [`${words} not before ${at(dueMicros)}, plus what chance adds then`];
}

/** Why one stands by while it believes that another leads. */
function following(story: MemberStory, primary: string, situation: Situation): string {
  const { name } = story;
  const silent = whySilent(name, primary, situation);
  return [
    silent === undefined
      ? `${name} hears ${primary}, which it takes for the primary`
      : `${name} still takes ${primary} for the primary, of which it hears nothing more (${silent})`,
    ...(silent === undefined ? [] : deadline(story, 'electionTimeout', 'it stands', situation)),
    ...deadline(story, 'takeover', 'it stands against that one', situation),
  ].join('; ');
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
  const again = deadline(story, 'electionTimeout', 'it stands again', situation);
  return [`${story.name} stood at ${at(round.atMicros)} in ${what}: ${tally}`, ...reasons, ...again].join('; ');
}

function whyNoVote({ name }: MemberStory, voter: string, { answers }: Round, situation: Situation): string {
  const answer = answers.get(voter);
  const silent = whySilent(name, voter, situation);
  if (silent) return silent;
  return answer ? `said no: ${answer.reason}` : 'did not answer';
}
