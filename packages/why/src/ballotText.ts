import { compareOpTimes, formatOpTime } from '@replsim/protocol';
import { at, memberOf, type Situation, whyNotRunning, whySilent } from './situation.ts';
import { unwritten } from './standstill.ts';
import { type Asked, type Ballot, type Given, type Own, refusal, type Votes } from './votes.ts';

/** Longer accounts hide what matters. */
const SHOWN = 12;

/** What is said of one ballot, and what makes two of them the same but for their time. */
interface Line {
  readonly atMicros: number;
  readonly text: string;
  readonly alike: string;
}

/** What a voter compared when it was asked last, newest first, and why it was not asked or gave no answer. */
export function votesOf(who: string, votes: Votes, situation: Situation): string[] {
  const story = situation.members.get(who);
  if (!story) return [];
  const ballots = votes.ofLastElection;
  const noVote = voteless(who, situation);
  const asked = noVote === undefined ? ballots : ballots.filter(({ kind }) => kind !== 'asked');
  const lines = asked.flatMap((ballot, index) => lineOf(ballot, who, asked.slice(0, index), situation) ?? []);
  const merged = mergeAlike(lines);
  const shown = merged.slice(0, SHOWN);
  if (merged.length > SHOWN) shown.push(`and ${merged.length - SHOWN} more before`);
  const standing = [whyNotRunning(story), noVote].filter((reason) => reason !== undefined);
  if (shown.length > 0 || standing.length > 0) return [...standing, ...shown];
  return [`nobody has asked ${who} for its vote yet`];
}

/** Why nobody asks it, by the config that it knows. */
function voteless(who: string, { members }: Situation): string | undefined {
  const config = members.get(who)?.config;
  if (!config) return undefined;
  const self = memberOf(config, who);
  if (!self) return `${who} is not in the config that it knows`;
  if (self.votes > 0) return undefined;
  return self.newlyAdded
    ? `${who} has no vote yet: it was added, and has not finished its initial sync`
    : `${who} has no vote: its \`votes\` are 0`;
}

/** @param later the ballots after it, newest first */
function lineOf(ballot: Ballot, who: string, later: readonly Ballot[], situation: Situation): Line | undefined {
  switch (ballot.kind) {
    case 'given':
      return ballot.voter === who ? given(ballot, situation.epochSecs) : undefined;
    case 'own':
      return ballot.voter === who ? own(ballot) : undefined;
    case 'asked':
      return notAnswered(ballot, who, later, situation);
  }
}

function given(
  { voter, candidate, atMicros, event, before, promised, primary, unheardSince }: Given,
  epochSecs: number,
): Line {
  const { term, dryRun, granted, claim, own, ownTerm, reason } = event;
  const asked = `${dryRun ? 'in a dry run of' : 'in'} term ${term}`;
  const mine = formatOpTime(own.lastWritten, epochSecs);
  const theirs = formatOpTime(claim.lastWritten, epochSecs);
  const why = granted
    ? `${candidate}'s log goes to ${theirs}, ${compareOpTimes(claim.lastWritten, own.lastWritten) > 0 ? `further than its own, ${mine}` : 'as far as its own'}`
    : reason.startsWith("candidate's data")
      ? `its own log goes to ${mine}, ${candidate}'s only to ${theirs}`
      : reason.startsWith("candidate's config")
        ? `its own config is ${configText(own)}, ${candidate}'s ${configText(claim)}`
        : reason.startsWith("candidate's term")
          ? `it was in term ${ownTerm} already`
          : reason.startsWith('already voted') && before
            ? `it had voted for ${before.candidate === voter ? 'itself' : before.candidate} in that term at ${at(before.atMicros)}`
            : promised !== undefined
              ? `it was giving its vote in that term to ${promised}`
              : refusal(reason, primary);
  const lost = unheardSince === undefined ? '' : `; ${candidate} could not hear it: cut off since ${at(unheardSince)}`;
  const rest = `${asked}: ${why}${lost}`;
  const what = `${voter} said ${granted ? 'yes' : 'no'} to ${candidate}`;
  return { atMicros, text: `${what} at ${at(atMicros)} ${rest}`, alike: `${what} ${rest}` };
}

function configText({ configVersion, configTerm }: { readonly configVersion: number; readonly configTerm: number }) {
  return `version ${configVersion} of ${configTerm < 0 ? 'no term' : `term ${configTerm}`}`;
}

function own({ voter, atMicros, term }: Own): Line {
  const text = `${voter} was itself a candidate in term ${term}, and voted for itself`;
  return { atMicros, text: `${text} at ${at(atMicros)}`, alike: text };
}

/** A request that this voter did not answer; undefined where it did, or was not meant. */
function notAnswered(asked: Asked, who: string, later: readonly Ballot[], situation: Situation): Line | undefined {
  const { atMicros, candidate, term, dryRun, voters, silent } = asked;
  if (candidate === who) return undefined;
  if (!voters.includes(who)) {
    const text = `${candidate} did not ask ${who}, which has no vote in its config`;
    return { atMicros, text: `${text}, at ${at(atMicros)}`, alike: text };
  }
  for (const ballot of later.toReversed()) {
    if (ballot.kind === 'own') continue;
    const same = ballot.candidate === candidate && (ballot.kind === 'asked' ? ballot : ballot.event).term === term;
    if (!same || (ballot.kind === 'asked' ? ballot : ballot.event).dryRun !== dryRun) continue;
    // The next request of this kind ends what can be an answer to this one.
    if (ballot.kind === 'asked') break;
    if (ballot.voter === who) return undefined;
  }
  const story = situation.members.get(who);
  const held = dryRun || !story ? undefined : unwritten(story, term);
  const silence =
    silent.get(who) ??
    whySilent(candidate, who, situation) ??
    (held === undefined ? undefined : `its vote is not on its disk; ${held}`);
  const what = `${who} gave no answer to ${candidate}, which asked`;
  const rest = `${dryRun ? 'in a dry run of' : 'in'} term ${term}${silence === undefined ? '' : `: ${silence}`}`;
  return { atMicros, text: `${what} at ${at(atMicros)} ${rest}`, alike: `${what} ${rest}` };
}

/** What repeats is told once: when it was last, how often before, and since when. */
function mergeAlike(lines: readonly Line[]): string[] {
  const groups = new Map<string, Line[]>();
  for (const line of lines) groups.set(line.alike, [...(groups.get(line.alike) ?? []), line]);
  return [...groups.values()].map(([newest, ...before]) => {
    if (!newest || before.length === 0) return newest?.text ?? '';
    const times = before.length === 1 ? 'once' : `${before.length} times`;
    return `${newest.text}; the same happened ${times} before, since ${at(before.at(-1)!.atMicros)}`;
  });
}
