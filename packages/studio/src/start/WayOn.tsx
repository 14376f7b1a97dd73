import { type ReactNode, useEffect, useState } from 'react';
import type { Shared } from '../core/edit/fragment.ts';
import { Button } from '../page/controls/Button.tsx';
import {
  challengeOfText,
  challenges,
  challengesOfLesson,
  type ListedChallenge,
  textOfChallenge,
} from './challengeList.ts';
import { type Listed, lessonOfText, lessons } from './lessonList.ts';
import { doneOf } from './progress.ts';
import { allScenarios } from './shelf.ts';

interface Props {
  readonly text: string;
  readonly onOpen: (shared: Pick<Shared, 'text'> & Partial<Shared>) => void;
}

/** Where to go on at the end of a lesson, or from a challenge that is solved. */
export function WayOn({ text, onOpen }: Props): ReactNode {
  useChallenges();
  const lesson = lessonOfText(text);
  if (lesson) return <AfterLesson lesson={lesson} onOpen={onOpen} />;
  const now = challengeOfText(text);
  if (now === undefined) return null;
  const before = lessons().find(({ id }) => challengesOfLesson(id).some((each) => each.id === now));
  const row = before ? challengesOfLesson(before.id) : challenges;
  const next = row[row.findIndex(({ id }) => id === now) + 1];
  if (next)
    return (
      <Button look="strong" onClick={() => open(next, onOpen)}>
        {`next challenge: ${next.title}`}
      </Button>
    );
  return before && <NextLesson lesson={before} onOpen={onOpen} />;
}

/** Their texts lie beside the page with all others; a page that lies alone has none to go on to. */
function useChallenges(): void {
  const [, setIsLoaded] = useState(false);
  useEffect(() => {
    allScenarios().then(
      () => setIsLoaded(true),
      () => {},
    );
  }, []);
}

/** What one has just learnt can be tried: each of its challenges is judged by its run. */
function AfterLesson({ lesson, onOpen }: Pick<Props, 'onOpen'> & { readonly lesson: Listed }): ReactNode {
  const done = doneOf('challenges');
  const tasks = challengesOfLesson(lesson.id);
  return (
    <>
      {tasks.length > 0 && 'Now do it yourself:'}
      {tasks.map((each) => (
        <Button key={each.id} className="challenge-way" onClick={() => open(each, onOpen)}>
          {each.title}
          {done.has(each.id) && <span className="done"> ✓ solved</span>}
        </Button>
      ))}
      <NextLesson lesson={lesson} onOpen={onOpen} />
    </>
  );
}

function NextLesson({ lesson, onOpen }: Pick<Props, 'onOpen'> & { readonly lesson: Listed }): ReactNode {
  const following = lessons()[lessons().indexOf(lesson) + 1];
  return (
    following && (
      <Button
        look="strong"
        onClick={() => onOpen({ text: following.text, reading: 'lesson' })}
      >{`next lesson: ${following.title}`}</Button>
    )
  );
}

function open({ id }: ListedChallenge, onOpen: Props['onOpen']): void {
  textOfChallenge(id).then((text) => onOpen({ text }));
}
