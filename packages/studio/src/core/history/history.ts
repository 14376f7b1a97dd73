import { type TraceEvent, TraceNames } from '@replsim/protocol';
import { Walls } from '@replsim/why';
import type { StepTime } from '../edit/insertStep.ts';
import { Documents } from './documents.ts';
import { Happenings } from './happenings.ts';
import { Lanes } from './lanes.ts';
import { type LinkAt, Links } from './links.ts';
import { Logs } from './logs.ts';
import { type Mark, Marks } from './marks.ts';
import { after, type MemberAt, unseen } from './memberAt.ts';
import { Operations } from './operations.ts';
import { Oplogs } from './oplogs.ts';
import { countUpTo } from './search.ts';
import { isStop, type Stop } from './stops.ts';
import { Traffic } from './traffic.ts';

/** The set at an instant. */
export interface Moment {
  readonly atMicros: number;
  readonly members: readonly MemberAt[];
  /** Directed pairs that cannot reach each other. */
  readonly cut: readonly (readonly [from: string, to: string])[];
  /** Directed links that are not like the others. */
  readonly links: readonly LinkAt[];
  /** What all others have. Unit: ms. */
  readonly latencyMs: LinkAt['latencyMs'];
}

/** A stretch of time during which a member was in one state. */
export interface Stretch {
  readonly state: MemberAt['state'];
  readonly acceptsWrites: boolean;
  readonly fromMicros: number;
  /** Undefined: to the end of the run. */
  readonly toMicros: number | undefined;
}

type Members = ReadonlyMap<string, MemberAt>;
interface Keyframe {
  readonly atMicros: number;
  /** How many events had happened. */
  readonly events: number;
  readonly members: Members;
  readonly cut: Moment['cut'];
}

/** So many events at most are folded for one look. */
const KEYFRAME_EVERY = 512;

/**
 * A run, at any instant: what is shown is folded from the trace, from the last keyframe before it. It takes the trace while the run is
 * still being played.
 */
export class History {
  readonly #names = new TraceNames();
  readonly #events: TraceEvent[] = [];
  readonly #keyframes: Keyframe[] = [];
  #newest: Members = new Map();
  #walls = new Walls([]);
  #cut: Moment['cut'] = [];
  readonly #stretches = new Map<string, Stretch[]>();
  readonly oplogs = new Oplogs();
  readonly traffic = new Traffic();
  readonly lanes = new Lanes();
  readonly logs = new Logs();
  readonly operations = new Operations();
  readonly happenings = new Happenings();
  readonly documents = new Documents();
  readonly #marks = new Marks();
  readonly #links = new Links();
  /** The last turn or input: what follows comes of it. */
  #turn = 0;
  /** When each step of the scenario began and ended. */
  readonly #steps = new Map<number, StepTime>();
  #memberNames: readonly string[] = [];
  #epochSecs = 0;

  /** The time of the last event. Unit: µs. */
  get endMicros(): number {
    return this.#events.at(-1)?.atMicros ?? 0;
  }

  /** Time zero on every clock, in seconds since 1970: opTimes are shown from there on. */
  get epochSecs(): number {
    return this.#epochSecs;
  }

  /** All events so far, with members by their names. */
  get events(): readonly TraceEvent[] {
    return this.#events;
  }

  /** How many events there are: it grows while the run is played. */
  get size(): number {
    return this.#events.length;
  }

  get memberNames(): readonly string[] {
    return this.#memberNames;
  }

