import { type ReactNode, useEffect, useState } from 'react';
import type { Shared } from '../core/edit/fragment.ts';
import { Button } from '../page/controls/Button.tsx';
import { challengeOfText, challenges, textOfChallenge } from './challengeList.ts';
import { lessonOfText, lessons } from './lessonList.ts';
import { allScenarios } from './shelf.ts';

interface Props {
  readonly text: string;
  readonly onOpen: (shared: Pick<Shared, 'text'> & Partial<Shared>) => void;
}

/** Where to go on at the end of a lesson, or from a challenge that is solved. */
export function WayOn({ text, onOpen }: Props): ReactNode {
  const now = lessonOfText(text);
  if (!now) return <NextChallenge text={text} onOpen={onOpen} />;
  const following = lessons()[lessons().indexOf(now) + 1];
  return (
    following && (
      <Button
        look="strong"
        onClick={() => onOpen({ text: following.text, reading: 'lesson' })}
      >{`next lesson: ${following.title}`}</Button>
    )
  );
}

/** Its text lies beside the page with all others. */
function NextChallenge({ text, onOpen }: Props): ReactNode {
  const [, setIsLoaded] = useState(false);
  useEffect(() => {
    // A page that lies alone has no list of challenges to go on in.
    allScenarios().then(
      () => setIsLoaded(true),
      () => {},
    );
  }, []);
  const now = challengeOfText(text);
  const next = challenges[challenges.findIndex(({ id }) => id === now) + 1];
  if (now === undefined || !next) return null;
  return (
    <Button
      look="strong"
      onClick={() => textOfChallenge(next.id).then((found) => onOpen({ text: found }))}
    >{`next challenge: ${next.title}`}</Button>
  );
}
