import { type ComponentType, type ReactNode, useMemo, useRef, useState } from 'react';
import type { History, Moment } from '../core/history/history.ts';
import { configOf, type MemberAt } from '../core/history/memberAt.ts';
import { tempoOf } from '../tempo/tempo.ts';
import { type Places, ringPlaces, rowPlaces, type Size } from './places.ts';
import { SetPicture } from './SetPicture.tsx';
import { useSize } from './useSize.ts';
import { useStill } from './useStill.ts';

interface Props {
  readonly history: History;
  readonly moment: Moment;
  readonly showHeartbeats: boolean;
  readonly selected: readonly string[];
  /** In which zone each stands, of those that stand in one. */
  readonly zones: ReadonlyMap<string, string>;
  /** A member, or two for the link between them. */
  readonly onSelect: (members: readonly string[]) => void;
  /** It has the height of what it stands in, and is drawn into that. */
  readonly isFitted?: boolean;
  /** Where somebody chooses what members are grouped by; without it they stand in a ring. */
  readonly GroupingChoice?: ComponentType<GroupingChoiceProps>;
}

export interface GroupingChoiceProps {
  readonly groupings: readonly Pick<Grouping, 'id' | 'name'>[];
  /** Empty: in a ring. */
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** The picture of the set in the page: as large as there is room, by a tag or zones if somebody wants that, and as still as they want it. */
export function SetView(props: Props): ReactNode {
  const { history, moment, showHeartbeats, selected, zones, onSelect, isFitted = false, GroupingChoice } = props;
  const { members } = moment;
  const place = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(place, 460);
  const size = isFitted && height > 0 ? { width, height } : { width };
  const isStill = useStill();
  const [grouping, setGrouping] = useState('');
  const groupings = groupingsOf(members, zones);
  const places = usePlaces(
    members,
    groupings.find(({ id }) => id === grouping),
    size,
  );
  return (
    <div className={isFitted ? 'set-room fitted' : 'set-room'}>
      {GroupingChoice && groupings.length > 0 && (
        <GroupingChoice groupings={groupings} chosen={grouping} onChoose={setGrouping} />
      )}
      <div ref={place} className="set-place">
        <SetPicture
          history={history}
          moment={moment}
          tempo={tempoOf(history)}
          places={places}
          size={size}
          selected={selected}
          showHeartbeats={showHeartbeats}
          isStill={isStill}
          onSelect={onSelect}
        />
      </div>
    </div>
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

function usePlaces(members: readonly MemberAt[], grouping: Grouping | undefined, size: Size): Places {
  const names = members.map(({ name }) => name);
  const values = members.map((member) => grouping?.valueOf(member));
  // Members are new at every instant; where they stand is not.
  const shape = JSON.stringify([names, values, grouping?.id, size]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape says it all
  return useMemo(() => {
    if (!grouping) return ringPlaces(names, size);
    const groups = new Map<string, string[]>();
    for (const [i, name] of names.entries()) {
      const label = values[i] === undefined ? `no ${grouping.name}` : `${grouping.name}: ${values[i]}`;
      groups.set(label, [...(groups.get(label) ?? []), name]);
    }
    return rowPlaces(groups, size);
  }, [shape]);
}
