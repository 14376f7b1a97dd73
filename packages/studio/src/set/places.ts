/** A place in the picture. Unit: px. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How much of a member is drawn: a portrait with its oplog, a smaller one with a bar, or a disc with its name. */
export type Scale = 'portrait' | 'small' | 'chip';

/** What a member takes up around the middle of its disc. Unit: px. */
export interface Tile {
  readonly scale: Scale;
  readonly width: number;
  readonly above: number;
  readonly below: number;
  /** Of the disc. */
  readonly radius: number;
}

/** A frame around members that belong together. Unit: px. */
export interface Frame {
  readonly label: string;
  readonly y: number;
  readonly height: number;
}

/** Where everything is drawn. */
export interface Places {
  readonly width: number;
  readonly height: number;
  readonly tile: Tile;
  /** The middles of the discs. */
  readonly of: ReadonlyMap<string, Point>;
  /** Members in the order in which they stand around the middle; empty if that says nothing. */
  readonly around: readonly string[];
  readonly middle: Point;
  readonly frames: readonly Frame[];
}

/** The room for the picture. Unit: px; without a height it takes what it needs, and with one members are drawn smaller rather than out of it. */
export interface Size {
  readonly width: number;
  readonly height?: number | undefined;
  /** So high is a ring at least, from its highest member to its lowest, if no height is given. */
  readonly least?: number | undefined;
}

const MARGIN = 8;
const GAP = 10;
const LABEL = 24;
/** More members than that stand in rows: a ring has no room for them. */
const RING_UP_TO = 14;

/** How members may be drawn: as large as so many can be first. */
function tilesFor(count: number, width: number): readonly Tile[] {
  const tiles: readonly Tile[] = [
    { scale: 'portrait', width: Math.min(172, Math.max(116, width / 2 - 24)), above: 98, below: 130, radius: 31 },
    { scale: 'small', width: width < 420 ? 84 : 104, above: 58, below: 92, radius: 20 },
    { scale: 'chip', width: 58, above: 20, below: 32, radius: 13 },
    { scale: 'chip', width: 44, above: 18, below: 30, radius: 12 },
  ];
  return tiles.slice(count <= 5 ? 0 : count <= RING_UP_TO ? 1 : 2);
}

/** The first that fits into a height, or else the lowest. */
function fitting(tiles: readonly Tile[], height: number | undefined, place: (tile: Tile) => Places): Places {
  const placings = tiles.slice(0, height === undefined ? 1 : tiles.length).map(place);
  const fits = height === undefined ? placings[0] : placings.find((placing) => placing.height <= height);
  return fits ?? placings.reduce((lowest, placing) => (placing.height < lowest.height ? placing : lowest));
}

/** Members around a middle as long as that has room for them, else in rows. */
export function ringPlaces(names: readonly string[], { width, height, least }: Size): Places {
  return fitting(tilesFor(names.length, width), height, (tile) => {
    const points = names.length > RING_UP_TO ? undefined : onRing(names.length, tile, { width, height, least });
    const ring = points && placed(names, points, { width, tile, around: names, frames: [] }, height);
    if (ring && ring.height <= (height ?? Number.POSITIVE_INFINITY)) return ring;
    const rows = inRows(new Map([['', names]]), tile, width, height);
    return ring && ring.height <= rows.height ? ring : rows;
  });
}

const top = (tile: Tile) => tile.above + tile.below;

