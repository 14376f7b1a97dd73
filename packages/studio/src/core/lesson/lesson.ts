import type { AnswerForm, TraceEvent } from '@replsim/protocol';
import type { Question } from '../run/player.ts';
import { type Asked, askedBetween, NOBODY, numbersNear, turnBefore } from './asked.ts';

type EventOf<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

/** Something that a scenario says at an instant. */
export interface Said {
  readonly text: string;
  readonly atMicros: number;
  /** So many events of the trace have happened then, this among them. */
  readonly events: number;
}

/** What a scenario says to whom it teaches, in the order of the run. */
export interface Lesson {
  readonly chapters: readonly Said[];
  readonly captions: readonly Said[];
  /** Where to look from then on: members, and parts of the page. */
  readonly focuses: readonly (Omit<Said, 'text'> & { readonly on: readonly string[] })[];
  /** What it asks by itself. */
  readonly asks: readonly Asked[];
  /** What its checks could have been asked as. */
  readonly checks: readonly Asked[];
  /** Where it begins: behind the start, where that is folded away. */
  readonly start: { readonly atMicros: number; readonly events: number };
}

/** Reads a run as a lesson. @param events all of its trace */
export function lessonOf(events: readonly TraceEvent[]): Lesson {
  const reader = new LessonReader(events);
  events.forEach((event, i) => {
    reader.observe(event, i + 1);
  });
  return reader.lesson();
}

class LessonReader {
  readonly #events: readonly TraceEvent[];
  readonly #chapters: Said[] = [];
  readonly #captions: Said[] = [];
  readonly #focuses: Lesson['focuses'][number][] = [];
  readonly #asks: Asked[] = [];
  readonly #checks: Asked[] = [];
  /** Questions without an answer yet, by their numbers, and how many events are seen while they are open. */
  readonly #open = new Map<number, { readonly event: EventOf<'asked'>; readonly seen: number }>();
  #members: readonly string[] = [];
  #hidesStart = false;
  /** How many events had happened when the last step began; 0 where nobody could tell what comes of it. */
  #stepBegan = 0;

  constructor(events: readonly TraceEvent[]) {
    this.#events = events;
  }

  lesson(): Lesson {
    const [first] = this.#chapters;
    return {
      chapters: this.#chapters,
      captions: this.#captions,
      focuses: this.#focuses,
      asks: this.#asks,
      checks: this.#checks.filter((check) => !this.#asks.some((ask) => isSame(ask, check))),
      start:
        this.#hidesStart && first ? { atMicros: first.atMicros, events: first.events } : { atMicros: 0, events: 0 },
    };
  }

  /** @param count of the events up to this one */
  observe(event: TraceEvent, count: number): void {
    const { atMicros } = event;
    if (event.type === 'runStarted') this.#members = event.members;
    else if (event.type === 'step') this.#stepBegan = event.folded ? 0 : count;
    else if (event.type === 'hidden') this.#hidesStart = true;
    else if (event.type === 'act') this.#chapters.push({ text: event.title, atMicros, events: count });
    else if (event.type === 'note') this.#captions.push({ text: event.text, atMicros, events: count });
    else if (event.type === 'focused') this.#focuses.push({ on: event.on, atMicros, events: count });
    else if (event.type === 'asked') this.#open.set(event.number, { event, seen: this.#seenFor(event, count) });
    else if (event.type === 'answered') this.#answered(event, count);
    else if (event.type === 'checked') this.#checked(event, count);
  }

  /** What is looked at once stands there already when it is asked: the page asks before the step that led to it. */
  #seenFor({ dueMicros, atMicros }: EventOf<'asked'>, count: number): number {
    const isAtOnce = dueMicros === undefined || dueMicros <= atMicros;
    return isAtOnce && this.#stepBegan > 0 ? this.#stepBegan : count;
  }

  #answered({ number, answer, atMicros }: EventOf<'answered'>, count: number): void {
    const open = this.#open.get(number);
    if (!open) return;
    const { question, choices, form, dueMicros } = open.event;
    this.#asks.push(
      askedBetween(this.#events, open.seen, count, {
        text: question,
        choices: choices.map(String),
        answer: String(answer),
        ...(dueMicros !== undefined && { dueMicros }),
        ...this.#whyOf(form, answer, atMicros, count),
      }),
    );
  }

  /** Whether something holds nobody need guess: a scenario asks for what does. */
  #checked({ form, found, atMicros, sinceMicros }: EventOf<'checked'>, count: number): void {
    if (form === undefined || found === undefined || (form !== 'primary' && 'holds' in form)) return;
    const seen = sinceMicros === undefined ? this.#stepBegan : this.#countAt(sinceMicros, count);
    if (seen === 0) return;
    this.#checks.push(
      askedBetween(this.#events, seen, count, {
        text: textOf(form),
        choices: choicesOf(form, found, this.#members, count),
        answer: String(found),
        ...this.#whyOf(form, found, atMicros, count),
      }),
    );
  }

  /** What gives the reason of an answer, if something does: who leads has won an election, and a term has begun with one. */
  #whyOf(form: AnswerForm, answer: string | number, atMicros: number, count: number): { readonly why?: Question } {
    const last = (is: (event: TraceEvent) => boolean) => {
      const at = this.#events.findLastIndex((event, i) => i < count && is(event));
      return at < 0 ? {} : { why: { kind: 'event', turn: turnBefore(this.#events, at + 1) } as const };
    };
    if (form === 'primary')
      return answer === NOBODY
        ? { why: { kind: 'primary', atMicros } }
        : last((event) => event.type === 'electionWon' && event.member === answer);
    if ('state' in form) return { why: { kind: 'state', atMicros, member: form.state } };
    if ('term' in form) return last((event) => event.type === 'electionWon' && event.term === answer);
    if ('count' in form && !/^(primary|secondaries|all|any)$/.test(form.count.on))
      return { why: { kind: 'data', atMicros, member: form.count.on, ns: form.count.in } };
    return {};
  }

  /** How many events have happened when an instant is over. @param count of those up to now, which is later */
  #countAt(micros: number, count: number): number {
    let at = count;
    while (at > 0 && this.#events[at - 1]!.atMicros > micros) at--;
    return at;
  }
}

/** What a check asks besides whether it holds. */
type CheckForm = Exclude<AnswerForm, { readonly holds: string }>;

/** Whether a check and a question ask the same of the same instant. */
function isSame(one: Asked, other: Asked): boolean {
  return one.knownMicros === other.knownMicros && one.answer === other.answer;
}

function textOf(form: CheckForm): string {
  if (form === 'primary') return 'Who accepts writes then?';
  if ('state' in form) return `What state is ${form.state} in then?`;
  if ('term' in form) return `What term is ${form.term} in then?`;
  const { in: ns, on, where } = form.count;
  return `How many documents of ${ns}${where === undefined ? '' : ` are ${where}`} does ${on} have then?`;
}

const STATES = ['PRIMARY', 'SECONDARY', 'RECOVERING', 'ROLLBACK', 'STARTUP2', 'DOWN'];

function choicesOf(
  form: CheckForm,
  found: string | number,
  members: readonly string[],
  salt: number,
): readonly string[] {
  if (form === 'primary') return [...members, NOBODY];
  if (typeof found === 'number') return numbersNear(found, salt);
  return STATES.includes(found) ? STATES : [...STATES, found];
}
