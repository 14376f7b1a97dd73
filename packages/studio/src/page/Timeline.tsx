import { formatInstant } from '@replsim/kernel';
import { type PointerEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { Likeness } from '../compare/likeness.ts';
import type { History } from '../history/history.ts';
import { countUpTo } from '../history/search.ts';
import { Apart, AXIS } from './time/Apart.tsx';
import { SIGN_MEANINGS } from './time/LaneRow.tsx';
import { Lanes, LEFT, lanesHeight, RIGHT } from './time/Lanes.tsx';
import { following, panned, type Range, zoomed } from './time/range.ts';
import { useWidth } from './useWidth.ts';

/** One press of a button, and one notch of a wheel. */
const ZOOM_STEP = 0.5;
const WHEEL_STEP = 0.8;
const PAN_STEP = 0.3;
/** Above the text of the instant. Unit: px. */
const FOOT = 16;

/** How others zoom: keys. */
export interface TimelineDoor {
  zoom(factor: number): void;
  pan(share: number): void;
  fit(): void;
}

interface Props {
  readonly history: History;
  /** A second run, whose lanes stand below the first's, on the same axis. */
  readonly second?: Beside | undefined;
  readonly atMicros: number;
  /** Whether marks are drawn only when what they stand for has happened: whoever is led is not told what comes. */
  readonly isLed?: boolean;
  readonly onScrub: (atMicros: number) => void;
  readonly door: { current: TimelineDoor | null };
}

interface Beside {
  readonly history: History;
  readonly likeness: Likeness | undefined;
}

/** Members as lanes, their states as bars, and what happened as marks; a drag goes to an instant, a wheel nearer. Of two runs it is one axis. */
export function Timeline({ history, second, atMicros, isLed = false, onScrub, door }: Props): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(place, 720);
  const histories = second ? [history, second.history] : [history];
  const end = Math.max(...histories.map(({ endMicros }) => endMicros), 1);
  /** Undefined: the whole run, however long it becomes. */
  const [chosen, setChosen] = useState<Range>();
  const range = chosen ? following(chosen, atMicros, end) : { fromMicros: 0, toMicros: end };
  const inner = width - LEFT - RIGHT;
  const instantAt = (clientX: number) => {
    const x = clientX - (svg.current?.getBoundingClientRect().left ?? 0) - LEFT;
    const share = Math.min(Math.max(x / inner, 0), 1);
    return Math.round(Math.min(range.fromMicros + share * (range.toMicros - range.fromMicros), end));
  };
  const zoom = (factor: number, around = atMicros) => {
    const next = zoomed(range, factor, around, end);
    setChosen(next.toMicros - next.fromMicros >= end ? undefined : next);
  };
  const pan = (share: number) => chosen && setChosen(panned(range, share, end));
  door.current = { zoom, pan, fit: () => setChosen(undefined) };
  const wheel = useRef<(event: WheelEvent) => void>(undefined);
  wheel.current = (event) => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      pan(Math.sign(event.deltaX || event.deltaY) * 0.1);
    else zoom(event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, instantAt(event.clientX));
  };
  useEffect(() => {
    const heard = (event: WheelEvent) => wheel.current?.(event);
    const { current } = svg;
    // React's own listeners may not keep the page from scrolling.
    current?.addEventListener('wheel', heard, { passive: false });
    return () => current?.removeEventListener('wheel', heard);
  }, []);
  const scrub = (event: PointerEvent) => {
    if (event.buttons !== 0) onScrub(instantAt(event.clientX));
  };
  const go = useLatest(onScrub);
  const { marks } = history;
  // That of the last mark, so that lanes are not drawn anew with every frame.
  const markedToMicros = isLed
    ? (marks[countUpTo(marks, (mark) => mark.atMicros, atMicros) - 1]?.atMicros ?? 0)
    : Number.POSITIVE_INFINITY;
  const head = second ? AXIS : 0;
  const tops = histories.map((_, i) => head + histories.slice(0, i).reduce((sum, each) => sum + groupHeight(each), 0));
  const height = second
    ? head + histories.reduce((sum, each) => sum + groupHeight(each), 0) + FOOT
    : lanesHeight(history) + FOOT;
  const xOf = (micros: number) => LEFT + ((micros - range.fromMicros) / (range.toMicros - range.fromMicros)) * inner;
  const x = xOf(atMicros);
  return (
    <div ref={place} className="time-view">
      <div className="zoom">
        <button type="button" onClick={() => zoom(ZOOM_STEP)} aria-label="zoom in" title="+">
          +
        </button>
        <button type="button" onClick={() => zoom(1 / ZOOM_STEP)} aria-label="zoom out" title="-">
          −
        </button>
        <button type="button" onClick={() => setChosen(undefined)} title="0" disabled={!chosen}>
          fit
        </button>
        <button type="button" onClick={() => pan(-PAN_STEP)} aria-label="earlier" disabled={!chosen}>
          ◂
        </button>
        <button type="button" onClick={() => pan(PAN_STEP)} aria-label="later" disabled={!chosen}>
          ▸
        </button>
        <span className="range">{`${formatInstant(Math.round(range.fromMicros))} – ${formatInstant(Math.round(range.toMicros))}`}</span>
      </div>
      <svg
        ref={svg}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        className="timeline"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: no element of a form has lanes
        role="slider"
        tabIndex={0}
        aria-label={second ? 'Time of both runs' : 'Time of the run'}
        aria-valuemin={0}
        aria-valuemax={end / 1e6}
        aria-valuenow={atMicros / 1e6}
        aria-valuetext={formatInstant(atMicros)}
        onPointerDown={scrub}
        onPointerMove={scrub}
      >
        {second ? (
          histories.map((each, i) => (
            <g key={RUNS[i]} data-run={RUNS[i]} transform={`translate(0 ${tops[i]})`}>
              <text className="name" x={4} y={NAME - 5}>
                {`the ${RUNS[i]} run, to ${formatInstant(each.endMicros)}`}
              </text>
              <g transform={`translate(0 ${NAME})`}>
                <Lanes
                  history={each}
                  size={each.size}
                  {...range}
                  markedToMicros={markedToMicros}
                  width={width}
                  onGo={go}
                />
              </g>
            </g>
          ))
        ) : (
          <Lanes
            history={history}
            size={history.size}
            {...range}
            markedToMicros={markedToMicros}
            width={width}
            onGo={go}
          />
        )}
        <Apart
          likeness={second?.likeness}
          xOf={(micros) => (micros < range.fromMicros || micros > range.toMicros ? undefined : xOf(micros))}
          height={height - FOOT}
        />
        <line className="now" x1={x} x2={x} y1={0} y2={height - FOOT} />
        <text className="now" x={x} y={height - 4} textAnchor={x > width / 2 ? 'end' : 'start'}>
          {formatInstant(atMicros)}
        </text>
      </svg>
      <ul className="legend" aria-label="Marks">
        {SIGN_MEANINGS.map(([sign, meaning]) => (
          <li key={sign}>
            <span aria-hidden="true">{sign}</span> {meaning}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Of two runs each has a line for its name. Unit: px. */
const NAME = 18;
const RUNS = ['first', 'second'] as const;

function groupHeight(history: History): number {
  return NAME + lanesHeight(history);
}

/** A function that stays the same, and does what the last one does: what is drawn for it need not be drawn anew. */
function useLatest(does: (atMicros: number) => void): (atMicros: number) => void {
  const latest = useRef(does);
  latest.current = does;
  return useCallback((atMicros) => latest.current(atMicros), []);
}
