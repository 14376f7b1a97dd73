import { encodeDocument, type MemberTrace, OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';
import { Lateness } from '../../src/index.ts';

export const EPOCH_MS = Date.UTC(2025, 0, 1);
const S = 1_000_000;

/** A trace written by hand, and what is measured of it. Times are seconds. */
export class Told {
  readonly lateness = new Lateness();
  #entries = 0;

  constructor() {
    const members = ['n1', 'n2', 'n3'];
    const header = { traceVersion: 1, seed: 1, version: '8.0', setName: 'rs0', members, epochMs: EPOCH_MS };
    this.lateness.observe({ atMicros: 0, type: 'runStarted', ...header });
  }

  event(at: number, member: string, event: MemberTrace): void {
    this.lateness.observe({ atMicros: at * S, member, ...event } as TraceEvent);
  }

  leads(at: number, member: string, term = 1, value = true): void {
    this.event(at, member, { type: 'acceptsWrites', value, term });
  }

  /** Its monitor sleeps from then on. */
  sleeps(at: number, member: string, wake: number): void {
    this.event(at, member, { type: 'ttlMonitor', phase: 'sleeping', sinceMicros: at * S, wakeMicros: wake * S });
  }

  works(at: number, member: string): void {
    this.event(at, member, { type: 'ttlMonitor', phase: 'inPass' });
  }

  index(at: number, member: string, expireAfterSeconds = 60, index = 'ttl', ns = 'app.s'): void {
    this.event(at, member, { type: 'ttlIndexRegistered', ns, index, expireAfterSeconds });
  }

  opTime(at: number, term: number): OpTime {
    return { ts: { t: EPOCH_MS / 1000 + Math.floor(at), i: ++this.#entries }, t: term };
  }

  /** Somebody's oplog takes an entry. */
  wrote(at: number, member: string, opTime: OpTime, origin: 'self' | 'fetched' = 'self', operations = 0): OpTime {
    const document = { bytes: encodeDocument({ _id: 1 }) };
    const each = { op: 'd', ns: 'app.s', o: document.bytes, document } as const;
    const entry = operations > 0 ? new OplogEntry({ ...each, op: 'c' }, opTime, 0, Array(operations).fill(each)) : new OplogEntry({ op: 'n', ns: '', o: encodeDocument({}) }, opTime, 0); // biome-ignore format: one line
    this.event(at, member, { type: 'oplogWritten', entries: [entry], origin, acceptsWrites: origin === 'self' });
    return opTime;
  }

  applied(at: number, member: string, opTime: OpTime): void {
    this.event(at, member, { type: 'applied', opTime, entries: 1, dataHash: [0, 0] });
  }

  /**
   * A member deletes a batch, writes its entry and has it applied.
   * @param due when its documents were, by a right clock
   * @param clock how far its own is ahead
   */
  deletes(at: number, member: string, due: readonly number[], term = 1, clock = 0, expireAfterSeconds = 60): OpTime {
    const wallMs = EPOCH_MS + Math.floor(at * 1000) + clock * 1000;
    this.event(at, member, {
      type: 'ttlDeleted',
      ns: 'app.s',
      index: 'ttl',
      expireAfterSeconds,
      wallMs,
      limitMs: wallMs - expireAfterSeconds * 1000,
      dates: due.map((second) => EPOCH_MS + (second - expireAfterSeconds) * 1000),
      acceptsWrites: true,
      standaloneOnReplSetData: false,
    });
    const opTime = this.wrote(at, member, this.opTime(at, term), 'self', due.length);
    this.applied(at, member, opTime);
    return opTime;
  }

  /** Another member has fetched and applied it. */
  follows(at: number, member: string, opTime: OpTime): void {
    this.wrote(at, member, opTime, 'fetched');
    this.applied(at, member, opTime);
  }

  summary(on?: string) {
    return this.lateness.summary({ ns: 'app.s', index: 'ttl' }, on);
  }
}
