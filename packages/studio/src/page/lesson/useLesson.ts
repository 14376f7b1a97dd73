import { type Dispatch, type SetStateAction, useCallback, useLayoutEffect, useMemo, useState } from 'react';
import type { Reading } from '../../core/edit/fragment.ts';
import type { Asked } from '../../core/lesson/asked.ts';
import { type Lesson, lessonOf } from '../../core/lesson/lesson.ts';
import { quizOf } from '../../core/lesson/quiz.ts';
import { type Seen, seenOf, withoutStart } from '../../core/lesson/seen.ts';
import { type Answers, isBehind, openQuestion, placeAt, type Stop, stopsOf } from '../../core/lesson/walk.ts';
import type { Question } from '../../core/run/player.ts';
import type { PageAction, PageState } from '../state.ts';
import type { Run } from '../useRun.ts';

/** How the page leads somebody through a run. */
export interface Guide {
  readonly reading: Reading;
  readonly lesson: Lesson;
  readonly questions: readonly Asked[];
  readonly answers: Answers;
  /** The question behind which nothing is seen. */
  readonly open: Asked | undefined;
  /** Whether the run is, so that all of its questions are known. */
  readonly isOver: boolean;
  /** What may be seen of the run by now, and how many of its events. */
  readonly seen: Seen;
  readonly seenEvents: number;
  /** Where the reader stands, and what comes behind and before it, if something does. */
  readonly place: Stop;
  readonly next: Stop | undefined;
  readonly back: Stop | undefined;
  readonly go: (to: Stop | undefined) => void;
  /** Where a chapter begins: with what is said in it, if that is at once. */
  readonly beginOf: (chapter: Stop) => Stop;
  /** Where time that goes by stops. */
  readonly goalMicros: number;
  /** To be called before time goes by. @returns whether it may: what is said at once is read first */
  readonly setOut: () => boolean;
  /** @param given undefined: the answer is shown */
  readonly answer: (asked: Asked, given: string | undefined) => void;
  readonly read: (reading: Reading) => void;
  /** Whether checks are asked too, besides what the scenario asks by itself; undefined where it makes no difference. */
  readonly asksChecks: boolean | undefined;
  readonly askChecks: (asked: boolean) => void;
  /** The step in whose course a question is answered, if it is put at the step's beginning. */
  readonly comingBefore: (asked: Asked) => string | undefined;
  /** The question as it may be answered now: of an instant that is seen in part, as of right before it. */
  readonly withinSeen: (question: Question) => Question;
}

/** The instant that is looked at, and what moves it. */
interface Clock {
  readonly atMicros: number;
  readonly setAtMicros: Dispatch<SetStateAction<number>>;
}

const NOTHING: Answers = new Map();
const NO_LESSON = lessonOf([]);

/** Leads through a run, if somebody wants to be led. */
export function useLesson(run: Run, clock: Clock, state: PageState, dispatch: Dispatch<PageAction>): Guide {
  const { atMicros, setAtMicros } = clock;
  const asking = useAsking(run, state, atMicros);
  const { reading, lesson, questions, answers, open, isOver } = asking;
  const { events } = run;
  const [goalMicros, setGoalMicros] = useState(0);

  // What is asked is known when the run is over; before that nothing of it may be seen.
  const isVeiled = reading !== 'free' && (!isOver || open !== undefined);
  const seenEvents = !isVeiled ? events.length : (open?.seenEvents ?? 0);
  const seen = useMemo<Seen>(
    () => withoutStart(isVeiled ? seenOf(events, seenEvents) : run, lesson.start.events),
    [isVeiled, events, seenEvents, run, lesson],
  );
  const { endMicros } = seen.history;
  const stops = useMemo(
    () => stopsOf(lesson, questions, answers, { atMicros: endMicros, events: seenEvents }),
    [lesson, questions, answers, endMicros, seenEvents],
  );
  const walk = useWalk(stops, clock);
  const { next, go } = walk;
  // Before anything else can happen: who goes on at this moment goes on from there.
  useLayoutEffect(() => {
    // What has no beginning of its own is opened where it becomes worth seeing, and must not be put back.
    if (isOver && lesson.start.atMicros > 0) setAtMicros((at) => Math.max(at, lesson.start.atMicros));
  }, [isOver, lesson, setAtMicros]);
  const withinSeen = useWithin(isVeiled ? events[seenEvents]?.atMicros : undefined);
  return {
    ...asking,
    ...walk,
    ...{ seen, seenEvents, withinSeen },
    read: (next) => dispatch({ type: 'read', reading: next }),
    goalMicros: reading === 'free' ? endMicros : Math.min(goalMicros, endMicros),
    beginOf: (chapter) =>
      stops.find(
        (stop) => stop.atMicros === chapter.atMicros && stop.events <= seenEvents && !isBehind(chapter, stop),
      ) ?? chapter,
    setOut: () => {
      const isSaidAtOnce = reading !== 'free' && next?.atMicros === atMicros;
      if (isSaidAtOnce) go(next);
      else setGoalMicros(next?.atMicros ?? endMicros);
      return !isSaidAtOnce;
    },
    comingBefore: ({ seenEvents }) => {
      const last = events[seenEvents - 1];
      return last?.type === 'step' ? last.text : undefined;
    },
  };
}

