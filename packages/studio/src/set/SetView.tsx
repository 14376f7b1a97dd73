import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Moment } from '../core/history/history.ts';
import type { LinkAt } from '../core/history/links.ts';
import { configOf, type MemberAt } from '../core/history/memberAt.ts';
import type { Flight } from '../core/history/traffic.ts';
import { groupLayout, type Layout, ringLayout } from './layout.ts';
import { isHeartbeat, Message } from './Messages.tsx';
import { type MemberText, memberText } from './memberText.ts';
import { Room } from './Room.tsx';
import { roomLabel, roomText } from './roomText.ts';
import { sidesOf } from './sides.ts';
import { useWidth } from './useWidth.ts';
import { Walls } from './Walls.tsx';
import { Way } from './Way.tsx';

/** Of more members only those ways are drawn that are not like the others, and those of who is selected. */
const ALL_WAYS_UP_TO = 9;
/** Of more members only latencies are written that somebody has changed. */
const ALL_LATENCIES_UP_TO = 4;

interface Props {
  readonly moment: Moment;
  /** See `History.epochSecs`. */
  readonly epochSecs: number;
  readonly flights: readonly Flight[];
  readonly showHeartbeats: boolean;
  readonly selected: readonly string[];
  /** In which zone each stands, of those that stand in one. */
  readonly zones: ReadonlyMap<string, string>;
  /** A member, or two for the link between them. */
  readonly onSelect: (members: readonly string[]) => void;
}

/** The members as rooms in a ring, or by a tag or their zones, the ways between them, walls across these, and what flies along them. */
export function SetView(props: Props): ReactNode {
  const { moment, epochSecs, flights, showHeartbeats, selected, zones, onSelect } = props;
  const { members, atMicros } = moment;
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place, 460);
  const [grouping, setGrouping] = useState('');
  const groupings = groupingsOf(members, zones);
  const chosen = groupings.find(({ id }) => id === grouping);
  const layout = useLayout(members, chosen, width);
  const sides = sidesOf(
    members.map(({ name }) => name),
    moment.cut,
  );
  const texts = new Map(members.map((each) => [each.name, memberText(each, members, atMicros, epochSecs)]));
  const only = selected.length === 1 ? members.find(({ name }) => name === selected[0]) : undefined;
  return (
    <div ref={place}>
      {groupings.length > 0 && <GroupingChoice groupings={groupings} chosen={grouping} onChoose={setGrouping} />}
      <svg width={width} height={layout.height} viewBox={`0 0 ${width} ${layout.height}`} className="rooms">
        <title>The members of the set</title>
        {layout.groups.map(({ label, y, height }) => (
          <g key={label} className="group">
            <rect x={1} y={y} width={width - 2} height={height} rx={6} />
            <text x={8} y={y + 14}>
              {label}
            </text>
          </g>
        ))}
        <Walls layout={layout} sides={sides} />
        <Ways moment={moment} layout={layout} selected={selected} onSelect={onSelect} />
        {flights.map(
          (flight) =>
            (showHeartbeats || !isHeartbeat(flight)) && (
              <Message
                key={`${flight.from} ${flight.to} ${flight.what} ${flight.sentMicros}`}
                flight={flight}
                places={layout.places}
                atMicros={atMicros}
              />
            ),
        )}
        {members.map((member) => (
          <MemberRoom
            key={member.name}
            member={member}
            members={members}
            text={texts.get(member.name)!}
            layout={layout}
            sides={sides}
            isSelected={only === member}
            onSelect={onSelect}
          />
        ))}
      </svg>
    </div>
  );
}

interface MemberRoomProps {
  readonly member: MemberAt;
  readonly members: readonly MemberAt[];
  readonly text: MemberText;
  readonly layout: Layout;
  readonly sides: readonly (readonly string[])[];
  readonly isSelected: boolean;
  readonly onSelect: Props['onSelect'];
}

/** A member where it stands, and what is written there. */
function MemberRoom({ member, members, text, layout, sides, isSelected, onSelect }: MemberRoomProps): ReactNode {
  const { name, process, state } = member;
  const written = roomText(member, text, layout.size);
  const side = sideText(sides, name, layout.size);
  return (
    <Room
      name={name}
      {...layout.places.get(name)!}
      room={layout.room}
      look={process === 'running' ? state.toLowerCase() : process.replace(' ', '-')}
      isArbiter={configOf(member, members)?.arbiterOnly ?? false}
      label={roomLabel(name, side === undefined ? written : `${written}\n${side}`, text)}
      text={written}
      side={side}
      isSelected={isSelected}
      onSelect={onSelect}
    />
  );
}

