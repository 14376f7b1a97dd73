import type { ReplSetConfig, Term, TraceEvent, VoteClaim } from '@replsim/protocol';
import { heardPrimary, nameOf } from './memberStory.ts';
import { memberOf, type Situation, whySilent } from './situation.ts';

type VoteAnswered = Extract<TraceEvent, { type: 'voteAnswered' }>;
type VotesRequested = Extract<TraceEvent, { type: 'votesRequested' }>;

/** So many of the newest requests and answers are remembered at least. */
const KEPT = 1000;

/** A candidate asks the voters of its config. */
export interface Asked {
  readonly kind: 'asked';
  readonly atMicros: number;
  readonly candidate: string;
  readonly term: Term;
  readonly dryRun: boolean;
  readonly claim: VoteClaim;
  readonly voters: readonly string[];
  /** Of which of them nothing could be heard then, and why. */
  readonly silent: ReadonlyMap<string, string>;
}

/** A voter's answer leaves. */
export interface Given {
  readonly kind: 'given';
  readonly atMicros: number;
  readonly voter: string;
  readonly candidate: string;
  readonly event: VoteAnswered;
  /** For whom, and when, it had voted in the request's term, if it had. */
  readonly before: Persisted | undefined;
  /** Where it refuses for a vote that it gave: whom that was for, whether or not it was on its disk. */
  readonly promised: string | undefined;
  /** The primary that it saw then, and that one's priority. */
  readonly primary: SeenPrimary | undefined;
  /** Since when what it says cannot reach the candidate. Unit: µs. */
  readonly unheardSince: number | undefined;
}

/** Whom a member takes for the primary. */
export interface SeenPrimary {
  readonly name: string;
  readonly priority: number;
}

interface Persisted {
  readonly term: Term;
  readonly candidate: string;
  readonly atMicros: number;
}

/** A candidate's vote for itself. */
export interface Own {
  readonly kind: 'own';
  readonly atMicros: number;
  readonly voter: string;
  readonly term: Term;
}

export type Ballot = Asked | Given | Own;

/** Who asked for votes, and what was answered. */
export class Votes {
  #ballots: Ballot[] = [];
  readonly #last = new Map<string, Persisted>();
  readonly #won: { readonly atMicros: number; readonly term: Term }[] = [];

  /** @param situation at this event, which others have taken in already */
  observe(event: TraceEvent, situation: Situation): void {
    switch (event.type) {
      case 'votesRequested':
        return this.#keep(asked(event, situation));
      case 'voteAnswered': {
        const { atMicros, member: voter } = event;
        const candidate = nameOf(event.candidate);
        const last = this.#last.get(voter);
        const before = last?.term === event.term ? last : undefined;
        const unheardSince = situation.walls.cutSince(voter, candidate);
        const primary = seenPrimary(voter, situation);
        const promised = promisedTo(event.reason, situation.members.get(voter)?.config);
        this.#keep({ kind: 'given', atMicros, voter, candidate, event, before, promised, primary, unheardSince });
        return;
      }
      case 'votePersisted': {
        const { atMicros, term, member: voter } = event;
        const candidate = nameOf(event.candidate);
        this.#last.set(voter, { term, candidate, atMicros });
        if (voter === candidate) this.#keep({ kind: 'own', atMicros, voter, term });
        return;
      }
      case 'electionWon':
        this.#won.push({ atMicros: event.atMicros, term: event.term });
    }
  }

  /** Of whom nothing could be heard when a candidate asked last, and why. */
  silentOf(candidate: string): ReadonlyMap<string, string> {
    const last = this.#ballots.findLast((each) => each.kind === 'asked' && each.candidate === candidate);
    return last?.kind === 'asked' ? last.silent : new Map();
  }

  /** What belongs to the last election, won or not: all since the one before it was won; newest first. */
  get ofLastElection(): Ballot[] {
    const newest = this.#ballots.at(-1)?.atMicros ?? 0;
    const before = this.#won.findLast(({ atMicros }) => atMicros < newest);
    if (!before) return this.#ballots.toReversed();
    const since = this.#ballots.filter((each) => each.atMicros > before.atMicros && !isOf(each, before.term));
    // What came in late is of an election that was over: what is asked about is that one.
    if (since.length > 0) return since.reverse();
    const last = this.#won.at(-2)?.atMicros ?? -1;
    return this.#ballots.filter(({ atMicros }) => atMicros > last).reverse();
  }

  #keep(ballot: Ballot): void {
    this.#ballots.push(ballot);
    if (this.#ballots.length > 2 * KEPT) this.#ballots = this.#ballots.slice(-KEPT);
  }
}

/** The candidate of whom a refusal speaks by its place in the config. */
function promisedTo(reason: string, config: ReplSetConfig | undefined): string | undefined {
  const [, index] = /^already voted for another candidate \(index (\d+)\)/.exec(reason) ?? [];
  const member = index === undefined ? undefined : config?.members[Number(index)];
  return member && nameOf(member.host);
}

/** The primary that a member sees now. */
export function seenPrimary(name: string, { members }: Situation): SeenPrimary | undefined {
  const story = members.get(name);
  const primary = story && heardPrimary(story);
  const priority = story?.config && primary !== undefined ? memberOf(story.config, primary)?.priority : undefined;
  return primary === undefined || priority === undefined ? undefined : { name: primary, priority };
}

/** Who made a voter refuse, where it says that a healthy primary did. */
export function refusal(reason: string, primary: SeenPrimary | undefined): string {
  if (!primary || !reason.startsWith('can see a healthy primary')) return reason;
  return `${reason}: ${primary.name}, of priority ${primary.priority}`;
}

/** Whether it belongs to the election of a term; a dry run belongs to the term after the one in which it asks. */
function isOf(ballot: Ballot, term: Term): boolean {
  if (ballot.kind === 'own') return ballot.term <= term;
  const { term: asked, dryRun } = ballot.kind === 'asked' ? ballot : ballot.event;
  return dryRun ? asked < term : asked <= term;
}

function asked({ atMicros, member: candidate, term, dryRun, claim }: VotesRequested, situation: Situation): Asked {
  const { members = [] } = situation.members.get(candidate)?.config ?? {};
  const voters = members.filter(({ votes }) => votes === 1).map(({ host }) => nameOf(host));
  const others = voters.filter((voter) => voter !== candidate);
  const silent = others.flatMap((voter) => {
    const why = whySilent(candidate, voter, situation);
    return why === undefined ? [] : [[voter, why] as const];
  });
  return { kind: 'asked', atMicros, candidate, term, dryRun, claim, voters: others, silent: new Map(silent) };
}
