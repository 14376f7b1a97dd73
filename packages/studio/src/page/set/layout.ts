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

function sizeFor(count: number, width: number): RoomSize {
  if (count <= 5) return 'full';
  return count <= 7 || (count <= 9 && width >= 420) ? 'medium' : 'chip';
}

function roomOf(size: RoomSize, width: number): Layout['room'] {
  if (size === 'full') return { width: Math.min(Math.max(0.36 * width, 128), 164), height: 124 };
  return size === 'medium' ? { width: width < 420 ? 94 : 108, height: 66 } : { width: 52, height: 34 };
}

/** Members in a ring; more of them than one ring has room for stand in several, one in the other. */
export function ringLayout(names: readonly string[], width: number): Layout {
  const size = sizeFor(names.length, width);
  const room = roomOf(size, width);
  const rx = (width - room.width) / 2 - MARGIN;
  if (size !== 'chip') {
    const ry = names.length < 2 ? 0 : (RADIUS[names.length] ?? 180);
    const points = onRing(names.length, rx, ry);
    return placed(names, points, { width, size, room, around: names, groups: [] });
  }
  const rings = ringsFor(names.length, rx);
  const points = rings.flatMap(({ count, rx, ry }) => onRing(count, rx, ry));
  return placed(names, points, { width, size, room, around: rings.length === 1 ? names : [], groups: [] });
}

/** By the number of members: so that rooms do not touch. */
const RADIUS: Readonly<Record<number, number>> = { 2: 100, 3: 112, 4: 146, 5: 196, 6: 150, 7: 180 };

function onRing(count: number, rx: number, ry: number): readonly Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / Math.max(count, 1) - Math.PI / 2;
    return { x: rx * Math.cos(angle), y: ry * Math.sin(angle) };
  });
}

interface Ring {
  readonly count: number;
  readonly rx: number;
  readonly ry: number;
}

/** Rings of chips from the outside in, as high as it takes. */
function ringsFor(total: number, rx: number): readonly Ring[] {
  for (let ry = 120; ; ry += 20) {
    const rings: Ring[] = [];
    let left = total;
    for (let inset = 0; left > 0 && rx - inset > 30 && ry - inset * 0.75 > 20; inset += 62) {
      const ring = { rx: rx - inset, ry: ry - inset * 0.75 };
      const count = Math.min(left, Math.floor(circumference(ring.rx, ring.ry) / 60));
      rings.push({ ...ring, count });
      left -= count;
    }
    if (left === 0) return rings;
  }
}

/** Of an ellipse, as near as Ramanujan comes. */
function circumference(a: number, b: number): number {
  return Math.PI * (3 * (a + b) - Math.sqrt((3 * a + b) * (a + 3 * b)));
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
