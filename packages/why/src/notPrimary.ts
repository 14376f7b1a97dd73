import { isElectable, type MemberConfig, type ReplSetConfig } from '@replsim/protocol';
import { holdUp } from './behind.ts';
import { deadline, pending } from './deadlines.ts';
import { heardPrimary, type MemberStory, nameOf, type Refusal } from './memberStory.ts';
import { named, whyNotWritable } from './office.ts';
import type { Answer, Round } from './round.ts';
import { at, grouped, memberOf, type Situation, whyNotRunning, whySilent } from './situation.ts';
import { unwritten } from './standstill.ts';
import { stateOf } from './stateOf.ts';

/** Why a member is not a primary that accepts writes, in one sentence; undefined if it is one. */
export function whyNotPrimary(story: MemberStory, situation: Situation): string | undefined {
  const { name, state, config } = story;
  const down = whyNotRunning(story);
  if (down) return down;
  if (story.accepts) return undefined;
  const leading = whyNotWritable(story, situation);
  if (leading !== undefined) return named(story, leading);
  const self = config && memberOf(config, name);
  if (story.standalone) return `${name} runs as a standalone, which is in no set`;
  if (!config) return `${name} has no config: nobody has told it of the set`;
  if (!self) return `${name} is not in the config that it knows`;
  if (state.is === 'REMOVED') return stateOf(story, situation);
  if (!isElectable(self)) return `${name} cannot be elected: ${unelectable(self)}`;
  if (state.is !== 'SECONDARY') return `${stateOf(story, situation)}; only a SECONDARY stands`;
  return whyNotElected(story, config, situation);
}

function unelectable({ arbiterOnly, priority }: MemberConfig): string {
  if (arbiterOnly) return 'it is an arbiter';
  return priority === 0 ? 'its priority is 0' : 'it has no vote';
}

function whyNotElected(story: MemberStory, config: ReplSetConfig, situation: Situation): string {
  const { name, round } = story;
  const primary = heardPrimary(story);
  if (primary !== undefined && !missesIt(story, primary, situation))
    return following(story, config, primary, situation);
  const refused = refusalOf(story);
  if (refused) {
    const frozen = pending(story, 'stepDown', situation);
    const again = frozen
      ? [`it may not stand before ${at(frozen.dueMicros)}`]
      : deadline(story, 'electionTimeout', 'it tries again', situation);
    return [refusedText(name, refused), ...(refused.unheard ?? []), ...again].join('; ');
  }
  if (primary !== undefined) return following(story, config, primary, situation);
  if (round) return standing(story, round, config, situation);
  if (story.steppedDown) {
    const { is: reason, sinceMicros } = story.steppedDown;
    const again = deadline(story, 'electionTimeout', 'it stands again', situation);
    return [`${name} stepped down at ${at(sinceMicros)}: ${reason}`, ...again].join('; ');
  }
  const since = `it has been SECONDARY since ${at(story.state.sinceMicros)}, and its election timer has not gone off`;
  const stands = deadline(story, 'electionTimeout', 'it does', situation);
  const first = `${name} has not stood ${sinceItsVote(story, situation) ?? 'yet'}: ${since}`;
  return [first, ...putOff(story, situation), ...stands].join('; ');
}

/** The last time that it would have stood and did not, if no candidacy came after it. */
function refusalOf({ notStarted, round }: MemberStory): Refusal | undefined {
  return notStarted && (!round || notStarted.atMicros >= round.atMicros) ? notStarted : undefined;
}

function refusedText(who: string, { atMicros, cause, detail }: Refusal): string {
  return `${who} would have stood at ${at(atMicros)} (${cause}), and did not: ${detail}`;
}

/** Whoever takes over has to have what its primary has. */
function staleness(story: MemberStory, detail: string, situation: Situation): string[] {
  return detail.includes('not fresh enough') || detail.includes('not the freshest') ? [holdUp(story, situation)] : [];
}

/** Whether it would have stood since it heard last of the one that it still takes for the primary. */
function missesIt(story: MemberStory, primary: string, situation: Situation): boolean {
  return refusalOf(story) !== undefined && whySilent(story.name, primary, situation) !== undefined;
}

/** Whoever fetches from a primary needs no heartbeat of it. */
function putOff({ syncSource: { is: source } }: MemberStory, { members }: Situation): string[] {
  const leads = source !== undefined && members.get(source)?.accepts;
  return leads ? [`it fetches from ${source}, which leads, and each batch puts that off`] : [];
}

/** Who gives its vote away waits anew, for the one that may have won with it. */
function sinceItsVote({ name, term, voted }: MemberStory, situation: Situation): string | undefined {
  const candidate = voted?.term === term ? nameOf(voted.candidate) : name;
  if (!voted || candidate === name || whySilent(name, candidate, situation) !== undefined) return undefined;
  return `since it voted for ${candidate} in term ${term} at ${at(voted.atMicros)}`;
}

