import {
  type ForcedConfigTrace,
  LyingDisks,
  type OpTime,
  type Term,
  type TraceEvent,
  writeMajority,
} from '@replsim/protocol';
import type { Branches } from '../branches.ts';
import { nameOf } from '../memberStory.ts';
import { Configs, dataBearing } from './configs.ts';
import { type KeepingConcern, keepingConcern } from './keepingConcern.ts';

/** An entry, and where and when it was written. */
export interface WrittenEntry {
  readonly opTime: OpTime;
  readonly member: string;
  readonly atMicros: number;
}

/** How a write was lost. */
export interface Loss {
  /** The election whose winner did not hold it. */
  readonly term: Term;
  readonly primary: string;
  readonly electedMicros: number;
  /** The config by force without which a majority that held it would have had a say. */
  readonly forced?: ForcedConfigTrace;
  /** The weakest concern that would have kept it; undefined if none would have. */
  readonly keptBy: KeepingConcern | undefined;
}

interface Moment {
  readonly member: string;
  readonly atMicros: number;
}

/** Knows elections, votes and configs, and so which election lost a write, and why it could. */
export class Losses {
  readonly #branches: Branches;
  readonly #configs = new Configs();
  readonly #elections = new Map<Term, Moment>();
  /** By term and candidate: who voted for it, and when. */
  readonly #votes = new Map<string, Moment[]>();
  readonly #starts: Moment[] = [];
  readonly #disks = new LyingDisks();
  /** Who lost what was in its journal: by copying all data anew, or with a disk that had lied. */
  readonly #emptied: Moment[] = [];

  /** @param branches which somebody else shows the trace to */
  constructor(branches: Branches) {
    this.#branches = branches;
  }

  observe(event: TraceEvent): void {
    this.#configs.observe(event);
    if (this.#disks.observe(event) && 'member' in event) this.#empty(event);
    switch (event.type) {
      case 'electionWon':
        this.#elections.set(event.term, event);
        this.#vote(event.term, event.member, event);
        return;
      case 'voteAnswered':
        if (event.granted && !event.dryRun) this.#vote(event.term, nameOf(event.candidate), event);
        return;
      case 'processStarted':
        this.#starts.push({ member: event.member, atMicros: event.atMicros });
        return;
      case 'initialSync':
        if (event.phase === 'started') this.#empty(event);
    }
  }

  /** The election of a term. */
  elected(term: Term): Moment | undefined {
    return this.#elections.get(term);
  }

  /** How an entry was lost; undefined while the newest primary holds it. */
  lossOf(write: WrittenEntry): Loss | undefined {
    const term = this.#branches.lostInTerm(write.opTime);
    const election = term === undefined ? undefined : this.#elections.get(term);
    if (term === undefined || !election) return undefined;
    const { member: primary, atMicros: electedMicros } = election;
    const between = (moments: readonly Moment[]) => membersBetween(moments, write.atMicros, electedMicros);
    const config = this.#configs.of(write.member, write.atMicros);
    const later = this.#configs.of(primary, electedMicros);
    const forced = config && later && this.#configs.forcedBetween(config, later);
    const voters = this.#votersOf(term, primary, write);
    const members = config ? dataBearing(config) : [];
    const majority = config ? writeMajority(config) : 1;
    const keptBy = keepingConcern({
      dataBearing: members,
      writeMajority: majority,
      voters,
      restarted: between(this.#starts),
      emptied: between(this.#emptied),
      forced: forced !== undefined,
      majorityJournals: config?.writeConcernMajorityJournalDefault ?? true,
    });
    // Where any majority had a voter among it, the force made no difference.
    const mattered = forced && members.filter((member) => !voters.has(member)).length >= majority;
    return { term, primary, electedMicros, ...(mattered && { forced }), keptBy };
  }

  /** Without a writer that had voted before it wrote: its vote says nothing of the write. */
  #votersOf(term: Term, candidate: string, write: WrittenEntry): ReadonlySet<string> {
    const votes = this.#votes.get(keyOf(term, candidate)) ?? [];
    const counted = votes.filter(({ member, atMicros }) => member !== write.member || atMicros >= write.atMicros);
    return new Set(counted.map(({ member }) => member));
  }

  #empty({ member, atMicros }: Moment): void {
    this.#emptied.push({ member, atMicros });
  }

  #vote(term: Term, candidate: string, { member, atMicros }: Moment): void {
    const key = keyOf(term, candidate);
    const votes = this.#votes.get(key);
    if (votes) votes.push({ member, atMicros });
    else this.#votes.set(key, [{ member, atMicros }]);
  }
}

function membersBetween(moments: readonly Moment[], fromMicros: number, toMicros: number): ReadonlySet<string> {
  const between = moments.filter(({ atMicros }) => atMicros >= fromMicros && atMicros <= toMicros);
  return new Set(between.map(({ member }) => member));
}

function keyOf(term: Term, candidate: string): string {
  return `${term} ${candidate}`;
}
