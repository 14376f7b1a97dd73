import type { ReactNode } from 'react';
import { captionAt } from '../tempo/captions.ts';
import { Announcer } from './Announcer.tsx';
import { SecondRun } from './compare/SecondRun.tsx';
import { ActionsContext, PageContext } from './context.ts';
import { Tips } from './controls/Tip.tsx';
import { Desk } from './Desk.tsx';
import { Embedded } from './Embedded.tsx';
import { isEmbedded } from './embedding.ts';
import { KeysDialog } from './KeysDialog.tsx';
import { LessonFocus } from './lesson/LessonReading.tsx';
import { Phone } from './Phone.tsx';
import { PointedMarks } from './PointedMarks.tsx';
import { TopBar } from './TopBar.tsx';
import { TextDrawer } from './text/TextDrawer.tsx';
import { useNarrow } from './useNarrow.ts';
import { type PageProps, usePageModel } from './usePageModel.ts';

/** The page: the text is all it knows, and everything else is what a run of it shows at an instant. */
export function App(props: PageProps): ReactNode {
  const { page, actions } = usePageModel(props);
  return (
    <PageContext value={page}>
      <ActionsContext value={actions}>
        <Tips>
          <main className={page.compare.second ? 'page comparing' : 'page'}>
            <Announcer
              moment={page.moment}
              isPlaying={page.travel.playback.isPlaying}
              caption={captionAt(page.guide.seen.history, page.atMicros)?.text}
            />
            <KeysDialog door={page.keys} />
            <LessonFocus guide={page.guide} />
            <PointedMarks pointed={page.state.pointed} />
            {page.canCompare && page.compare.isOn && <SecondRun />}
            {isEmbedded() ? <Embedded /> : <Whole />}
          </main>
        </Tips>
      </ActionsContext>
    </PageContext>
  );
}

function Whole(): ReactNode {
  const isNarrow = useNarrow();
  return (
    <>
      <TopBar />
      <div className="below">
        <TextDrawer />
        {isNarrow ? <Phone /> : <Desk />}
      </div>
    </>
  );
}
