import type { Bubble, Effects } from './bubbles.ts';
import type { Places } from './places.ts';

/** Where a bubble is. Unit: px. */
export interface BubblePlace {
  /** The middle of its lower edge, and half its width. */
  readonly x: number;
  readonly y: number;
  readonly half: number;
  /** Where its tip is, from the middle. */
  readonly tip: number;
}

export const BUBBLE_HEIGHT = 22;
/** The tip of a bubble that leans is so far from its nearer end. Unit: px. */
const TIP = 24;

/** Where a member's bubble has its place: whole in the picture, and leaning away from the ways. */
export function bubblePlace(places: Places, name: string, text: string): BubblePlace | undefined {
  const { of, tile, width, middle, around } = places;
  const at = of.get(name);
  if (!at) return undefined;
  const half = (text.length * 6.6 + 18) / 2;
  const away = around.length > 0 && Math.abs(at.x - middle.x) > 20 ? Math.sign(at.x - middle.x) : 0;
  const wanted = at.x + away * Math.max(0, half - TIP);
  const x = Math.max(half + 2, Math.min(width - half - 2, wanted));
  const y = Math.max(BUBBLE_HEIGHT + 2, at.y - tile.radius - (tile.scale === 'chip' ? 4 : 45));
  return { x, y, half, tip: Math.max(8 - half, Math.min(half - 8, at.x - x)) };
}

/** What somebody says, and where. */
export interface PlacedBubble {
  readonly name: string;
  readonly bubble: Bubble;
  readonly place: BubblePlace;
}

/** The bubbles that have room: of many members who say the same, not all need to be heard. */
export function bubblesOf(places: Places, effects: ReadonlyMap<string, Effects>): readonly PlacedBubble[] {
  const said = [...effects].flatMap(([name, { bubble }]): PlacedBubble[] => {
    const place = bubble && bubblePlace(places, name, bubble.text);
    return bubble && place ? [{ name, bubble, place }] : [];
  });
  const times = new Map<string, number>();
  for (const { bubble } of said) times.set(bubble.text, (times.get(bubble.text) ?? 0) + 1);
  const timesOf = ({ bubble }: PlacedBubble) => times.get(bubble.text)!;
  const shown: PlacedBubble[] = [];
  for (const each of said.toSorted((one, other) => timesOf(one) - timesOf(other)))
    if (!shown.some((other) => doOverlap(each.place, other.place))) shown.push(each);
  return shown;
}

function doOverlap(one: BubblePlace, other: BubblePlace): boolean {
  return Math.abs(one.x - other.x) < one.half + other.half && Math.abs(one.y - other.y) < BUBBLE_HEIGHT;
}
