import type { Leadership } from './leaders.ts';
import type { MonitorLine, MonitorRecord } from './monitorLine.ts';

/** How a document spent its time from when it was due to its deletion, µs. */
export interface Waits {
  sleep: number;
  election: number;
  disabled: number;
  backlog: number;
}

/**
 * Tells what a document waited for. Time goes by the member that led: while its monitor sleeps and has not woken since the
 * document was due, that is sleep; while it works, backlog; after a wake-up that brought nothing, and while it stands still
 * although it should wake or work, it was disabled. Where leadership ends, the wake-up that was planned still counts as sleep, for as long
 * as it lies ahead; what comes after it, up to the successor's first wake-up, is the election's. So is what follows a pass
 * of a leader that was replaced: it deleted the document, and a rollback brought it back.
 * @param leaders in the order in which they began, the member that deleted last
 */
export function waitsOf(
  dueMicros: number,
  deletedMicros: number,
  leaders: readonly Leadership[],
  lineOf: (member: string) => MonitorLine,
): Waits {
  const walk = new Walk(dueMicros, lineOf);
  const led = leaders.slice(
    Math.max(
      leaders.findLastIndex(({ fromMicros }) => fromMicros <= dueMicros),
      0,
    ),
  );
  for (const [i, { member, fromMicros, toMicros }] of led.entries()) {
    const successor = led[i + 1];
    const until = successor === undefined ? deletedMicros : Math.min(toMicros, successor.fromMicros);
    if (fromMicros > dueMicros) walk.takeOver(member, fromMicros, Math.min(until, deletedMicros));
    else if (until <= dueMicros) walk.follow(member, until);
    walk.under(member, Math.min(until, deletedMicros), successor !== undefined);
  }
  walk.without(deletedMicros);
  return walk.waits;
}

class Walk {
  readonly waits: Waits = { sleep: 0, election: 0, disabled: 0, backlog: 0 };
  readonly #due: number;
  readonly #lineOf: (member: string) => MonitorLine;
  #at: number;
  /** A monitor that should have taken it has woken since it was due. */
  #missed = false;
  /** It did take it, but lost its place, and a rollback brought the document back. */
  #undone = false;
  /** The next wake-up of those who led so far; at once if there was none. */
  #planned: number;

  constructor(dueMicros: number, lineOf: (member: string) => MonitorLine) {
    this.#due = dueMicros;
    this.#at = dueMicros;
    this.#planned = dueMicros;
    this.#lineOf = lineOf;
  }

  /** Nobody leads until then, or whoever does has not woken yet. */
  without(until: number): void {
    const sleepUntil = Math.min(Math.max(this.#planned, this.#at), until);
    this.#spend('sleep', sleepUntil);
    this.#spend('election', until);
  }

  /** It was due only after a leader had lost its place: what that one had planned is what would have come. */
  follow(member: string, lostMicros: number): void {
    const line = this.#lineOf(member);
    // What happened at the very instant may be the end of its process.
    const record = line.record(line.indexAt(lostMicros - 1));
    if (record?.phase === 'sleeping') this.#planFrom(record);
  }

  /** A member leads from then on; its monitor goes on with the sleep it was in. */
  takeOver(member: string, from: number, until: number): void {
    const woke = this.#lineOf(member).firstWake(from) ?? until;
    this.without(Math.min(Math.max(woke, this.#at), until));
  }

  /**
   * Under a leader, up to the end of its time; from its first wake-up where it took over.
   * @param replaced another deleted the document in the end, so that a pass of this one's was in vain
   */
  under(member: string, until: number, replaced: boolean): void {
    if (this.#at >= until) return;
    const line = this.#lineOf(member);
    for (let i = line.indexAt(this.#at); this.#at < until; i++) this.#step(line, i, until, replaced);
  }

  #step(line: MonitorLine, index: number, until: number, replaced: boolean): void {
    const record = line.record(index);
    const end = Math.min(until, line.record(index + 1)?.atMicros ?? until);
    // A monitor of which nothing is known is taken to sleep.
    if (!record) return this.#spend('sleep', end);
    const { phase, stopped, wakeMicros } = record;
    if (line.wokeAt(index, this.#due)) {
      this.#missed = true;
      this.#undone = replaced && phase === 'inPass';
    }
    if (phase === 'inPass' && !stopped) this.#spend('backlog', end);
    if (phase === 'sleeping' && !this.#missed) this.#spend('sleep', stopped ? Math.min(end, wakeMicros) : end);
    this.#spend(this.#undone && phase === 'sleeping' ? 'election' : 'disabled', end);
    if (phase === 'sleeping' && !this.#missed) this.#planFrom(record);
    else this.#planned = this.#at;
  }

  /** The first of the wake-ups, one interval apart, that is not over. */
  #planFrom({ sinceMicros, wakeMicros }: MonitorRecord): void {
    const every = wakeMicros - sinceMicros;
    const over = Math.max(this.#at - wakeMicros, 0);
    this.#planned = wakeMicros + (every > 0 ? Math.ceil(over / every) * every : 0);
  }

  #spend(on: keyof Waits, until: number): void {
    if (until <= this.#at) return;
    this.waits[on] += until - this.#at;
    this.#at = until;
  }
}
