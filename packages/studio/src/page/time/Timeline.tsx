import { formatInstant } from '@replsim/kernel';
import { type PointerEvent, type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Likeness } from '../../core/compare/likeness.ts';
import type { History } from '../../core/history/history.ts';
import { countUpTo } from '../../core/history/search.ts';
import { useWidth } from '../../set/useWidth.ts';
import { Apart, AXIS } from './Apart.tsx';
import { SIGN_MEANINGS } from './LaneRow.tsx';
import { Lanes, LEFT, lanesHeight, RIGHT } from './Lanes.tsx';
import { following, panned, type Range, zoomed } from './range.ts';

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
  const endMicros = Math.max(...histories.map((each) => each.endMicros), 1);
  const view = useRange(atMicros, endMicros);
  const { range } = view;
  door.current = view;
  const { xOf, microsAt } = scaleOf(range, width);
  const instantAt = (clientX: number) =>
    Math.min(microsAt(clientX - (svg.current?.getBoundingClientRect().left ?? 0)), endMicros);
  useWheel(svg, (event) => {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      view.pan(Math.sign(event.deltaX || event.deltaY) * 0.1);
    else view.zoom(event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, instantAt(event.clientX));
  });
  const scrub = (event: PointerEvent) => {
    if (event.buttons !== 0) onScrub(instantAt(event.clientX));
  };
  const height = heightOf(histories);
  return (
    <div ref={place} className="time-view">
      <ZoomButtons view={view} />
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
        aria-valuemax={endMicros / 1e6}
        aria-valuenow={atMicros / 1e6}
        aria-valuetext={formatInstant(atMicros)}
        onPointerDown={scrub}
        onPointerMove={scrub}
      >
        <AllLanes
          histories={histories}
          range={range}
          width={width}
          ledToMicros={isLed ? atMicros : undefined}
          onGo={onScrub}
        />
        <Apart
          likeness={second?.likeness}
          xOf={(micros) => (micros < range.fromMicros || micros > range.toMicros ? undefined : xOf(micros))}
          height={height - FOOT}
        />
        <Now atMicros={atMicros} x={xOf(atMicros)} width={width} height={height} />
      </svg>
      <Legend />
    </div>
  );
}

/** What part of the run is shown, and what changes it. */
interface View extends TimelineDoor {
  readonly range: Range;
  /** Whether that is less than all of it. */
  readonly isZoomed: boolean;
  zoom(factor: number, aroundMicros?: number): void;
}

function useRange(atMicros: number, endMicros: number): View {
  /** Undefined: the whole run, however long it becomes. */
  const [chosen, setChosen] = useState<Range>();
  const range = chosen ? following(chosen, atMicros, endMicros) : { fromMicros: 0, toMicros: endMicros };
  return {
    range,
    isZoomed: chosen !== undefined,
    zoom: (factor, around = atMicros) => {
      const next = zoomed(range, factor, around, endMicros);
      setChosen(next.toMicros - next.fromMicros >= endMicros ? undefined : next);
    },
    pan: (share) => chosen && setChosen(panned(range, share, endMicros)),
    fit: () => setChosen(undefined),
  };
}

/** Where an instant is drawn, and which is drawn at a place. */
interface Scale {
  xOf(micros: number): number;
  microsAt(x: number): number;
}

function scaleOf({ fromMicros, toMicros }: Range, width: number): Scale {
  const inner = width - LEFT - RIGHT;
  const span = toMicros - fromMicros;
  return {
    xOf: (micros) => LEFT + ((micros - fromMicros) / span) * inner,
    microsAt: (x) => Math.round(fromMicros + Math.min(Math.max((x - LEFT) / inner, 0), 1) * span),
  };
}

/** Hears the wheel, and keeps the page from scrolling, which React's own listeners may not. */
function useWheel(svg: RefObject<SVGSVGElement | null>, turned: (event: WheelEvent) => void): void {
  const latest = useRef(turned);
  latest.current = turned;
  useEffect(() => {
    const heard = (event: WheelEvent) => {
      event.preventDefault();
      latest.current(event);
    };
    const { current } = svg;
    current?.addEventListener('wheel', heard, { passive: false });
    return () => current?.removeEventListener('wheel', heard);
  }, [svg]);
}

