import * as RadixTabs from 'radix-ui/tabs';
import type { ReactNode } from 'react';

/** Something to look at; only the one that is shown is rendered. */
export interface Tab {
  readonly id: string;
  readonly name: string;
  readonly panel: ReactNode;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  /** What stands between the names and the panel, whichever it is. */
  readonly children?: ReactNode;
}

/** One of several panels in the same place; arrows go from tab to tab. */
export function Tabs({ label, tabs, chosen, onChoose, children }: Props): ReactNode {
  const shown = tabs.find(({ id }) => id === chosen) ?? tabs[0];
  return (
    <RadixTabs.Root className="tabbed" value={shown?.id ?? ''} onValueChange={onChoose}>
      <RadixTabs.List className="tabs" aria-label={label}>
        {tabs.map(({ id, name }) => (
          <RadixTabs.Trigger key={id} value={id} className="tab">
            {name}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {children}
      {tabs.map(({ id, panel }) => (
        <RadixTabs.Content key={id} value={id} className="tab-panel">
          {panel}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
