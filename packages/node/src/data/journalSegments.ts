import { compareTimestamps, required, type Timestamp } from '@replsim/protocol';

/** What is known of one flush without reading it again. */
interface Segment {
  readonly number: number;
  /** The greatest `ts` of the oplog entries in it; undefined if it holds none. */
  readonly newest: Timestamp | undefined;
  readonly unreplicated: number;
}

/** What a checkpoint may drop of the journal. */
export interface Droppable {
  /** The last segment that may go, 0 if none may. */
  readonly throughSegment: number;
  /** How many unreplicated records have gone with all segments dropped so far, these included. */
  readonly unreplicated: number;
}

/**
 * The segments of the journal on disk. The oplog lives in them, so a segment goes when a checkpoint holds everything else
 * that it says, and the oplog has been truncated beyond its entries: that is what bounds recovery.
 */
export class JournalSegments {
  readonly #segments: Segment[] = [];
  #next = 1;
  #unreplicatedDropped = 0;
  /** What has been appended since the last flush began. */
  #newest: Timestamp | undefined;
  #unreplicated = 0;
  #flushing: Segment | undefined;

  /** After a restart: the number that the next segment will bear, and what had been dropped. */
  resume(nextSegment: number, unreplicatedDropped: number): void {
    this.#next = nextSegment;
    this.#unreplicatedDropped = unreplicatedDropped;
  }

  /** A segment that was on disk when the process started; in order. */
  found(number: number, newest: Timestamp | undefined, unreplicated: number): void {
    this.#segments.push({ number, newest, unreplicated });
  }

  appendedEntry(ts: Timestamp): void {
    // A rollback lets timestamps begin again from below.
    if (!this.#newest || compareTimestamps(ts, this.#newest) > 0) this.#newest = ts;
  }

  appendedUnreplicated(): void {
    this.#unreplicated += 1;
  }

  flushBegins(): void {
    this.#flushing = { number: this.#next++, newest: this.#newest, unreplicated: this.#unreplicated };
    this.#newest = undefined;
    this.#unreplicated = 0;
  }

  flushEnded(): void {
    this.#segments.push(required(this.#flushing, 'flush under way'));
    this.#flushing = undefined;
  }

  /**
   * @param oldest the first entry that the oplog still holds; undefined if it holds none, and then nothing is known of
   *   what its entries are needed for
   */
  droppable(oldest: Timestamp | undefined): Droppable {
    let unreplicated = this.#unreplicatedDropped;
    let throughSegment = 0;
    for (const segment of this.#segments) {
      if (segment.newest && !(oldest && compareTimestamps(segment.newest, oldest) < 0)) break;
      throughSegment = segment.number;
      unreplicated += segment.unreplicated;
    }
    return { throughSegment, unreplicated };
  }

  /** The checkpoint that dropped them is on disk. */
  dropped({ throughSegment, unreplicated }: Droppable): void {
    while (this.#segments[0] && this.#segments[0].number <= throughSegment) this.#segments.shift();
    this.#unreplicatedDropped = unreplicated;
  }
}