interface GroupingChoiceProps {
  readonly groupings: readonly Grouping[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

function GroupingChoice({ groupings, chosen, onChoose }: GroupingChoiceProps): ReactNode {
  return (
    <label>
      members{' '}
      <select value={chosen} onChange={({ target }) => onChoose(target.value)}>
        <option value="">in a ring</option>
        {groupings.map(({ id, name }) => (
          <option key={id} value={id}>
            by {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Something that members may be grouped by. */
interface Grouping {
  readonly id: string;
  readonly name: string;
  readonly valueOf: (member: MemberAt) => string | undefined;
}

/** The tags that members have, and the zones of the scenario. */
function groupingsOf(members: readonly MemberAt[], zones: Props['zones']): readonly Grouping[] {
  const tagsOf = (member: MemberAt) => configOf(member, members)?.tags ?? {};
  const keys = [...new Set(members.flatMap((member) => Object.keys(tagsOf(member))))];
  const byTag = keys.map((key) => ({
    id: `tag ${key}`,
    name: key,
    valueOf: (member: MemberAt) => tagsOf(member)[key],
  }));
  const hasZones = members.some(({ name }) => zones.has(name));
  return hasZones ? [...byTag, { id: 'zone', name: 'zone', valueOf: ({ name }) => zones.get(name) }] : byTag;
}

function useLayout(members: readonly MemberAt[], grouping: Grouping | undefined, width: number): Layout {
  const names = members.map(({ name }) => name);
  const values = members.map((member) => grouping?.valueOf(member));
  // Members are new at every instant; where they stand is not.
  const shape = JSON.stringify([names, values, grouping?.id, width]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape says it all
  return useMemo(() => {
    if (!grouping) return ringLayout(names, width);
    const groups = new Map<string, string[]>();
    for (const [i, name] of names.entries()) {
      const label = values[i] === undefined ? `no ${grouping.name}` : `${grouping.name}: ${values[i]}`;
      groups.set(label, [...(groups.get(label) ?? []), name]);
    }
    return groupLayout(groups, width);
  }, [shape]);
}

function sideText(sides: readonly (readonly string[])[], name: string, size: Layout['size']): string | undefined {
  if (sides.length < 2) return undefined;
  return `${size === 'chip' ? '' : 'side '}${sides.findIndex((side) => side.includes(name)) + 1}`;
}

interface WaysProps {
  readonly moment: Moment;
  readonly layout: Layout;
  readonly selected: readonly string[];
  readonly onSelect: (members: readonly string[]) => void;
}

function Ways({ moment, layout, selected, onSelect }: WaysProps): ReactNode {
  const { members, cut, links } = moment;
  const closed = new Set(cut.map(([from, to]) => `${from} ${to}`));
  const changed = new Map(links.map((link) => [`${link.from} ${link.to}`, link]));
  const usual = { latencyMs: moment.latencyMs, others: {} };
  return members.flatMap(({ name: one }, i) =>
    members.slice(i + 1).map(({ name: other }) => {
      const [there, back] = [`${one} ${other}`, `${other} ${one}`];
      const isClosed = closed.has(there);
      const isClosedBack = closed.has(back);
      const isChanged = changed.has(there) || changed.has(back);
      const isShown =
        members.length <= ALL_WAYS_UP_TO ||
        isChanged ||
        isClosed !== isClosedBack ||
        selected.includes(one) ||
        selected.includes(other);
      if (!isShown) return null;
      return (
        <Way
          key={there}
          one={one}
          other={other}
          from={layout.places.get(one)!}
          to={layout.places.get(other)!}
          isClosed={isClosed}
          isClosedBack={isClosedBack}
          latency={latencyText(changed.get(there) ?? usual, changed.get(back) ?? usual)}
          showsLatency={isChanged || members.length <= ALL_LATENCIES_UP_TO}
          isSelected={selected.length === 2 && selected.includes(one) && selected.includes(other)}
          onSelect={onSelect}
        />
      );
    }),
  );
}

type Carrying = Pick<LinkAt, 'latencyMs' | 'others'>;

function latencyText(there: Carrying, back: Carrying): string {
  const [one, other] = [carryingText(there), carryingText(back)];
  return one === other ? one : `→ ${one}, ← ${other}`;
}

function carryingText({ latencyMs: [min, max], others }: Carrying): string {
  const latency = min === max ? `${min} ms` : `${min}–${max} ms`;
  return [latency, ...Object.entries(others).map(([name, value]) => `${name} ${value}`)].join(', ');
}