/** What is asked of a run, and what was answered. */
type Asking = Pick<
  Guide,
  'reading' | 'lesson' | 'questions' | 'answers' | 'open' | 'isOver' | 'answer' | 'asksChecks' | 'askChecks'
>;

/** What was answered, to which questions, and of which time of reading. */
interface Given {
  readonly of: unknown;
  readonly readings: number;
  readonly answers: Answers;
}

function useAsking({ played, events }: Run, { reading, readings }: PageState, beganMicros: number): Asking {
  /** What was known at this instant, when the page began there, is asked no more. */
  const [firstMicros] = useState(beganMicros);
  const fromMicros = readings === 0 ? firstMicros : 0;
  const [checksToo, setChecksToo] = useState<boolean>();
  const [given, setGiven] = useState<Given>();
  const isOver = played?.kind === 'played';
  const lesson = useMemo(
    () => (isOver && reading === 'lesson' ? lessonOf(events) : NO_LESSON),
    [isOver, reading, events],
  );
  const asksChecks = checksToo ?? lesson.asks.length === 0;
  const questions = useMemo(() => {
    if (!isOver || reading === 'free') return [];
    const all = reading === 'quiz' ? quizOf(events) : [...lesson.asks, ...(asksChecks ? lesson.checks : [])];
    return all.filter(({ knownMicros }) => fromMicros === 0 || knownMicros > fromMicros);
  }, [isOver, reading, events, lesson, asksChecks, fromMicros]);
  const answers = given?.of === questions && given.readings === readings ? given.answers : NOTHING;
  const open = useMemo(() => openQuestion(questions, answers), [questions, answers]);
  return {
    ...{ reading, lesson, questions, answers, open, isOver },
    answer: (asked, given) => setGiven({ of: questions, readings, answers: new Map(answers).set(asked, given) }),
    asksChecks: lesson.checks.length > 0 ? asksChecks : undefined,
    askChecks: setChecksToo,
  };
}

/** Where the reader stands among what there is to stop at. */
function useWalk(
  stops: readonly Stop[],
  { atMicros, setAtMicros }: Clock,
): Pick<Guide, 'place' | 'next' | 'back' | 'go'> {
  const [last, setLast] = useState<Stop>();
  const place = placeAt(stops, atMicros, last);
  const go = (to: Stop | undefined) => {
    if (!to) return;
    setLast(to);
    setAtMicros(to.atMicros);
  };
  return {
    ...{ place, go },
    next: stops.find((stop) => isBehind(stop, place)),
    back: stops.findLast((stop) => isBehind(place, stop)),
  };
}

function useWithin(unseenMicros: number | undefined): Guide['withinSeen'] {
  return useCallback(
    (question) =>
      unseenMicros === undefined || question.kind === 'event'
        ? question
        : { ...question, atMicros: Math.min(question.atMicros, unseenMicros - 1) },
    [unseenMicros],
  );
}
