import { END_OF_CLOCKS_MS, formatDuration, WallClock } from '@replsim/kernel';
import { DEFAULT_EPOCH_MS, isOnClock, type ReplSetOptions } from '@replsim/replset';
import type { Path, Source } from '../file/source.ts';

const HOUR_MICROS = 3_600_000_000;
/**
 * How much virtual time an idle set plays in a second, by the links between its members: heartbeats are most of what happens. Measured: 46 h
 * for one member, 4 h for three, 1 h for seven.
 */
const HOURS_A_SECOND_OF_ONE_MEMBER = 46;
const HOURS_A_SECOND_OF_A_LINK = 30;

/** What virtual time at least has passed before a step, as far as the file itself says it. */
export class Elapsed {
  /** The earliest instant at which the next step can come. */
  micros = 0;
  /** What of it was asked for as a length, and comes again where a step is repeated. */
  lengths = 0;

  readonly #source: Source;
  #endMicros = Number.POSITIVE_INFINITY;
  #members = 1;
  /** They pass the end of all clocks, and that has been told. */
  #ended = false;
  #warned = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** @param setsClocks a step sets clocks, so that when they end only the run can say */
  of({ members, epochMs = DEFAULT_EPOCH_MS }: Pick<ReplSetOptions, 'members' | 'epochMs'>, setsClocks: boolean): void {
    this.#members = Math.max(1, members.length);
    if (setsClocks) return;
    const right = members.filter(({ clock }) => isOnClock(epochMs + (clock?.offsetMs ?? 0)));
    const ends = right.map(({ clock }) => new WallClock({ epochMs, ...clock }).microsAt(0, END_OF_CLOCKS_MS));
    this.#endMicros = Math.min(...ends.map((end) => end ?? Number.POSITIVE_INFINITY));
  }

  /** One step alone passes the end of all clocks. */
  end(): void {
    this.#ended = true;
  }

  /** A step lasts so long, and perhaps longer. @param sinceMicros when it begins at the earliest */
  lasts(path: Path, micros: number, sinceMicros = this.micros): void {
    this.lengths += micros;
    this.to(path, sinceMicros + micros);
  }

  /** A step lasts until this instant, and perhaps longer. */
  to(path: Path, atMicros: number): void {
    if (atMicros <= this.micros) return;
    this.micros = atMicros;
    if (atMicros >= this.#endMicros) this.#ends(path);
    else if (this.#hours() >= 1) this.#takesLong(path);
  }

  #ends(path: Path): void {
    if (this.#ended) return;
    this.#ended = true;
    const days = Math.floor(this.#endMicros / HOUR_MICROS / 24);
    this.#source.mistakeAtPath(
      path,
      'here the clocks pass 2106, where they end',
      `let less than ${days > 0 ? `${days}d` : formatDuration(this.#endMicros)} pass in all, or choose an earlier "epoch"`,
    );
  }

  #takesLong(path: Path): void {
    if (this.#warned) return;
    this.#warned = true;
    const days = Math.floor(this.micros / HOUR_MICROS / 24);
    const hours = Math.floor(this.#hours());
    this.#source.warnAtPath(
      path,
      `up to here ${days} days of virtual time pass; even an idle set of this size takes about ${hours} h of real time for them`,
      'let less time pass; to reach a distant date, set the clocks: "- clock: { on: all, jump: 365d }"',
    );
  }

  /** Of real time, about. */
  #hours(): number {
    const links = this.#members * (this.#members - 1);
    const secondsAnHour = 1 / HOURS_A_SECOND_OF_ONE_MEMBER + links / HOURS_A_SECOND_OF_A_LINK;
    return ((this.micros / HOUR_MICROS) * secondsAnHour) / 3600;
  }
}
