import { formatInstant } from '@replsim/kernel';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import ChevronRight from 'lucide-react/icons/chevron-right';
import Maximize from 'lucide-react/icons/maximize';
import ZoomIn from 'lucide-react/icons/zoom-in';
import ZoomOut from 'lucide-react/icons/zoom-out';
import { type PointerEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { Likeness } from '../../core/compare/likeness.ts';
import type { History } from '../../core/history/history.ts';
import { countUpTo } from '../../core/history/search.ts';
import { useWidth } from '../../set/useWidth.ts';
import { useActions, usePage } from '../context.ts';
import { IconButton } from '../controls/Button.tsx';
import { LegendButton } from '../controls/Legend.tsx';
import { Apart, AXIS } from './Apart.tsx';
import { SIGN_MEANINGS } from './LaneRow.tsx';
import { Lanes, LEFT, lanesHeight, RIGHT } from './Lanes.tsx';
import { following, panned, type Range, zoomed } from './range.ts';
import type { TimelineDoor } from './timelineDoor.ts';

/** One press of a button, and one notch of a wheel. */
const ZOOM_STEP = 0.5;
const WHEEL_STEP = 0.8;
const PAN_STEP = 0.3;
/** Above the text of the instant. Unit: px. */
const FOOT = 16;

interface Props {
  readonly history: History;
  /** A second run, whose lanes stand below the first's, on the same axis. */
  readonly second?: Beside | undefined;
  /** Whether marks are drawn only when what they stand for has happened: whoever is led is not told what comes. */
  readonly isLed?: boolean;
  readonly door: { current: TimelineDoor | null };
}

interface Beside {
  readonly history: History;
  readonly likeness: Likeness | undefined;
}

/** Members as lanes, their states as bars, and what happened as marks; a drag goes to an instant, a wheel nearer. Of two runs it is one axis. */
export function Timeline({ history, second, isLed = false, door }: Props): ReactNode {
  const { atMicros } = usePage();
  const { go } = useActions();
  const place = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(place, 720);
  const histories = second ? [history, second.history] : [history];
  const endMicros = Math.max(...histories.map((each) => each.endMicros), 1);
  const view = useRange(atMicros, endMicros);
  const { range } = view;
  door.current = view;
  const { microsAt } = scaleOf(range, width);
  const instantAt = (clientX: number) =>
    Math.min(microsAt(clientX - (svg.current?.getBoundingClientRect().left ?? 0)), endMicros);
  useWheel(svg, (event) => {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      view.pan(Math.sign(event.deltaX || event.deltaY) * 0.1);
    else view.zoom(event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, instantAt(event.clientX));
  });
  const scrub = (event: PointerEvent) => {
    if (event.buttons !== 0) go(instantAt(event.clientX));
  };
  const height = heightOf(histories);
  return (
    <div ref={place} className="time-view">
      <ZoomButtons view={view} />
      <div className="lanes">
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
          <AllLanes histories={histories} range={range} width={width} ledToMicros={isLed ? atMicros : undefined} />
          <Instants likeness={second?.likeness} range={range} width={width} height={height} />
        </svg>
      </div>
    </div>
  );
}

interface InstantsProps {
  readonly likeness: Likeness | undefined;
  readonly range: Range;
  readonly width: number;
  readonly height: number;
}

/** Lines across all lanes: where two runs part, what somebody points at, and now. */
function Instants({ likeness, range, width, height }: InstantsProps): ReactNode {
  const { atMicros, state } = usePage();
  const { xOf } = scaleOf(range, width);
  return (
    <>
      <Apart
        likeness={likeness}
        xOf={(micros) => (micros < range.fromMicros || micros > range.toMicros ? undefined : xOf(micros))}
        height={height - FOOT}
      />
      {state.pointed && <PointedAt x={xOf(state.pointed.atMicros)} height={height} />}
      <Now atMicros={atMicros} x={xOf(atMicros)} width={width} height={height} />
    </>
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
      <strong>Time</strong>
      <IconButton label="zoom in" keys="+" onClick={() => zoom(ZOOM_STEP)}>
        <ZoomIn size={15} aria-hidden="true" />
      </IconButton>
      <IconButton label="zoom out" keys="-" onClick={() => zoom(1 / ZOOM_STEP)}>
        <ZoomOut size={15} aria-hidden="true" />
      </IconButton>
      <IconButton label="fit" keys="0" onClick={fit} disabled={!isZoomed}>
        <Maximize size={15} aria-hidden="true" />
      </IconButton>
      <IconButton label="earlier" keys="<" onClick={() => pan(-PAN_STEP)} disabled={!isZoomed}>
        <ChevronLeft size={15} aria-hidden="true" />
      </IconButton>
      <IconButton label="later" keys=">" onClick={() => pan(PAN_STEP)} disabled={!isZoomed}>
        <ChevronRight size={15} aria-hidden="true" />
      </IconButton>
      <span className="range">{`${formatInstant(Math.round(range.fromMicros))} – ${formatInstant(Math.round(range.toMicros))}`}</span>
      <Legends />
    </div>
  );
}

interface AllLanesProps {
  readonly histories: readonly History[];
  readonly range: Range;
  readonly width: number;
  /** Marks of the first run are drawn up to there; undefined: all of them. */
  readonly ledToMicros: number | undefined;
}

/** The lanes of a run; of two, one below the other, each with its name. */
function AllLanes({ histories, range, width, ledToMicros }: AllLanesProps): ReactNode {
  const { go } = useActions();
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

/** The instant of what somebody reads just now. */
function PointedAt({ x, height }: { readonly x: number; readonly height: number }): ReactNode {
  return <line className="pointed-at" x1={x} x2={x} y1={0} y2={height - FOOT} />;
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

/** What lanes have besides signs, in their colours. */
const BARS = [
  ['primary writable', 'primary, takes writes'],
  ['primary', 'primary, does not yet'],
  ['secondary', 'secondary'],
  ['recovering', 'starts up, recovers or rolls back'],
  ['down', 'down'],
  ['waiting', 'a majority lacks a write, or a client waits'],
  ['acknowledged', 'a client is answered'],
  ['error', 'a client gets an error'],
] as const;

function Legends(): ReactNode {
  return (
    <LegendButton of="marks and colours">
      <ul className="legend" aria-label="Marks">
        {SIGN_MEANINGS.map(([sign, meaning]) => (
          <li key={sign}>
            <span aria-hidden="true" className="sign">
              {sign}
            </span>{' '}
            {meaning}
          </li>
        ))}
      </ul>
      <ul className="legend" aria-label="Lanes">
        {BARS.map(([look, meaning]) => (
          <li key={look}>
            <svg viewBox="0 0 14 10" aria-hidden="true">
              <rect className={`stretch ${look}`} width={14} height={10} rx={2} />
            </svg>{' '}
            {meaning}
          </li>
        ))}
      </ul>
    </LegendButton>
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
