import type { ReactNode } from 'react';
import { BUBBLE_HEIGHT, bubblesOf } from './bubblePlace.ts';
import type { Effects } from './bubbles.ts';
import type { Places } from './places.ts';
import { tenths } from './Rings.tsx';

interface Props {
  readonly places: Places;
  readonly effects: ReadonlyMap<string, Effects>;
}

/** What members say, above all else. */
export function BubblesView({ places, effects }: Props): ReactNode {
  return bubblesOf(places, effects).map(({ name, bubble, place }) => {
    const { x, y, half, tip } = place;
    return (
      <g key={name} className={`bubble ${bubble.mood}`} transform={`translate(${tenths(x)} ${tenths(y)})`}>
        <rect x={tenths(-half)} y={-BUBBLE_HEIGHT} width={tenths(2 * half)} height={BUBBLE_HEIGHT} rx={11} />
        <path d={`M${tenths(tip - 6)} -1h12l-6 7Z`} />
        <text y={-7}>{bubble.text}</text>
      </g>
    );
  });
}
