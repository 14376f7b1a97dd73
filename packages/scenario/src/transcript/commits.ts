import {
  compareOpTimes,
  type MemberPosition,
  type OplogEntry,
  type OpTime,
  type ReplSetConfig,
  type TraceEvent,
  writeMajority,
} from '@replsim/protocol';
import { entryText, nameOf } from './entryText.ts';

/** A primary has learned that a majority holds what it wrote. */
export interface Commit {
  readonly opTime: OpTime;
  /** Voters that hold it as far as the primary knows, itself among them; by name. Empty if the trace was not heard from its beginning. */
  readonly heldBy: readonly string[];
}

/** What a primary has told of and does not know to be held by a majority, and what it knows of the others. */
class Primary {
  config: ReplSetConfig | undefined;
  readonly reported = new Map<number, MemberPosition>();
  /** The last entry of each storage transaction. */
  uncommitted: OpTime[] = [];
}

/**
 * Finds the moves of commit points that a reader cares about: a primary's own, over something that it was told to have written.
 * What the others learn of it afterwards, and the periodic no-op, move it all the time.
 */
export class Commits {
  readonly #primaries = new Map<string, Primary>();

  observe(event: TraceEvent): Commit | undefined {
    if (!('member' in event)) return undefined;
    switch (event.type) {
      case 'processStarted':
        this.#primaries.delete(event.member);
        return undefined;
      case 'configInstalled':
        this.#of(event.member).config = event.config;
        return undefined;
      case 'positionsReceived':
        for (const position of event.optimes) this.#of(event.member).reported.set(position.memberId, position);
        return undefined;
      case 'oplogWritten':
        if (event.origin === 'self') this.#wrote(event.member, event.entries);
        return undefined;
      case 'rolledBack':
        this.#of(event.member).uncommitted = [];
        return undefined;
      case 'commitPoint':
        return event.learned ? undefined : this.#moved(event.member, event.opTime);
      default:
        return undefined;
    }
  }

  /** What was written at once is over with its last entry. */
  #wrote(member: string, entries: readonly OplogEntry[]): void {
    // The text of all but a no-op is there without looking.
    const isTold = (entry: OplogEntry) => entry.operation.op !== 'n' || entryText(entry) !== undefined;
    const last = entries.findLast(isTold);
    if (last) this.#of(member).uncommitted.push(last.opTime);
  }

  #moved(member: string, opTime: OpTime): Commit | undefined {
    const primary = this.#of(member);
    const { uncommitted } = primary;
    primary.uncommitted = uncommitted.filter((each) => compareOpTimes(each, opTime) > 0);
    return primary.uncommitted.length === uncommitted.length
      ? undefined
      : { opTime, heldBy: holders(member, primary, opTime) };
  }

  #of(member: string): Primary {
    let primary = this.#primaries.get(member);
    if (!primary) {
      primary = new Primary();
      this.#primaries.set(member, primary);
    }
    return primary;
  }
}

function holders(member: string, { config, reported }: Primary, opTime: OpTime): string[] {
  const voters = (config?.members ?? []).filter(({ votes }) => votes > 0);
  const inQuestion = config?.writeConcernMajorityJournalDefault ? 'durableOpTime' : 'writtenOpTime';
  const found = voters.filter(({ _id, host, arbiterOnly }) => {
    if (nameOf(host) === member) return true;
    const position = reported.get(_id);
    return !arbiterOnly && position !== undefined && compareOpTimes(position[inQuestion], opTime) >= 0;
  });
  return config && found.length >= writeMajority(config) ? found.map(({ host }) => nameOf(host)) : [];
}
