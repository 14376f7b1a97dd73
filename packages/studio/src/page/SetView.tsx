import { formatInstant } from '@replsim/kernel';
import { formatOpTime } from '@replsim/protocol';
import type { ReactNode } from 'react';
import type { Moment } from '../history/history.ts';
import type { MemberAt } from '../history/memberAt.ts';
import type { Flight } from '../history/traffic.ts';

const WIDTH = 460;
const HEIGHT = 360;
const RING = 118;
const ROOM = { width: 138, height: 78 };

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly moment: Moment;
  /** See `History.epochSecs`. */
  readonly epochSecs: number;
  readonly flights: readonly Flight[];
  readonly showHeartbeats: boolean;
  readonly selected: readonly string[];
  /** A member, or two for the way between them. */
  readonly onSelect: (members: readonly string[]) => void;
}

/** The members as rooms in a ring, the ways between them, and what flies along them. */
export function SetView({ moment, epochSecs, flights, showHeartbeats, selected, onSelect }: Props): ReactNode {
  const { members } = moment;
  const places = new Map(members.map(({ name }, i) => [name, placeOf(i, members.length)]));
  const shown = flights.filter(({ what }) => showHeartbeats || !/heartbeat/i.test(what));
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <title>The members of the set</title>
      {members.flatMap((one, i) =>
        members
          .slice(i + 1)
          .map((other) => (
            <Way
              key={`${one.name} ${other.name}`}
              ends={[one.name, other.name]}
              from={places.get(one.name)!}
              to={places.get(other.name)!}
              walls={moment.cut.filter(
                ([a, b]) => [one.name, other.name].includes(a) && [one.name, other.name].includes(b),
              )}
              isSelected={selected.length === 2 && selected.includes(one.name) && selected.includes(other.name)}
              onSelect={onSelect}
            />
          )),
      )}
      {shown.map((flight) => (
        <Message
          key={`${flight.from} ${flight.to} ${flight.what} ${flight.sentMicros}`}
          flight={flight}
          places={places}
          atMicros={moment.atMicros}
        />
      ))}
      {members.map((member) => (
        <Room
          key={member.name}
          member={member}
          epochSecs={epochSecs}
          place={places.get(member.name)!}
          isSelected={selected.length === 1 && selected[0] === member.name}
          onSelect={onSelect}
        />
      ))}
    </svg>
  );
}

function placeOf(index: number, count: number): Point {
  const angle = (2 * Math.PI * index) / Math.max(count, 1) - Math.PI / 2;
  const stretch = count > 5 ? 1.2 : 1;
  return { x: WIDTH / 2 + 1.25 * RING * stretch * Math.cos(angle), y: HEIGHT / 2 + RING * Math.sin(angle) };
}

interface WayProps {
  readonly ends: readonly [string, string];
  readonly from: Point;
  readonly to: Point;
  readonly walls: Moment['cut'];
  readonly isSelected: boolean;
  readonly onSelect: (members: readonly string[]) => void;
}

function Way({ ends, from, to, walls, isSelected, onSelect }: WayProps): ReactNode {
  const [one, other] = ends;
  const state = walls.length === 0 ? 'open' : walls.length === 1 ? 'one way' : 'cut';
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a picture
    <g
      role="button"
      tabIndex={0}
      aria-label={`the way between ${one} and ${other}: ${state}`}
      className={`way ${state.replace(' ', '-')} ${isSelected ? 'selected' : ''}`}
      onClick={() => onSelect(ends)}
      onKeyDown={(event) => isPress(event.key) && onSelect(ends)}
    >
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} className="grip" />
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} className="line" />
      {walls.length > 0 && (
        <text x={middle.x} y={middle.y} textAnchor="middle" dominantBaseline="central">
          {walls.length > 1 ? '✖' : `${walls[0]![0]} ✖→ ${walls[0]![1]}`}
        </text>
      )}
    </g>
  );
}

interface MessageProps {
  readonly flight: Flight;
  readonly places: ReadonlyMap<string, Point>;
  readonly atMicros: number;
}

function Message({ flight, places, atMicros }: MessageProps): ReactNode {
  const [from, to] = [places.get(flight.from), places.get(flight.to)];
  if (!from || !to) return null;
  const way = (atMicros - flight.sentMicros) / ((flight.endedMicros ?? atMicros) - flight.sentMicros || 1);
  const kind = /vote/i.test(flight.what) ? 'vote' : /heartbeat/i.test(flight.what) ? 'heartbeat' : 'data';
  return (
    <circle
      className={`message ${kind} ${flight.lost ? 'lost' : ''}`}
      cx={from.x + (to.x - from.x) * way}
      cy={from.y + (to.y - from.y) * way}
      r={4}
    >
      <title>{`${flight.from} → ${flight.to}: ${flight.what}`}</title>
    </circle>
  );
}

interface RoomProps {
  readonly member: MemberAt;
  readonly epochSecs: number;
  readonly place: Point;
  readonly isSelected: boolean;
  readonly onSelect: (members: readonly string[]) => void;
}

function Room({ member, epochSecs, place, isSelected, onSelect }: RoomProps): ReactNode {
  const { name, state, term, process, acceptsWrites, lastApplied, commitPoint, held, clockJumpedMs } = member;
  const said =
    process === 'paused' ? 'paused' : state === 'PRIMARY' && !acceptsWrites ? 'PRIMARY, not yet writable' : state;
  const notes = [
    `term ${term}`,
    ...(lastApplied ? [`at ${formatOpTime(lastApplied, epochSecs)}`] : []),
    ...(held.length > 0 ? [`held: ${held.join(', ')}`] : []),
    ...(clockJumpedMs !== 0 ? [`clock ${clockJumpedMs > 0 ? '+' : ''}${clockJumpedMs / 1000} s`] : []),
  ];
  const above = notes.slice(0, 2).join(' · ');
  const below = notes[2] ?? (commitPoint ? `majority ${formatOpTime(commitPoint, epochSecs)}` : ttlText(member));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a picture
    <g
      role="button"
      tabIndex={0}
      className={`room ${process === 'running' ? state.toLowerCase() : process.replace(' ', '-')} ${isSelected ? 'selected' : ''}`}
      transform={`translate(${place.x - ROOM.width / 2} ${place.y - ROOM.height / 2})`}
      onClick={() => onSelect([name])}
      onKeyDown={(event) => isPress(event.key) && onSelect([name])}
    >
      <rect width={ROOM.width} height={ROOM.height} rx={8} />
      <text x={10} y={20} className="name">
        {`${name} `}
      </text>
      <text x={10} y={37} className="state">
        {`${said} `}
      </text>
      <text x={10} y={54}>
        {`${above} `}
      </text>
      <text x={10} y={69}>
        {below}
      </text>
    </g>
  );
}

function ttlText({ ttl }: MemberAt): string {
  if (!ttl) return '';
  return ttl.phase === 'sleeping' && ttl.wakeMicros !== undefined
    ? `TTL asleep until ${formatInstant(ttl.wakeMicros)}`
    : `TTL ${ttl.phase}`;
}

function isPress(key: string): boolean {
  return key === 'Enter' || key === ' ';
}
