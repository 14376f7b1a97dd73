import type { ReactNode } from 'react';
import { useStillPage } from './context.ts';
import { Split } from './controls/Split.tsx';
import { InTurn } from './InTurn.tsx';
import { Inspector } from './inspector/Inspector.tsx';
import { ToldPanel } from './lesson/ToldPanel.tsx';
import { SetPanel } from './SetPanel.tsx';
import { TimePanel } from './time/TimePanel.tsx';

/** One screen: the set, beside it what is looked at and what is told, and time across the bottom. */
export function Desk(): ReactNode {
  const { guide, compare } = useStillPage();
  const isLed = guide.reading !== 'free';
  const side = isLed ? 'led' : compare.isOn ? 'comparing' : 'free';
  return (
    <Split id="desk" orientation="vertical" sizes={[70, 30]}>
      <Split id="above" orientation="horizontal" sizes={[58, 42]}>
        <SetPanel />
        <Split key={side} id={`side-${side}`} orientation="vertical" sizes={SIDES[side]}>
          <InTurn turn={1}>{isLed ? <ToldPanel /> : <Inspector />}</InTurn>
          <InTurn turn={2}>{isLed ? <Inspector /> : <ToldPanel />}</InTurn>
        </Split>
      </Split>
      <TimePanel />
    </Split>
  );
}

/** How the upper and the lower part share the height. Unit: percent. */
const SIDES = { led: [58, 42], comparing: [66, 34], free: [52, 48] } as const;
