import * as RadixTabs from 'radix-ui/tabs';
import type { ReactNode } from 'react';
import { useActions, usePage } from './context.ts';
import { Inspector } from './inspector/Inspector.tsx';
import { ToldPanel } from './lesson/ToldPanel.tsx';
import { OplogPanel } from './oplog/OplogPanel.tsx';
import { SetPanel } from './SetPanel.tsx';
import type { Pane } from './state.ts';
import { TimePanel } from './time/TimePanel.tsx';

/** The set, the time, and one panel of the others. The text has a place of its own, which is shown in the panel's. */
export function Phone(): ReactNode {
  const { state, guide, live, task } = usePage();
  const { pane } = useActions();
  const panes: readonly (readonly [pane: Pane, name: string, panel: ReactNode])[] = [
    ['told', guide.reading !== 'free' ? 'Lesson' : task ? 'Challenge' : 'Story', <ToldPanel key="told" />],
    ['look', 'Details', <Inspector key="look" />],
    ['oplogs', 'Oplogs', <OplogPanel key="oplogs" />],
    ['text', live ? 'Done' : 'Text', null],
  ];
  return (
    <RadixTabs.Root
      className="phone"
      value={state.pane}
      onValueChange={(next) => pane(next as Pane)}
      activationMode="manual"
    >
      <SetPanel />
      <TimePanel />
      {panes.map(([id, , panel]) => (
        <RadixTabs.Content key={id} value={id} className={panel === null ? 'heard' : 'pane'} tabIndex={-1}>
          {panel}
        </RadixTabs.Content>
      ))}
      <RadixTabs.List className="pane-bar" aria-label="Panels">
        {panes.map(([id, name]) => (
          <RadixTabs.Trigger key={id} value={id} className="pane-tab">
            {name}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
    </RadixTabs.Root>
  );
}