/** On the narrowest ellipse on which none touches another; as high as there is room, and undefined if it were higher than wide by far. */
function onRing(count: number, tile: Tile, { width, height, least = LEAST }: Size): readonly Point[] | undefined {
  const rx = Math.min((width - tile.width) / 2 - MARGIN, 330);
  if (count === 1) return [{ x: 0, y: 0 }];
  if (count === 2 && width >= 2 * tile.width + 60) {
    const x = Math.min(rx, 220);
    return [
      { x: -x, y: 0 },
      { x, y: 0 },
    ];
  }
  const unit = Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count - Math.PI / 2;
    return { x: Math.cos(angle), y: Math.sin(angle) };
  });
  const span = Math.max(...unit.map(({ y }) => y)) - Math.min(...unit.map(({ y }) => y));
  const room = height === undefined ? 0 : (height - top(tile) - 2 * MARGIN) / span;
  const lowest = (height === undefined ? least : LOWEST) / span;
  for (let ry = Math.max(lowest, Math.min(room, rx)); ry * span < Math.max(1.9 * width, 700); ry += 8) {
    const points = unit.map(({ x, y }) => ({ x: x * rx, y: y * ry }));
    if (!doTouch(points, tile)) return points;
  }
  return undefined;
}

/** A ring is so high at least, so that a message has some way to go. Unit: px. */
const LEAST = 170;
/** And so high where the room is low. Unit: px. */
const LOWEST = 40;

function doTouch(points: readonly Point[], tile: Tile): boolean {
  return points.some((one, i) =>
    points
      .slice(i + 1)
      .some((other) => Math.abs(one.x - other.x) < tile.width && Math.abs(one.y - other.y) < top(tile)),
  );
}

/** Groups below each other, each with its members in rows; a group without a label has no frame. */
export function rowPlaces(groups: ReadonlyMap<string, readonly string[]>, { width, height }: Size): Places {
  const count = [...groups.values()].flat().length;
  return fitting(tilesFor(count, width), height, (tile) => inRows(groups, tile, width, height));
}

function inRows(
  groups: ReadonlyMap<string, readonly string[]>,
  tile: Tile,
  width: number,
  given: number | undefined,
): Places {
  const names = [...groups.values()].flat();
  const perRow = Math.max(1, Math.floor((width - 2 * MARGIN - GAP) / (tile.width + GAP)));
  const rowHeight = top(tile) + STAGGER + GAP;
  const frames: Frame[] = [];
  const points: Point[] = [];
  let y = 0;
  for (const [label, members] of groups) {
    const head = label === '' ? 0 : LABEL;
    for (const [i] of members.entries()) {
      const column = i % perRow;
      const inRow = Math.min(perRow, members.length - (i - column));
      points.push({
        x: (column - (inRow - 1) / 2) * (tile.width + GAP),
        // Every other one is lower, so that the ways of a row do not lie in each other.
        y: y + head + GAP / 2 + Math.floor(i / perRow) * rowHeight + tile.above + (column % 2) * STAGGER,
      });
    }
    const height = head + GAP + Math.ceil(members.length / perRow) * rowHeight;
    if (label !== '') frames.push({ label, y, height });
    y += height + GAP;
  }
  return placed(names, points, { width, tile, around: [], frames }, given);
}

/** The same with more room above. @param by unit: px */
export function lowered({ of, middle, frames, height, ...rest }: Places, by: number): Places {
  const down = ({ x, y }: Point): Point => ({ x, y: y + by });
  return {
    ...rest,
    of: new Map([...of].map(([name, point]) => [name, down(point)])),
    middle: down(middle),
    frames: frames.map((frame) => ({ ...frame, y: frame.y + by })),
    height: height + by,
  };
}

const STAGGER = 12;

/** Moves points around a middle, or below each other, into the picture. */
function placed(
  names: readonly string[],
  points: readonly Point[],
  rest: Pick<Places, 'width' | 'tile' | 'around' | 'frames'>,
  given?: number,
): Places {
  const { tile, width } = rest;
  const ys = points.map(({ y }) => y);
  const [least, most] = [Math.min(...ys) - tile.above, Math.max(...ys) + tile.below];
  const needed = most - least + 2 * MARGIN;
  const height = Math.max(needed, given ?? 0);
  const shift = MARGIN - least + (height - needed) / 2;
  const of = new Map(names.map((name, i) => [name, { x: points[i]!.x + width / 2, y: points[i]!.y + shift }]));
  const frames = rest.frames.map((frame) => ({ ...frame, y: frame.y + shift }));
  return { ...rest, of, height, frames, middle: { x: width / 2, y: shift } };
}
