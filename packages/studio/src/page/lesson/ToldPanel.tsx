import { type ReactNode, useState } from 'react';
import { OfSecond } from '../compare/OfSecond.tsx';
import { usePage } from '../context.ts';
import { type Tab, Tabs } from '../controls/Tabs.tsx';
import { LessonPanel } from './LessonPanel.tsx';
import { Story } from './Story.tsx';

/** What is told: what a lesson says, or the story of the run, or of both. */
export function ToldPanel(): ReactNode {
  const { guide } = usePage();
  if (guide.reading !== 'free') return <LessonPanel />;
  return (
    <section className="panel told" aria-label="What is told">
      <Stories />
    </section>
  );
}

function Stories(): ReactNode {
  const { guide, compare } = usePage();
  const { second } = compare;
  const [chosen, setChosen] = useState('first');
  const tabs: Tab[] = [{ id: 'first', name: 'story', panel: <Story {...guide.seen} /> }];
  if (second)
    tabs.push({
      id: 'second',
      name: 'story of the second run',
      panel: (
        <OfSecond>
          <Story {...second.run} />
        </OfSecond>
      ),
    });
  return <Tabs label="What is told" tabs={tabs} chosen={chosen} onChoose={setChosen} />;
}