function ZoomButtons({ view }: { readonly view: View }): ReactNode {
  const { range, isZoomed, zoom, pan, fit } = view;
  return (
    <div className="zoom">
      <button type="button" onClick={() => zoom(ZOOM_STEP)} aria-label="zoom in" title="+">
        +
      </button>
      <button type="button" onClick={() => zoom(1 / ZOOM_STEP)} aria-label="zoom out" title="-">
        −
      </button>
      <button type="button" onClick={fit} title="0" disabled={!isZoomed}>
        fit
      </button>
      <button type="button" onClick={() => pan(-PAN_STEP)} aria-label="earlier" disabled={!isZoomed}>
        ◂
      </button>
      <button type="button" onClick={() => pan(PAN_STEP)} aria-label="later" disabled={!isZoomed}>
        ▸
      </button>
      <span className="range">{`${formatInstant(Math.round(range.fromMicros))} – ${formatInstant(Math.round(range.toMicros))}`}</span>
    </div>
  );
}

interface AllLanesProps {
  readonly histories: readonly History[];
  readonly range: Range;
  readonly width: number;
  /** Marks of the first run are drawn up to there; undefined: all of them. */
  readonly ledToMicros: number | undefined;
  readonly onGo: (atMicros: number) => void;
}

/** The lanes of a run; of two, one below the other, each with its name. */
function AllLanes({ histories, range, width, ledToMicros, onGo }: AllLanesProps): ReactNode {
  const go = useLatest(onGo);
  const markedToMicros = ledToMicros === undefined ? Number.POSITIVE_INFINITY : lastMarkAt(histories[0]!, ledToMicros);
  const lanesOf = (history: History) => (
    <Lanes history={history} size={history.size} {...range} markedToMicros={markedToMicros} width={width} onGo={go} />
  );
  if (histories.length === 1) return lanesOf(histories[0]!);
  return histories.map((each, i) => (
    <g key={RUNS[i]} data-run={RUNS[i]} transform={`translate(0 ${topOf(histories, i)})`}>
      <text className="name" x={4} y={NAME - 5}>
        {`the ${RUNS[i]} run, to ${formatInstant(each.endMicros)}`}
      </text>
      <g transform={`translate(0 ${NAME})`}>{lanesOf(each)}</g>
    </g>
  ));
}

/** That of the last mark, so that lanes are not drawn anew with every frame. */
function lastMarkAt({ marks }: History, atMicros: number): number {
  return marks[countUpTo(marks, (mark) => mark.atMicros, atMicros) - 1]?.atMicros ?? 0;
}

interface NowProps {
  readonly atMicros: number;
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

function Now({ atMicros, x, width, height }: NowProps): ReactNode {
  return (
    <>
      <line className="now" x1={x} x2={x} y1={0} y2={height - FOOT} />
      <text className="now" x={x} y={height - 4} textAnchor={x > width / 2 ? 'end' : 'start'}>
        {formatInstant(atMicros)}
      </text>
    </>
  );
}

function Legend(): ReactNode {
  return (
    <ul className="legend" aria-label="Marks">
      {SIGN_MEANINGS.map(([sign, meaning]) => (
        <li key={sign}>
          <span aria-hidden="true">{sign}</span> {meaning}
        </li>
      ))}
    </ul>
  );
}

/** Of two runs each has a line for its name. Unit: px. */
const NAME = 18;
const RUNS = ['first', 'second'] as const;

/** Where the lanes of one of two runs begin. Unit: px. */
function topOf(histories: readonly History[], which: number): number {
  return AXIS + histories.slice(0, which).reduce((sum, each) => sum + NAME + lanesHeight(each), 0);
}

function heightOf(histories: readonly History[]): number {
  return FOOT + (histories.length === 1 ? lanesHeight(histories[0]!) : topOf(histories, histories.length));
}

/** A function that stays the same, and does what the last one does: what is drawn for it need not be drawn anew. */
function useLatest(does: (atMicros: number) => void): (atMicros: number) => void {
  const latest = useRef(does);
  latest.current = does;
  return useCallback((atMicros) => latest.current(atMicros), []);
}
