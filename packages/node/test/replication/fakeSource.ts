import { noopOperation } from '@replsim/oplog';
import {
  type MemberCommand,
  type MemberReply,
  OplogEntry,
  type OplogFindCommand,
  type OplogReply,
  type OpTime,
} from '@replsim/protocol';
import { holding, LoneMember } from '../loneMember.ts';

const TERM = 1;

/**
 * A primary `b:1` with an oplog that a test fills, and the member `a:1` that fetches from it. A `getMore` at the end of the
 * oplog gets no answer.
 */
export class FakeSource {
  readonly member: LoneMember;
  readonly entries: OplogEntry[] = [];
  batchSize = Number.POSITIVE_INFINITY;
  committed: OpTime | undefined;
  committedWallMs = 0;
  /** Whom it says to be primary: itself, unless a test says otherwise. */
  primaryIndex = 1;
  #next = 0;

  constructor() {
    this.member = LoneMember.initiated(2);
    const { repl } = this.member;
    this.entries.push(repl.oplog.lastEntry!);
    this.member.peers.get('b:1')!.other = (command) => this.#answer(command) ?? 'silence';
  }

  get views() {
    return this.member.repl.topology.views;
  }

  /** More entries, a second apart, from ten seconds after the set began. */
  write(count: number): void {
    for (let i = 0; i < count; i++) {
      const last = this.entries.at(-1)!.opTime.ts.t;
      const ts = { t: this.entries.length === 1 ? last + 10 : last + 1, i: 1 };
      this.entries.push(new OplogEntry(noopOperation('more'), { ts, t: TERM }, ts.t * 1000));
    }
    this.member.peers.get('b:1')!.heartbeat = {
      state: 'PRIMARY',
      term: TERM,
      electionTime: { t: 1, i: 1 },
      ...holding(this.last),
    };
  }

  get last(): OpTime {
    return this.entries.at(-1)!.opTime;
  }

  /** The member has chosen this source and holds what it has. */
  fetch(): void {
    for (let i = 0; i < 50 && this.member.repl.syncSource === undefined; i++) this.member.advance(100);
    this.member.advance(100);
  }

  #answer(command: MemberCommand): MemberReply | undefined {
    if ('replSetUpdatePosition' in command) return { ok: 1 };
    if ('limit' in command) return { ok: 1, first: this.entries[0]!.opTime, lastEntry: this.entries.at(-1), rbid: 1 };
    if ('tailable' in command) {
      const from = (command as OplogFindCommand).filter.ts.$gte;
      this.#next = this.entries.findIndex(({ opTime }) => opTime.ts.t >= from.t);
    } else if (!('getMore' in command) || this.#next === this.entries.length) {
      return undefined;
    }
    const batch = this.entries.slice(this.#next, this.#next + this.batchSize);
    this.#next += batch.length;
    return this.#reply(batch);
  }

  #reply(batch: readonly OplogEntry[]): OplogReply {
    const { term, config } = this.member.repl.topology;
    const committing = { lastOpCommitted: this.committed ?? this.last, lastCommittedWallMs: this.committedWallMs };
    return {
      ok: 1,
      cursorId: 7,
      batch,
      $replData: {
        ...committing,
        term: Math.max(term, TERM),
        configVersion: config!.version,
        configTerm: config!.term,
        primaryIndex: 1,
        syncSourceIndex: -1,
        isPrimary: true,
      },
      $oplogQueryData: {
        ...committing,
        lastOpApplied: this.last,
        lastOpWritten: this.last,
        rbid: 1,
        primaryIndex: this.primaryIndex,
        syncSourceIndex: -1,
        syncSourceHost: '',
      },
    };
  }
}
