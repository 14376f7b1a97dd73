import type { OpTime, ReplSetConfig, Term, TraceEvent } from '@replsim/protocol';
import { EMPTY_LOG, Entries, type Entry } from './entries.ts';
import type { Kind } from './kinds.ts';
import { type Member, nameOf, newMember } from './members.ts';

export type Of<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

/** The run is not a behaviour of RaftMongo. */
export class NotRaftMongo extends Error {
  override readonly name = 'NotRaftMongo';
}

/** Fails the run unless it holds. @throws NotRaftMongo */
export function must(holdsTrue: boolean, message: string): asserts holdsTrue {
  if (!holdsTrue) throw new NotRaftMongo(message);
}

/** What is known of a run, up to some event. */
export class Run {
  readonly #members = new Map<string, Member>();
  readonly entries = new Entries();
  /** For whom, by term and voter. */
  readonly votes = new Map<Term, Map<string, string>>();
  /** Terms that a candidate has raised, and nobody has won yet. */
  readonly raised = new Set<Term>();
  /** The newest entry that any primary has committed. */
  committed: Entry = EMPTY_LOG;
  readonly tally = new Map<Kind, number>();

  get members(): Member[] {
    return [...this.#members.values()];
  }

  member(name: string): Member {
    let member = this.#members.get(name);
    if (member === undefined) {
      member = newMember(name);
      this.#members.set(name, member);
    }
    return member;
  }

  others(me: Member): Member[] {
    return this.members.filter((member) => member !== me);
  }

  /** Who told a member what it acts on; it must be another. @param host as the trace names it */
  teller(me: Member, host: string | undefined): Member {
    must(host !== undefined, 'the trace does not say from whom it has that');
    const teller = this.member(nameOf(host));
    must(teller !== me, 'it has that from itself');
    return teller;
  }

  known(opTime: OpTime, action: string): Entry {
    const entry = this.entries.find(opTime);
    must(entry !== undefined, `${action}: an entry of t${opTime.t} that nobody wrote`);
    return entry;
  }

  count(kind: Kind): void {
    this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1);
  }
}

export function configOf({ config, name }: Member): ReplSetConfig {
  must(config !== undefined, `${name} has no config`);
  return config;
}
