import type { ReactNode } from 'react';
import { captionAt } from '../tempo/captions.ts';
import { Announcer } from './Announcer.tsx';
import { Compare } from './compare/Compare.tsx';
import { ToldPanel } from './inspector/ToldPanel.tsx';
import { KeysDialog } from './KeysDialog.tsx';
import { LessonFocus } from './lesson/LessonReading.tsx';
import { SetPanel } from './SetPanel.tsx';
import { TopBar } from './TopBar.tsx';
import { TextPanel } from './text/TextPanel.tsx';
import { TimePanel } from './time/TimePanel.tsx';
import { type PageProps, usePage } from './usePage.ts';
import { ReasonsPanel } from './why/ReasonsPanel.tsx';

/** The page: the text is all it knows, and everything else is what a run of it shows at an instant. */
export function App(props: PageProps): ReactNode {
  const page = usePage(props);
  const { compare, canCompare, guide, instant, text, seed } = page;
  return (
    <main className={compare.second ? 'comparing' : ''}>
      <Announcer
        moment={page.moment}
        isPlaying={page.travel.playback.isPlaying}
        caption={captionAt(page.guide.seen.history, instant.atMicros)?.text}
      />
      <KeysDialog door={page.keys} />
      <TopBar page={page} />
      <LessonFocus guide={guide} />
      {canCompare && compare.isOn && (
        <Compare
          first={{ text, seed, traced: compare.traced }}
          given={compare.given}
          onSecond={compare.setSecond}
          onGo={instant.setAtMicros}
        />
      )}
      <SetPanel page={page} />
      <TimePanel page={page} />
      <TextPanel page={page} />
      <ToldPanel page={page} />
      <ReasonsPanel page={page} />
    </main>
  );
}
