import { formatInstant } from '@replsim/kernel';
import { memo, type ReactNode, useMemo } from 'react';
import type { History, Stretch } from '../../core/history/history.ts';
import type { Span } from '../../core/history/lanes.ts';
import type { Mark } from '../../core/history/marks.ts';
import { bandsOf, type Stretched } from './bands.ts';
import { clustersOf } from './clusters.ts';
import { LaneRow } from './LaneRow.tsx';
import type { Range } from './range.ts';

/** Unit: px. */
export const LEFT = 64;
export const RIGHT = 10;
const APART = 22;
const THIN = 16;
/** Of more members lanes are thin. */
const HIGH_UP_TO = 9;

/** How high the lanes are in all. Unit: px. */
export function lanesHeight(history: History): number {
  const { lanes, memberNames } = history;
  const thin = 2 + (lanes.commits.length > 0 ? 1 : 0) + lanes.workloads.size;
  return thin * THIN + memberNames.length * laneHeight(memberNames.length);
}

interface Row {
  readonly name: string;
  readonly height: number;
  readonly stretches: readonly Stretched[];
  readonly ranking: readonly string[];
  /** Undefined: none. */
  readonly isMark: ((mark: Mark) => boolean) | undefined;
}

interface Props {
  readonly history: History;
  /** How many events it has: it grows. */
  readonly size: number;
  readonly fromMicros: number;
  readonly toMicros: number;
  /** Marks that come later are not drawn. */
  readonly markedToMicros: number;
  readonly width: number;
  readonly onGo: (atMicros: number) => void;
}

/** All that does not depend on the instant: drawn anew only if the run grows, or another part of it is looked at. */
export const Lanes = memo(function Lanes(props: Props): ReactNode {
  const { history, size, fromMicros, toMicros, markedToMicros, width, onGo } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the history is the same while it grows
  const rows = useMemo(() => rowsOf(history), [history, size]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the history is the same while it grows
  const marks = useMemo(() => {
    const drawn = history.marks.filter(({ atMicros, knownMicros = atMicros }) => knownMicros <= markedToMicros);
    return rows.map(({ isMark }) => (isMark ? drawn.filter(isMark) : []));
  }, [rows, size, markedToMicros]);
  const range: Range = { fromMicros, toMicros };
  const inner = Math.max(Math.floor(width - LEFT - RIGHT), 1);
  let y = 0;
  return rows.map(({ name, height, stretches, ranking }, i) => {
    y += height;
    return (
      <LaneRow
        key={name}
        name={name}
        left={LEFT}
        width={inner}
        y={y - height}
        height={height}
        bands={bandsOf(stretches, range, inner, ranking)}
        clusters={clustersOf(marks[i]!, range, inner, APART)}
        onGo={onGo}
      />
    );
  });
});

function rowsOf(history: History): readonly Row[] {
  const { lanes, memberNames, endMicros } = history;
  const none = { stretches: [], ranking: [] };
  const high = laneHeight(memberNames.length);
  return [
    { name: 'faults', height: THIN, ...none, isMark: ({ kind }) => kind === 'fault' || kind === 'failed' },
    { name: 'steps', height: THIN, ...none, isMark: ({ kind }) => kind === 'step' },
    ...memberNames.map((name) => ({
      name,
      height: high,
      stretches: history.stretches(name).map((each) => memberStretch(each, endMicros)),
      ranking: STATES,
      isMark: (mark: Mark) => mark.member === name,
    })),
    ...(lanes.commits.length > 0
      ? [
          {
            name: 'majority',
            height: THIN,
            stretches: lanes.commits.map((span) =>
              spanned(span, 'a majority does not have the newest write', endMicros),
            ),
            ranking: OUTCOMES,
            isMark: undefined,
          },
        ]
      : []),
    ...[...lanes.workloads].map(([name, spans]) => ({
      name: ` ${name}`,
      height: THIN,
      stretches: spans.map((span) => spanned(span, span.kind, endMicros)),
      ranking: OUTCOMES,
      isMark: undefined,
    })),
  ];
}

function laneHeight(members: number): number {
  return members > HIGH_UP_TO ? THIN : 28;
}

/** What is rare is seen where there is room for one. */
const STATES = ['rollback', 'recovering', 'startup2', 'primary writable', 'primary', 'down', 'startup', 'removed'];
const OUTCOMES = ['error', 'unknown', 'late', 'acknowledged', 'read'];
/** Whoever waits longer than that sees it. Unit: µs. */
const LATE_MICROS = 500_000;

/** What goes on goes on to the end of its run, which may be before that of another one. */
function memberStretch({ state, acceptsWrites, fromMicros, toMicros }: Stretch, endMicros: number): Stretched {
  const look = `${state.toLowerCase()}${acceptsWrites ? ' writable' : ''}`;
  const text = `${state}${acceptsWrites ? ', accepts writes' : ''} from ${formatInstant(fromMicros)}`;
  return { fromMicros, toMicros: toMicros ?? endMicros, look, text };
}

function spanned({ kind, fromMicros, toMicros }: Span, what: string, endMicros: number): Stretched {
  const isLate = toMicros === undefined || toMicros - fromMicros > LATE_MICROS;
  const look = kind === 'error' || kind === 'unknown' || !isLate ? kind : 'late';
  const until = toMicros === undefined ? '' : ` to ${formatInstant(toMicros)}`;
  return {
    fromMicros,
    toMicros: toMicros ?? endMicros,
    look,
    text: `${what} from ${formatInstant(fromMicros)}${until}`,
  };
}
