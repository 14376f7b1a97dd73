import type { ReactNode } from 'react';
import type { Effects } from './bubbles.ts';
import type { Places } from './places.ts';
import { tenths } from './Rings.tsx';

interface Props {
  readonly places: Places;
  readonly effects: ReadonlyMap<string, Effects>;
}

const HEIGHT = 22;
/** The tip of a bubble is so far from its nearer end, at least. Unit: px. */
const TIP = 24;

/** What members say: above all else, whole in the picture, and on the side that faces away from the ways. */
export function BubblesView({ places, effects }: Props): ReactNode {
  const { of, tile, width, middle, around } = places;
  return [...effects].map(([name, { bubble }]) => {
    const at = of.get(name);
    if (!bubble || !at) return null;
    const half = (bubble.text.length * 6.6 + 18) / 2;
    const away = around.length > 0 && Math.abs(at.x - middle.x) > 20 ? Math.sign(at.x - middle.x) : 0;
    const wanted = at.x + away * Math.max(0, half - TIP);
    const x = Math.max(half + 2, Math.min(width - half - 2, wanted));
    const y = Math.max(HEIGHT + 2, at.y - tile.radius - (tile.scale === 'chip' ? 4 : 41));
    const tip = Math.max(8 - half, Math.min(half - 8, at.x - x));
    return (
      <g key={name} className={`bubble ${bubble.mood}`} transform={`translate(${tenths(x)} ${tenths(y)})`}>
        <rect x={tenths(-half)} y={-HEIGHT} width={tenths(2 * half)} height={HEIGHT} rx={11} />
        <path d={`M${tenths(tip - 6)} -1h12l-6 7Z`} />
        <text y={-7}>{bubble.text}</text>
      </g>
    );
  });
}
