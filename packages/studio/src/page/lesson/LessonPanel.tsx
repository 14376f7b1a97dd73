import { type ReactNode, useEffect, useMemo } from 'react';
import { headOf } from '../../core/edit/head.ts';
import type { Asked } from '../../core/lesson/asked.ts';
import type { Lesson, Said } from '../../core/lesson/lesson.ts';
import { answeredAt, isBehind, type Stop, saidAt, scoreOf } from '../../core/lesson/walk.ts';
import { usePage } from '../context.ts';
import { Button } from '../controls/Button.tsx';
import { Check } from '../controls/Check.tsx';
import { KnownHere } from './KnownHere.tsx';
import { LessonMark, LessonQuestion } from './LessonQuestion.tsx';
import { Worded, WordsHere } from './LessonWords.tsx';
import type { Guide } from './useLesson.ts';
import { useLessonKeys } from './useLessonKeys.ts';

/** What a scenario says to whom it teaches, in step with the time: its opening, chapters, captions and questions. */
export function LessonPanel(): ReactNode {
  const { guide, state } = usePage();
  const { reading, back } = guide;
  const description = useMemo(() => headOf(state.text).description, [state.text]);
  const spoken = spokenAt(guide);
  const { chapter, caption } = spoken;
  const goChapter = (to: Said | undefined) => to && to.events <= guide.seenEvents && guide.go(guide.beginOf(to));
  useKeysOf(guide, spoken, goChapter);
  return (
    <section className="panel lesson" aria-label={reading === 'quiz' ? 'Quiz' : 'Lesson'}>
      <Chapters lesson={guide.lesson} current={chapter} seenEvents={guide.seenEvents} onGo={goChapter} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached */}
      <section className="panel-body" tabIndex={0} aria-label="What is said">
        {reading === 'lesson' && description !== undefined && !back && (
          <p className="opening">
            <Worded text={description} />
          </p>
        )}
        <div className="captions" aria-live="polite">
          {caption && (
            <p>
              <Worded key={caption.events} text={caption.text} />
            </p>
          )}
        </div>
        <AskedHere guide={guide} spoken={spoken} />
        <WordsOf guide={guide} />
        <Ending />
      </section>
      <Walking guide={guide} />
    </section>
  );
}

function useKeysOf(guide: Guide, { chapter, put }: Spoken, goChapter: (to: Said | undefined) => void): void {
  const { chapters } = guide.lesson;
  useLessonKeys({
    go: (direction) => guide.go(direction === 1 ? guide.next : guide.back),
    goChapter: (direction) => goChapter(chapters[(chapter ? chapters.indexOf(chapter) : -1) + direction]),
    choose: (number) => {
      const choice = put?.choices[number - 1];
      if (put && (number === 0 || choice !== undefined)) guide.answer(put, choice);
    },
  });
}

interface AskedProps {
  readonly guide: Guide;
  readonly spoken: Spoken;
}

/** The question that is put here, or what came of the answer. */
function AskedHere({ guide, spoken: { put, answered } }: AskedProps): ReactNode {
  return (
    <>
      {answered && <Marked guide={guide} answered={answered} />}
      {put && (
        <LessonQuestion
          key={`${put.seenEvents} ${put.knownEvents}`}
          asked={put}
          coming={guide.comingBefore(put)}
          known={guide.reading === 'quiz' && <KnownHere asked={put} />}
          onAnswer={(chosen) => guide.answer(put, chosen)}
        />
      )}
    </>
  );
}

/** That it is over, and where to go on. */
function Ending(): ReactNode {
  const { guide, wayOut, state } = usePage();
  const isAtEnd = guide.isOver && !guide.open && !guide.next;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, however the page is drawn
  useEffect(() => {
    if (isAtEnd && guide.reading === 'lesson') wayOut?.done?.(state.text);
  }, [isAtEnd]);
  if (!isAtEnd) return null;
  return (
    <p role="status" className="ending">
      {guide.reading === 'quiz' ? 'That was the quiz.' : 'That was the lesson.'} {wayOut?.next?.(state.text)}
    </p>
  );
}

