import { type ReactNode, useState } from 'react';
import { ChallengePanel } from '../challenge/ChallengePanel.tsx';
import { OfSecond } from '../compare/OfSecond.tsx';
import { usePage } from '../context.ts';
import { type Tab, Tabs } from '../controls/Tabs.tsx';
import { LessonPanel } from './LessonPanel.tsx';
import { Story } from './Story.tsx';

/** The panel of words: a lesson's text, a challenge's task, and the story of the run, or of both runs. */
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
  const { guide, compare, task } = usePage();
  const { second } = compare;
  const [chosen, setChosen] = useState('challenge');
  const tabs: Tab[] = [{ id: 'first', name: 'story', panel: <Story {...guide.seen} /> }];
  // It stands first, and is what one sees.
  if (task) tabs.unshift({ id: 'challenge', name: 'challenge', panel: <ChallengePanel key={task.task} task={task} /> });
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
