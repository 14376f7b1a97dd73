import type { ReactNode } from 'react';
import type { Reading } from '../../core/edit/fragment.ts';
import { isBehind } from '../../core/lesson/walk.ts';
import { useStillPage } from '../context.ts';
import { Choice } from '../controls/Choice.tsx';
import type { Look } from '../state.ts';
import type { Guide } from './useLesson.ts';

const READINGS: Readonly<Record<Reading, string>> = {
  free: 'look around',
  lesson: 'walk through it',
  quiz: 'quiz me',
};

/** How somebody wants to read a run; any of them can be. */
export function ReadingChoice(): ReactNode {
  const { guide } = useStillPage();
  return (
    <Choice
      label="how"
      isBare
      value={guide.reading}
      options={Object.entries(READINGS).map(([value, text]) => ({ value, text }))}
      onChoose={(reading) => guide.read(reading as Reading)}
    />
  );
}

/** What the words of `focus` are on the page; `data` and `ttl` stand where one looks closer. */
const PARTS: Readonly<Record<string, string>> = {
  set: '.set',
  time: '.timeline',
  oplog: '.oplogs',
  story: '.inspector',
  data: '.inspector',
  ttl: '.inspector',
};

/** Which of the closer looks each of them means. */
const LOOKS: Readonly<Record<string, Look>> = { story: 'story', data: 'data', ttl: 'expiry' };

/** What the lesson looks at where the reader stands, in the words of `focus`. */
function focusOf({ lesson, place, seenEvents }: Guide): readonly string[] {
  return lesson.focuses.findLast((each) => !isBehind(each, place) && each.events <= seenEvents)?.on ?? [];
}

/** The closer look that a lesson takes; undefined where it takes none. */
export function lookInFocus(guide: Guide): Look | undefined {
  return focusOf(guide).flatMap((word) => LOOKS[word] ?? [])[0];
}

/** Lets what a lesson looks at stand out, by dimming the rest; it stays readable. */
export function LessonFocus({ guide }: { readonly guide: Guide }): ReactNode {
  const on = focusOf(guide);
  if (on.length === 0) return null;
  const members = on.filter((word) => PARTS[word] === undefined);
  const named = on.flatMap((word) => PARTS[word] ?? []);
  // A member that is meant stands in the set, which would dim all that is in it.
  const parts = named.length > 0 && members.length > 0 ? [...named, '.set'] : named;
  const dimmed = [
    ...(parts.length === 0 ? [] : [...new Set(Object.values(PARTS))].filter((part) => !parts.includes(part))),
    ...(members.length === 0
      ? []
      : [`[data-member]${members.map((name) => `:not([data-member=${CSS.escape(name)}])`).join('')}`]),
  ];
  return <style>{dimmed.length > 0 && `${dimmed.map((each) => `main ${each}`).join(', ')} { ${DIMMED} }`}</style>;
}

/** No more than that: what is dimmed has to be read by everybody still, and its colours mean states and terms. */
const DIMMED = 'opacity: 0.85;';
