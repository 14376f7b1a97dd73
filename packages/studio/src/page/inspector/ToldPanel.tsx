import type { ReactNode } from 'react';
import type { Question } from '../../core/run/player.ts';
import { tabInFocus } from '../lesson/LessonReading.tsx';
import { Story } from '../lesson/Story.tsx';
import { type Tab, Tabs } from '../Tabs.tsx';
import type { Page } from '../usePage.ts';
import type { Run } from '../useRun.ts';
import { useLookTabs } from './useLookTabs.tsx';

/** The story of the run, and what is looked up in its members. */
export function ToldPanel({ page }: { readonly page: Page }): ReactNode {
  const { guide, live, run, player, member, compare } = page;
  const { atMicros, setAtMicros } = page.instant;
  const { history } = guide.seen;
  const { second } = compare;
  const asked = { player, run: run.played, history, atMicros, member };
  const lookTabs = useLookTabs({ ...asked, onGo: setAtMicros, onAsk: page.ask });
  const storyOf = ({ lines, history }: Pick<Run, 'lines' | 'history'>, onAsk: (question: Question) => void) => (
    <Story
      lines={lines}
      atMicros={atMicros}
      member={member}
      members={history.memberNames}
      onGo={setAtMicros}
      onAsk={onAsk}
    />
  );
  const tabs: Tab[] = [{ name: 'story', panel: storyOf(guide.seen, page.ask) }];
  if (second) tabs.push({ name: 'story of the second run', panel: storyOf(second.run, compare.ask) });
  if (!live) tabs.push(...lookTabs);
  return (
    <section className="told" aria-label="A closer look">
      {second && <p className="hint">These views show the first run, except for the story of the second.</p>}
      <Tabs label="What is looked at" wanted={tabInFocus(guide)} tabs={tabs} />
    </section>
  );
}
