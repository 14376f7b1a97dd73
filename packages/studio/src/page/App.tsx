import { memo, type ReactNode, useRef } from 'react';
import { captionAt } from '../tempo/captions.ts';
import { Announcer } from './Announcer.tsx';
import { SecondRun } from './compare/SecondRun.tsx';
import { ActionsContext, PageContext, StillContext } from './context.ts';
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
import { differInTimeAlone, type Still } from './turns.ts';
import { useNarrow } from './useNarrow.ts';
import { type Page, type PageProps, usePageModel } from './usePageModel.ts';

/** The page: the text is all it knows, and everything else is what a run of it shows at an instant. */
export function App(props: PageProps): ReactNode {
  const { page, actions } = usePageModel(props);
  return (
    <PageContext value={page}>
      <StillContext value={useStill(page)}>
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
      </StillContext>
    </PageContext>
  );
}

/** A page as it was first drawn, until it differs in more than the instant. */
function useStill(page: Page): Still {
  const still = useRef(page);
  if (!differInTimeAlone(still.current, page)) still.current = page;
  return still.current;
}

/** Nothing in it is drawn anew with the instant, but what asks for that. */
const Whole = memo(function Whole(): ReactNode {
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
});
