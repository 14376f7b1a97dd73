import { decodePromoted, encodeDocument, type TraceEvent } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import { primaryOf } from './primary.ts';

const OPERATIONS = encodeDocument({ currentOp: 1, $db: 'admin' });

/**
 * Watches for the end of a pass of the primary's TTL monitor that begins from now on, so that whatever is due now has been
 * looked at. A pass that is interrupted does not count. Who makes one must `close` it: a set that is watched traces.
 */
export class TtlPassWatch {
  readonly #set: ReplSet;
  /** Members in the middle of a pass that began before. */
  readonly #late: Set<string>;
  /** Who has ended a pass, and may be primary. */
  readonly #candidates = new Set<string>();
  /** Nobody listens any more. */
  readonly close: () => void;
  #ended = false;

  constructor(set: ReplSet) {
    this.#set = set;
    this.#late = new Set(set.memberNames.filter((name) => isInPass(set, name)));
    this.close = set.onTrace((event) => this.#heard(event));
  }

  /** Whether it has ended: cheap enough to be asked after each event. */
  ended(): boolean {
    if (this.#candidates.size > 0) {
      const primary = primaryOf(this.#set);
      this.#ended ||= primary !== undefined && this.#candidates.has(primary);
      this.#candidates.clear();
    }
    return this.#ended;
  }

  #heard(event: TraceEvent): void {
    if (event.type === 'processStarted') this.#late.delete(event.member);
    if (event.type !== 'ttlPassEnded' || this.#late.delete(event.member)) return;
    if (event.error === undefined) this.#candidates.add(event.member);
  }
}

function isInPass(set: ReplSet, name: string): boolean {
  const { running, paused } = set.status(name);
  if (!running || paused) return false;
  const { inprog = [] } = decodePromoted(set.ask(name, OPERATIONS));
  return inprog.some(({ desc }: { readonly desc?: string }) => desc === 'TTLMonitor');
}
