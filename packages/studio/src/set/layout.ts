/** A place in the picture, of something's middle. Unit: px. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How much a room says: everything, what changes most, or its name, state and term. */
export type RoomSize = 'full' | 'medium' | 'chip';

/** A frame around members that belong together. Unit: px. */
export interface Group {
  readonly label: string;
  readonly y: number;
  readonly height: number;
}

/** Where everything is drawn. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly size: RoomSize;
  readonly room: { readonly width: number; readonly height: number };
  readonly places: ReadonlyMap<string, Point>;
  /** Members in the order in which they stand around the middle; empty if that says nothing. */
  readonly around: readonly string[];
  readonly groups: readonly Group[];
}

const MARGIN = 4;
/** Between rooms of a row, and between the frame of a group and what is in it. */
const GAP = 12;
const LABEL = 18;

/** More members than that stand in rows, whatever somebody has chosen: a ring has no room for them. */
const RING_UP_TO = 14;

function sizeFor(count: number, width: number): RoomSize {
  if (count <= 5) return 'full';
  return count <= 7 || (count <= 9 && width >= 600) ? 'medium' : 'chip';
}

function roomOf(size: RoomSize, width: number): Layout['room'] {
  if (size === 'full') return { width: Math.min(Math.max(0.33 * width, 120), 164), height: 132 };
  return size === 'medium' ? { width: width < 420 ? 94 : 120, height: 66 } : { width: 52, height: 34 };
}

/** Members in a ring, as long as it has room for them. */
export function ringLayout(names: readonly string[], width: number): Layout {
  const size = sizeFor(names.length, width);
  const room = roomOf(size, width);
  const rx = (width - room.width) / 2 - MARGIN;
  if (names.length > RING_UP_TO) return groupLayout(new Map([[`${names.length} members`, names]]), width);
  const ry = names.length < 2 ? 0 : (RADIUS[names.length] ?? 180);
  return placed(names, onRing(names.length, rx, ry), { width, size, room, around: names, groups: [] });
}

/** By the number of members: so that rooms do not touch. */
const RADIUS: Readonly<Record<number, number>> = { 2: 104, 3: 118, 4: 154, 5: 206, 6: 150, 7: 180 };

function onRing(count: number, rx: number, ry: number): readonly Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / Math.max(count, 1) - Math.PI / 2;
    return { x: rx * Math.cos(angle), y: ry * Math.sin(angle) };
  });
}

/** Groups below each other, each with its members in rows. */
export function groupLayout(groups: ReadonlyMap<string, readonly string[]>, width: number): Layout {
  const names = [...groups.values()].flat();
  const size = sizeFor(names.length, width);
  const room = roomOf(size, width);
  const perRow = Math.max(1, Math.floor((width - 2 * MARGIN - GAP) / (room.width + GAP)));
  const frames: Group[] = [];
  const points: Point[] = [];
  let y = 0;
  for (const [label, members] of groups) {
    const rows = Math.ceil(members.length / perRow);
    const height = LABEL + GAP + rows * (room.height + STAGGER + GAP);
    for (const [i] of members.entries()) {
      const column = i % perRow;
      const inRow = Math.min(perRow, members.length - (i - column));
      // Every other one lower, so that the ways of a row do not lie in each other.
      points.push({
        x: (column - (inRow - 1) / 2) * (room.width + GAP),
        y:
          y +
          LABEL +
          GAP / 2 +
          Math.floor(i / perRow) * (room.height + STAGGER + GAP) +
          room.height / 2 +
          (column % 2) * STAGGER,
      });
    }
    frames.push({ label, y, height });
    y += height + GAP;
  }
  return placed(names, points, { width, size, room, around: [], groups: frames });
}

const STAGGER = 14;

/** Moves points around a middle, or below each other, into the picture. */
function placed(names: readonly string[], points: readonly Point[], rest: Omit<Layout, 'places' | 'height'>): Layout {
  const isGrouped = rest.groups.length > 0;
  const top = isGrouped ? 0 : Math.min(0, ...points.map(({ y }) => y)) - rest.room.height / 2;
  const bottom = isGrouped
    ? Math.max(...rest.groups.map(({ y, height }) => y + height))
    : Math.max(0, ...points.map(({ y }) => y)) + rest.room.height / 2;
  const places = new Map(
    names.map((name, i) => [name, { x: points[i]!.x + rest.width / 2, y: points[i]!.y - top + MARGIN }]),
  );
  const groups = rest.groups.map((group) => ({ ...group, y: group.y + MARGIN }));
  return { ...rest, groups, places, height: bottom - top + 2 * MARGIN };
}
