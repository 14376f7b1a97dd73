import { compareOpTimes, type OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** How an entry was taken from an oplog: undone, or not yet in the journal when the process ended. */
type Removal = 'rolled back' | 'lost';

/** One entry in one member's oplog, as it is at an instant. */
export interface Cell {
  readonly entry: OplogEntry;
  readonly addedMicros: number;
  /** Of the turn that wrote it there; 0 in a trace without causes. */
  readonly turn: number;
  /** What has taken it away since; undefined while it is there. */
  readonly removal: Removal | undefined;
  readonly removedMicros: number | undefined;
}

/** From when to when an entry was there: what a crash has taken may come back. */
interface Stay {
  readonly addedMicros: number;
  readonly turn: number;
  removedMicros: number | undefined;
  removal: Removal | undefined;
  /** When it went with all before it, and is shown no more. */
  droppedMicros: number | undefined;
}

interface Held {
  readonly entry: OplogEntry;
  /** Oldest first, never empty. */
  readonly stays: Stay[];
}

interface Lane {
  /** Ordered by optime, which but for what comes back is the order in which they were written. */
  readonly held: Held[];
  /** All before it were dropped. */
  dropped: number;
}

/** What each member's oplog held at each instant, and what it held no more. */
export class Oplogs {
  readonly #lanes = new Map<string, Lane>();

  /** @param turn the last turn so far: what happens comes of it */
  observe(event: TraceEvent, turn: number): void {
    switch (event.type) {
      case 'oplogWritten':
        for (const entry of event.entries) this.#add(event.member, entry, event.atMicros, turn);
        break;
      case 'rolledBack':
        this.#cutBehind(event.member, event.commonPoint, event.atMicros, 'rolled back');
        break;
      case 'processStarted':
        // A crash takes what was not in the journal.
        this.#cutBehind(event.member, event.lastApplied, event.atMicros, 'lost');
        break;
      case 'oplogTruncated':
        this.#drop(event.member, event.atMicros, event.first);
        break;
      case 'initialSync':
        if (event.phase === 'started') this.#drop(event.member, event.atMicros, undefined);
        break;
      default:
    }
  }

  /**
   * The newest entries of a member at an instant, oldest first, those that were taken away in their places.
   * @param upTo leaves out what is newer
   */
  at(member: string, atMicros: number, most: number, upTo?: OpTime): readonly Cell[] {
    const { held } = this.#of(member);
    const found: Cell[] = [];
    let i = countUpTo(held, ({ stays }) => stays[0]!.addedMicros, atMicros) - 1;
    if (upTo) i = Math.min(i, countOf(held, upTo) - 1);
    for (; i >= 0 && found.length < most; i--) {
      const { entry, stays } = held[i]!;
      const stay = stays.findLast(({ addedMicros }) => addedMicros <= atMicros);
      if (!stay) continue;
      const { addedMicros, turn, removedMicros, droppedMicros } = stay;
      if (droppedMicros !== undefined && droppedMicros <= atMicros) break;
      const removal = removedMicros !== undefined && removedMicros <= atMicros ? stay.removal : undefined;
      found.push({ entry, addedMicros, turn, removal, removedMicros: removal && removedMicros });
    }
    return found.reverse();
  }

  #of(member: string): Lane {
    let lane = this.#lanes.get(member);
    if (lane === undefined) {
      lane = { held: [], dropped: 0 };
      this.#lanes.set(member, lane);
    }
    return lane;
  }

  #add(member: string, entry: OplogEntry, addedMicros: number, turn: number): void {
    const lane = this.#of(member);
    const { held } = lane;
    const stay = { addedMicros, turn, removedMicros: undefined, removal: undefined, droppedMicros: undefined };
    const place = countOf(held, entry.opTime);
    // An initial sync may bring again what another one has dropped.
    lane.dropped = Math.min(lane.dropped, Math.max(place - 1, 0));
    const before = held[place - 1];
    if (before && compareOpTimes(before.entry.opTime, entry.opTime) === 0) before.stays.push(stay);
    else if (place === held.length) held.push({ entry, stays: [stay] });
    else held.splice(place, 0, { entry, stays: [stay] });
  }

  #cutBehind(member: string, opTime: OpTime, atMicros: number, removal: Removal): void {
    const { held } = this.#of(member);
    for (let i = held.length - 1; i >= 0 && compareOpTimes(held[i]!.entry.opTime, opTime) > 0; i--)
      removeLast(held[i]!, atMicros, removal);
  }

  #drop(member: string, atMicros: number, first: OpTime | undefined): void {
    const lane = this.#of(member);
    const { held } = lane;
    while (lane.dropped < held.length && !(first && compareOpTimes(held[lane.dropped]!.entry.opTime, first) >= 0))
      held[lane.dropped++]!.stays.at(-1)!.droppedMicros ??= atMicros;
  }
}

function removeLast({ stays }: Held, atMicros: number, removal: Removal): void {
  const last = stays.at(-1)!;
  if (last.removedMicros !== undefined) return;
  last.removedMicros = atMicros;
  last.removal = removal;
}

/** How many of them, ordered by optime, stand at or before one. */
function countOf(held: readonly Held[], opTime: OpTime): number {
  let [low, high] = [0, held.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareOpTimes(held[middle]!.entry.opTime, opTime) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
