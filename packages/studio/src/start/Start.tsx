import ArrowLeft from 'lucide-react/icons/arrow-left';
import { type ReactNode, useEffect, useState } from 'react';
import { fromFragment, type Shared, toFragment } from '../core/edit/fragment.ts';
import type { Player } from '../core/run/player.ts';
import { Button } from '../page/controls/Button.tsx';
import { LaterApp } from '../page/LaterApp.tsx';
import { done } from './done.ts';
import { StartPage, type StartPageProps } from './StartPage.tsx';
import { WayOn } from './WayOn.tsx';

/** What is open: the address has it all, so that back, reload and a link go where one expects. */
interface Opened {
  /** Another one is another page. */
  readonly turn: number;
  readonly fragment: string;
}

interface Props extends Pick<StartPageProps, 'files' | 'onFile'> {
  readonly player: Player;
}

/** The page where nobody says what to show: lessons and scenarios to choose from, then the one that was chosen. */
export function Start({ player, files, onFile }: Props): ReactNode {
  const [opened, setOpened] = useState<Opened>(() => ({ turn: 0, fragment: location.hash.slice(1) }));
  const look = () => setOpened(({ turn }) => ({ turn: turn + 1, fragment: location.hash.slice(1) }));
  useEffect(() => {
    addEventListener('popstate', look);
    return () => removeEventListener('popstate', look);
  });
  const go = (fragment: string) => {
    history.pushState(undefined, '', `#${fragment}`);
    scrollTo(0, 0);
    look();
  };
  const open = (shared: Pick<Shared, 'text'> & Partial<Shared>) => go(toFragment({ atMicros: 0, ...shared }));
  const shared = fromFragment(opened.fragment);
  if (!shared) return <StartPage {...{ player, files, onFile }} onOpen={open} isBroken={opened.fragment !== ''} />;
  const back = (
    <Button icon={<ArrowLeft size={14} aria-hidden="true" />} onClick={() => go('')}>
      all lessons
    </Button>
  );
  const next = (text: string) => <WayOn text={text} onOpen={open} />;
  return <LaterApp key={opened.turn} player={player} text={shared.text} wayOut={{ back, next, done }} />;
}