/** Why one stands by while it believes that another leads. */
function following(story: MemberStory, config: ReplSetConfig, primary: string, situation: Situation): string {
  const { name } = story;
  const silent = whySilent(name, primary, situation);
  if (silent !== undefined)
    return [
      `${name} still takes ${primary} for the primary, but no longer hears from it (${silent})`,
      ...deadline(story, 'electionTimeout', 'it stands', situation),
    ].join('; ');
  return [
    `${name} hears from ${primary}, which it takes for the primary`,
    ...lastTry(story, primary, config, situation),
    ...takingOver(story, config, primary, situation),
  ].join('; ');
}

/** What came of its own candidacy, or of a takeover that did not begin, since that one leads. */
function lastTry(story: MemberStory, primary: string, config: ReplSetConfig, situation: Situation): string[] {
  const { name, round, notStarted } = story;
  const sinceMicros = story.believed.get(primary)?.sinceMicros ?? 0;
  if (notStarted && notStarted.atMicros > sinceMicros && notStarted.atMicros >= (round?.atMicros ?? 0))
    return [refusedText('it', notStarted), ...staleness(story, notStarted.detail, situation)];
  if (!round || round.atMicros <= sinceMicros) return [];
  return [standing(story, round, config, situation).replace(`${name} stood`, 'it stood')];
}

/** That it is better than that one, and when it stands against it. */
function takingOver(story: MemberStory, config: ReplSetConfig, primary: string, situation: Situation): string[] {
  const own = memberOf(config, story.name)?.priority ?? 0;
  const its = memberOf(config, primary)?.priority ?? 0;
  const higher = own > its ? [`its priority of ${own} is higher than ${primary}'s, ${its}`] : [];
  const words = `it stands against that one, in a ${own > its ? 'priority' : 'catch-up'} takeover,`;
  const catchesUp = situation.members.get(primary)?.office?.is === 'catchUp';
  const forbidden =
    catchesUp && own <= its && config.settings.catchUpTakeoverDelayMillis === -1
      ? ['with a `catchUpTakeoverDelayMillis` of -1 nobody stands against a primary that is catching up']
      : [];
  return [...higher, ...forbidden, ...deadline(story, 'takeover', words, situation)];
}

/** How a candidacy stands: `2 of 5 votes, 3 needed`, and whose are missing. */
function standing(story: MemberStory, round: Round, config: ReplSetConfig, situation: Situation): string {
  const voters = config.members.filter(({ votes }) => votes === 1).map(({ host }) => nameOf(host));
  const needed = Math.floor(voters.length / 2) + 1;
  const granted = voters.filter((voter) => voter === story.name || isHeardYes(round.answers.get(voter)));
  const missing = voters.filter((voter) => !granted.includes(voter));
  const what = round.dryRun ? 'a dry run' : `term ${round.term}`;
  const cause = round.cause === 'electionTimeout' ? '' : ` (${round.cause})`;
  const stood = `${story.name} stood at ${at(round.atMicros)} in ${what}${cause}`;
  // Between the dry run and the request it raises its term and votes for itself.
  const own = round.lost === undefined && story.term > round.term ? unwritten(story, story.term) : undefined;
  if (own !== undefined)
    return `${stood}, and does not ask anybody in term ${story.term} yet: its vote for itself is not on its disk; ${own}`;
  const tally = `${granted.length} of ${voters.length} votes, ${needed} needed`;
  const reasons = grouped(missing.map((voter) => [voter, whyNoVote(story, voter, round, situation)]));
  const lost = granted.length >= needed && round.lost !== undefined ? [round.lost] : [];
  const again = deadline(story, 'electionTimeout', 'it stands again', situation);
  return [`${stood}: ${tally}`, ...reasons, ...lost, ...again].join('; ');
}

function isHeardYes(answer: Answer | undefined): boolean {
  return answer?.granted === true && answer.unheardSince === undefined;
}

function whyNoVote({ name }: MemberStory, voter: string, round: Round, situation: Situation): string {
  const { answers, dryRun, term } = round;
  const answer = answers.get(voter);
  if (answer?.unheardSince !== undefined)
    return `said ${answer.granted ? 'yes' : 'no'}, and was not heard: cut off since ${at(answer.unheardSince)}`;
  if (answer) return `said no: ${answer.reason}`;
  const silent = round.silent?.get(voter) ?? whySilent(name, voter, situation);
  if (silent) return silent;
  const story = situation.members.get(voter);
  const unheard = !dryRun && story ? unwritten(story, term) : undefined;
  return unheard === undefined ? 'did not answer' : `its vote is not on its disk: ${unheard}`;
}