/** What a lesson says where its reader stands. */
interface Spoken {
  readonly chapter: Said | undefined;
  readonly caption: Said | undefined;
  /** The question that is put here, and the one that was answered here. */
  readonly put: Asked | undefined;
  readonly answered: Asked | undefined;
}

function spokenAt({ lesson, answers, open, seenEvents, place }: Guide): Spoken {
  const chapter = saidAt(lesson.chapters, place, seenEvents);
  const said = saidAt(lesson.captions, place, seenEvents);
  // What was said in the chapter before says nothing of this one.
  const caption = said && chapter && isBehind(chapter, said) ? undefined : said;
  const put = open && !isBehind(putAt(open), place) ? open : undefined;
  return { chapter, caption, put, answered: answeredAt(answers, place) };
}

interface MarkedProps {
  readonly guide: Guide;
  readonly answered: Asked;
}

function Marked({ guide, answered }: MarkedProps): ReactNode {
  return (
    <LessonMark
      key={`${answered.seenEvents} ${answered.knownEvents}`}
      asked={answered}
      given={guide.answers.get(answered)}
      isSeen={answered.knownEvents <= guide.seenEvents}
      // And not to what else is said at that instant.
      onGo={() => guide.go({ atMicros: answered.knownMicros, events: answered.knownEvents })}
    />
  );
}

/** The ways on, back and out. They stay where they are, whatever is said above. */
function Walking({ guide }: { readonly guide: Guide }): ReactNode {
  const { reading, asksChecks, next, back } = guide;
  return (
    <div className="steps">
      <Button disabled={!back} onClick={() => guide.go(back)}>
        ◂ back
      </Button>
      <Button look="strong" disabled={!next} onClick={() => guide.go(next)}>
        next ▸
      </Button>
      <Score guide={guide} />
      <span className="gap" />
      {asksChecks !== undefined && reading === 'lesson' && (
        <Check label="ask about the checks, too" isOn={asksChecks} onTurn={guide.askChecks} />
      )}
      <Button look="quiet" onClick={() => guide.read('free')}>
        {reading === 'quiz' ? 'leave the quiz' : 'leave the lesson'}
      </Button>
    </div>
  );
}

function putAt({ atMicros, seenEvents }: Asked): Stop {
  return { atMicros, events: seenEvents };
}

interface ChaptersProps {
  readonly lesson: Lesson;
  readonly current: Lesson['chapters'][number] | undefined;
  readonly seenEvents: number;
  readonly onGo: (chapter: Said) => void;
}

function Chapters({ lesson: { chapters }, current, seenEvents, onGo }: ChaptersProps): ReactNode {
  if (chapters.length === 0) return null;
  return (
    <ol className="chapters" aria-label="Chapters">
      {chapters.map((each, i) => (
        <li key={each.events}>
          {each.events <= seenEvents ? (
            <button type="button" aria-current={each === current ? 'step' : undefined} onClick={() => onGo(each)}>
              {each.text}
            </button>
          ) : (
            // Its title could tell what comes.
            <span className="hint">{`chapter ${i + 1}`}</span>
          )}
        </li>
      ))}
    </ol>
  );
}

function Score({ guide: { questions, answers, isOver } }: { readonly guide: Guide }): ReactNode {
  const { right, asked } = scoreOf(answers);
  if (!isOver) return <output>playing …</output>;
  if (questions.length === 0) return <output>there is nothing to ask</output>;
  return <output>{`${right} of ${asked} right, ${questions.length - asked} to come`}</output>;
}

/** So many of the last lines are looked through for words. */
const LINES = 6;

/** What the pictures and the story use of the glossary at an instant. */
function WordsOf({ guide: { seen } }: { readonly guide: Guide }): ReactNode {
  const { atMicros } = usePage();
  const text = useMemo(() => {
    const states = seen.history.at(atMicros).members.map(({ state }) => state);
    const told = seen.lines.filter((line) => line.atMicros <= atMicros).slice(-LINES);
    return [...new Set(states), ...told.map((line) => line.text)].join('\n');
  }, [seen, atMicros]);
  return <WordsHere text={text} />;
}