  /** In the order in which they began. */
  get steps(): readonly StepTime[] {
    return [...this.#steps.values()];
  }

  /** What the timeline points at, by when it happened. */
  get marks(): readonly Mark[] {
    return this.#marks.all;
  }

  add(events: readonly TraceEvent[]): void {
    for (const each of events) this.#add(this.#names.named(each));
  }

  /** The set at an instant, after all that happened at it. */
  at(atMicros: number): Moment {
    const upTo = countUpTo(this.#events, (event) => event.atMicros, atMicros);
    const frame = this.#keyframes[countUpTo(this.#keyframes, ({ events }) => events, upTo) - 1];
    const members = new Map(frame?.members);
    let cut = frame?.cut ?? [];
    for (let i = frame?.events ?? 0; i < upTo; i++) {
      const event = this.#events[i]!;
      take(members, event);
      if (changesWalls(event)) cut = this.#cutAfter.get(i) ?? cut;
    }
    return {
      atMicros,
      members: [...members.values()],
      cut,
      links: this.#links.at(atMicros),
      latencyMs: this.#links.latencyMs,
    };
  }

  /** What cut there was after each event that changed it, by its number. */
  readonly #cutAfter = new Map<number, Moment['cut']>();

  stretches(member: string): readonly Stretch[] {
    return this.#stretches.get(member) ?? [];
  }

  /** The instant of the next stop of a kind, or of the last before. @param member see `isStop` */
  neighbour(atMicros: number, direction: 1 | -1, member: string | undefined, kind: Stop = 'event'): number | undefined {
    const from = countUpTo(this.#events, (event) => event.atMicros, atMicros);
    for (let i = direction === 1 ? from : from - 1; i >= 0 && i < this.#events.length; i += direction) {
      const event = this.#events[i]!;
      if (event.atMicros !== atMicros && isStop(event, kind, member)) return event.atMicros;
    }
    return undefined;
  }

  #add(event: TraceEvent): void {
    if (event.type === 'runStarted') this.#begin(event);
    if (this.#events.length % KEYFRAME_EVERY === 0)
      this.#keyframes.push({
        atMicros: event.atMicros,
        events: this.#events.length,
        members: this.#newest,
        cut: this.#cut,
      });
    this.#walls.observe(event);
    if (changesWalls(event)) {
      this.#cut = pairs(this.#memberNames).filter(([from, to]) => this.#walls.cutSince(from, to) !== undefined);
      this.#cutAfter.set(this.#events.length, this.#cut);
    }
    this.#events.push(event);
    if (event.type === 'turn' || event.type === 'clientTurn' || event.type === 'input') this.#turn = event.turn;
    this.oplogs.observe(event, this.#turn);
    this.traffic.observe(event);
    this.lanes.observe(event);
    this.#links.observe(event);
    this.logs.observe(event);
    this.operations.observe(event);
    this.happenings.observe(event);
    this.documents.observe(event);
    this.#observeSteps(event);
    this.#marks.observe(event);
    this.#fold(event);
  }

  /** The steps of a `repeat` have its number: it began with the first of them, and ends with the last. What happens meanwhile is no step. */
  #observeSteps(event: TraceEvent): void {
    if ((event.type !== 'step' && event.type !== 'stepEnded') || event.index < 0) return;
    const { index, atMicros } = event;
    const begun = this.#steps.get(index);
    if (event.type === 'step')
      this.#steps.set(index, { index, atMicros: begun?.atMicros ?? atMicros, endedMicros: undefined });
    else if (begun) this.#steps.set(index, { ...begun, endedMicros: atMicros });
  }

  #begin({ members, epochMs }: Extract<TraceEvent, { type: 'runStarted' }>): void {
    this.#epochSecs = Math.floor(epochMs / 1000);
    this.#memberNames = members;
    this.#walls = new Walls(members);
    this.#newest = new Map(members.map((name) => [name, unseen(name)]));
  }

  #fold(event: TraceEvent): void {
    if (!('member' in event)) return;
    const before = this.#newest.get(event.member);
    if (!before) return;
    const now = after(before, event);
    if (now === before) return;
    this.#newest = new Map(this.#newest).set(event.member, now);
    if (now.state !== before.state || now.acceptsWrites !== before.acceptsWrites) this.#turnTo(now, event.atMicros);
  }

  #turnTo({ name, state, acceptsWrites }: MemberAt, fromMicros: number): void {
    const stretches = this.#stretches.get(name) ?? [];
    const last = stretches.pop();
    if (last && last.fromMicros < fromMicros) stretches.push({ ...last, toMicros: fromMicros });
    stretches.push({ state, acceptsWrites, fromMicros, toMicros: undefined });
    this.#stretches.set(name, stretches);
  }
}

function take(members: Map<string, MemberAt>, event: TraceEvent): void {
  if (event.type === 'runStarted') for (const name of event.members) members.set(name, unseen(name));
  if (!('member' in event)) return;
  const member = members.get(event.member);
  if (member) members.set(event.member, after(member, event));
}

function changesWalls({ type }: TraceEvent): boolean {
  return type === 'partitioned' || type === 'cut' || type === 'healed';
}

function pairs(names: readonly string[]): (readonly [string, string])[] {
  return names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));
}
