import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { Asked } from '../../core/lesson/asked.ts';
import type { Lesson, Said } from '../../core/lesson/lesson.ts';
import { answeredAt, isBehind, type Stop, saidAt, scoreOf } from '../../core/lesson/walk.ts';
import type { Question } from '../../core/run/player.ts';
import { LessonMark, LessonQuestion } from './LessonQuestion.tsx';
import { Worded, WordsHere } from './LessonWords.tsx';
import type { Guide } from './useLesson.ts';
import { useLessonKeys } from './useLessonKeys.ts';

interface Props {
  readonly guide: Guide;
  /** What the scenario says of itself. */
  readonly description: string | undefined;
  readonly atMicros: number;
  readonly onAsk: (question: Question) => void;
  /** Where to go on when it is over. */
  readonly whatNext: ReactNode;
  /** It is over. */
  readonly onEnd: () => void;
}

/** What a scenario says to whom it teaches, in step with the time: its opening, chapters, captions and questions. */
export function LessonPanel({ guide, description, atMicros, onAsk, whatNext, onEnd }: Props): ReactNode {
  const { reading, open, seenEvents, isOver, next, back } = guide;
  const panel = useRef<HTMLElement>(null);
  const go = (to: Stop | undefined) => {
    guide.go(to);
    // Whoever has scrolled down to reasons goes on up here.
    if (to && (panel.current?.getBoundingClientRect().top ?? 0) < 0) panel.current?.scrollIntoView();
  };
  const { chapter, caption, put, answered } = spokenAt(guide);
  const goChapter = (to: Said | undefined) => to && to.events <= seenEvents && go(guide.beginOf(to));
  const { chapters } = guide.lesson;
  useLessonKeys({
    go: (direction) => go(direction === 1 ? next : back),
    goChapter: (direction) => goChapter(chapters[(chapter ? chapters.indexOf(chapter) : -1) + direction]),
    choose: (number) => {
      const choice = put?.choices[number - 1];
      if (put && (number === 0 || choice !== undefined)) guide.answer(put, choice);
    },
  });
  const isAtEnd = isOver && !open && !next;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, however the page is drawn
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd]);
  return (
    <section ref={panel} className="lesson" aria-label={reading === 'quiz' ? 'Quiz' : 'Lesson'}>
      {reading === 'lesson' && description !== undefined && !back && (
        <p>
          <Worded text={description} />
        </p>
      )}
      <Chapters lesson={guide.lesson} current={chapter} seenEvents={seenEvents} onGo={goChapter} />
      <div className="captions" aria-live="polite">
        {caption && (
          <p>
            <Worded key={caption.events} text={caption.text} />
          </p>
        )}
      </div>
      {answered && <Marked guide={guide} answered={answered} onAsk={onAsk} />}
      {put && (
        <LessonQuestion
          key={`${put.seenEvents} ${put.knownEvents}`}
          asked={put}
          coming={guide.comingBefore(put)}
          onAnswer={(chosen) => guide.answer(put, chosen)}
        />
      )}
      <Walking guide={guide} onGo={go} />
      <Words guide={guide} atMicros={atMicros} />
      {isAtEnd && (
        <p role="status">
          {reading === 'quiz' ? 'That was the quiz.' : 'That was the lesson.'} {whatNext}
        </p>
      )}
    </section>
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
  readonly onAsk: Props['onAsk'];
}

function Marked({ guide, answered, onAsk }: MarkedProps): ReactNode {
  return (
    <LessonMark
      key={`${answered.seenEvents} ${answered.knownEvents}`}
      asked={answered}
      given={guide.answers.get(answered)}
      isSeen={answered.knownEvents <= guide.seenEvents}
      // And not to what else is said at that instant.
      onGo={() => guide.go({ atMicros: answered.knownMicros, events: answered.knownEvents })}
      onAsk={onAsk}
    />
  );
}

interface WalkingProps {
  readonly guide: Guide;
  readonly onGo: (to: Stop | undefined) => void;
}

/** The ways on, back and out. */
function Walking({ guide, onGo }: WalkingProps): ReactNode {
  const { reading, asksChecks, next, back } = guide;
  return (
    <>
      {/* What is said above it is long or short, and whoever goes on does not want to look for it. */}
      <div className="controls steps">
        <button type="button" title="p" disabled={!back} onClick={() => onGo(back)}>
          ◂ back
        </button>
        <button type="button" title="n" disabled={!next} onClick={() => onGo(next)}>
          next ▸
        </button>
        <Score guide={guide} />
      </div>
      <div className="controls">
        {asksChecks !== undefined && reading === 'lesson' && (
          <label>
            <input type="checkbox" checked={asksChecks} onChange={({ target }) => guide.askChecks(target.checked)} />{' '}
            ask about the checks, too
          </label>
        )}
        <button type="button" onClick={() => guide.read('free')}>
          {reading === 'quiz' ? 'leave the quiz' : 'leave the lesson'}
        </button>
      </div>
    </>
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
function Words({ guide: { seen }, atMicros }: { readonly guide: Guide; readonly atMicros: number }): ReactNode {
  const text = useMemo(() => {
    const states = seen.history.at(atMicros).members.map(({ state }) => state);
    const told = seen.lines.filter((line) => line.atMicros <= atMicros).slice(-LINES);
    return [...new Set(states), ...told.map((line) => line.text)].join('\n');
  }, [seen, atMicros]);
  return <WordsHere text={text} />;
}
