import type { Asked } from './asked.ts';
import type { Lesson, Said } from './lesson.ts';

/** What somebody has answered; undefined: it was shown instead. */
export type Answers = ReadonlyMap<Asked, string | undefined>;

/** The question that comes next, or is put now: nothing behind it is seen before it is answered. */
export function openQuestion(questions: readonly Asked[], answers: Answers): Asked | undefined {
  return questions
    .filter((each) => !answers.has(each))
    .reduce<Asked | undefined>((first, each) => (first && !isBefore(each, first) ? first : each), undefined);
}

function isBefore(one: Asked, other: Asked): boolean {
  return (
    one.seenEvents < other.seenEvents || (one.seenEvents === other.seenEvents && one.knownEvents < other.knownEvents)
  );
}

/** How many were right, of how many that were put. */
export function scoreOf(answers: Answers): { readonly right: number; readonly asked: number } {
  const right = [...answers].filter(([{ answer }, given]) => given === answer).length;
  return { right, asked: answers.size };
}

/** Where the page waits for its reader. Several may stand at one instant, one behind the other. */
export interface Stop {
  readonly atMicros: number;
  /** So many events of the trace have happened. */
  readonly events: number;
}

/** Whether one stands behind another. */
export function isBehind(one: Stop, other: Stop): boolean {
  return one.atMicros > other.atMicros || (one.atMicros === other.atMicros && one.events > other.events);
}

/** The question that was answered where a reader stands, or whose answer has just come true there: that one alone has a verdict to read. */
export function answeredAt(answers: Answers, { atMicros, events }: Stop): Asked | undefined {
  return [...answers.keys()].findLast(
    (asked) =>
      (asked.atMicros === atMicros && asked.seenEvents === events) ||
      (asked.knownMicros === atMicros && asked.knownEvents === events),
  );
}

/** All stops in order: what is said, put and answered, and where what is seen begins and ends. */
export function stopsOf(
  { chapters, captions, start }: Lesson,
  questions: readonly Asked[],
  answers: Answers,
  end: Stop,
): readonly Stop[] {
  const told = [
    ...captions,
    ...questions.map(({ atMicros, seenEvents }) => ({ atMicros, events: seenEvents })),
    ...[...answers.keys()].map(({ knownMicros, knownEvents }) => ({ atMicros: knownMicros, events: knownEvents })),
  ];
  // A chapter begins with what is said in it, if that is at once. Where something else has just been said, its title alone is nothing to stop for.
  const bare = chapters.filter((each) => !told.some((stop) => stop.atMicros === each.atMicros));
  const within = [...told, ...bare].filter((stop) => isBehind(stop, start) && !isBehind(stop, end));
  const ordered = within.sort((a, b) => a.atMicros - b.atMicros || a.events - b.events);
  // Behind what was said last at its instant the end has nothing to add.
  const last = end.atMicros > (ordered.at(-1) ?? start).atMicros ? [end] : [];
  return [start, ...ordered, ...last].filter((stop, i, all) => i === 0 || isBehind(stop, all[i - 1]!));
}

/** Where a reader stands who is at an instant: where one last was, or in front of all that is said at it. */
export function placeAt(stops: readonly Stop[], atMicros: number, last: Stop | undefined): Stop {
  if (last?.atMicros === atMicros) return last;
  return stops.find((stop) => stop.atMicros === atMicros) ?? { atMicros, events: 0 };
}

/** What was said last when a reader stands somewhere, as far as it is seen. */
export function saidAt(said: readonly Said[], place: Stop, seenEvents: number): Said | undefined {
  return said.findLast((each) => !isBehind(each, place) && each.events <= seenEvents);
}
