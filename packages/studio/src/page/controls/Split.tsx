import { Fragment, type ReactNode, useMemo } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { kept } from '../kept.ts';
import { useQuiet } from './useQuiet.ts';

interface Props {
  /** Under this name it is remembered how somebody has parted it. */
  readonly id: string;
  readonly orientation: 'horizontal' | 'vertical';
  /** To begin with. Unit: percent. */
  readonly sizes: readonly [number, number];
  readonly children: readonly [ReactNode, ReactNode];
}

/** Two panels that share a room, as somebody likes. */
export function Split(given: Props): ReactNode {
  const quiet = useQuiet(given);
  return useMemo(() => <QuietSplit {...quiet} />, [quiet]);
}

function QuietSplit({ id, orientation, sizes, children }: Props): ReactNode {
  // Elements refer to each other by them: no spaces.
  const ids = [`${id}-1`, `${id}-2`];
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: `replsim ${id}`,
    panelIds: ids,
    storage: kept,
    onlySaveAfterUserInteractions: true,
  });
  return (
    <Group className="split" orientation={orientation} defaultLayout={defaultLayout} onLayoutChanged={onLayoutChanged}>
      {ids.map((each, i) => (
        <Fragment key={each}>
          {i > 0 && <Separator className="separator" aria-label="how two panels share their room" />}
          <Panel id={each} className="split-panel" defaultSize={`${sizes[i]}%`} minSize="15%">
            {children[i]}
          </Panel>
        </Fragment>
      ))}
    </Group>
  );
}
