import type { ReactNode } from 'react';
import type { History, Moment } from '../core/history/history.ts';
import type { MemberAt } from '../core/history/memberAt.ts';
import { captionAt } from '../tempo/captions.ts';
import type { Tempo } from '../tempo/tempo.ts';
import { BubblesView } from './BubbleView.tsx';
import { effectsAt } from './bubbles.ts';
import { Clock } from './Clock.tsx';
import { WRITTEN, WRITTEN_FROM } from './clear.ts';
import { Eye } from './eye.ts';
import { FileFoot, footHeight } from './FileFoot.tsx';
import { FlyingView } from './FlyingView.tsx';
import { flyingAt } from './flying.ts';
import { ChosenGround, MemberView } from './MemberView.tsx';
import { memberLabel } from './memberLabel.ts';
import { memberText } from './memberText.ts';
import { type Places, ringPlaces, type Size } from './places.ts';
import { portraitOf } from './portrait.ts';
import { tenths } from './Rings.tsx';
import { sidesOf } from './sides.ts';
import { stripsAt } from './strip.ts';
import { OWN_TOKENS, SET_STYLE } from './style.ts';
import { Walls } from './Walls.tsx';
import { Ways } from './Ways.tsx';

export interface SetPictureProps {
  readonly history: History;
  /** The set at the instant that is shown. */
  readonly moment: Moment;
  readonly tempo: Tempo;
  /** Where members stand, if not in a ring. */
  readonly places?: Places;
  readonly size: Size;
  readonly selected?: readonly string[];
  readonly showHeartbeats?: boolean;
  /** Nothing moves: for who has asked for less motion. */
  readonly isStill?: boolean;
  /** It is a file of its own: it has its colours, its caption and its legend with it. */
  readonly isFile?: boolean;
  readonly onSelect?: (members: readonly string[]) => void;
}

/** The set at an instant: a function of what it is given alone, the same in a page and in a file. */
export function SetPicture(props: SetPictureProps): ReactNode {
  const {
    history,
    moment,
    tempo,
    size,
    selected = [],
    showHeartbeats = true,
    isStill = false,
    isFile,
    onSelect,
  } = props;
  const { members, atMicros } = moment;
  const names = members.map(({ name }) => name);
  const places = props.places ?? ringPlaces(names, size);
  const eye = new Eye(tempo, atMicros, isStill);
  const { width } = places;
  const height = Math.round(places.height) + (isFile ? footHeight(width, places.tile.scale) : 0);
  const only = selected.length === 1 ? selected[0] : undefined;
  const effects = effectsAt(history, eye);
  const sides = sidesOf(names, moment.cut);
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="setpic"
    >
      <title>The members of the set</title>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own text, which React would escape as it must not be in a style */}
      <style dangerouslySetInnerHTML={{ __html: isFile ? `${OWN_TOKENS}${SET_STYLE}` : SET_STYLE }} />
      <Frames places={places} />
      {isFile && <Clock history={history} atMicros={atMicros} />}
      <Ways moment={moment} places={places} sides={sides} selected={selected} onSelect={onSelect} />
      <Papers places={places} />
      <Walls places={places} sides={sides} />
      <ChosenGround at={places.of.get(only ?? '')} tile={places.tile} />
      {/* Beneath members, so that none covers a label. */}
      {flyingAt(history, eye, showHeartbeats).map((flying, i) => (
        // At another instant there are other messages, and their elements are used again, in their places.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <FlyingView key={i} flying={flying} places={places} hasTitle={isFile === true} />
      ))}
      <Members {...{ history, moment, eye, effects, sides, places, only, onSelect }} />
      <BubblesView places={places} effects={effects} />
      {isFile && (
        <FileFoot
          caption={captionAt(history, atMicros)}
          {...{ atMicros, width }}
          y={places.height}
          scale={places.tile.scale}
        />
      )}
    </svg>
  );
}

interface MembersProps extends Pick<SetPictureProps, 'history' | 'moment'> {
  readonly onSelect: SetPictureProps['onSelect'] | undefined;
  readonly eye: Eye;
  readonly effects: ReturnType<typeof effectsAt>;
  readonly sides: ReturnType<typeof sidesOf>;
  readonly places: Places;
  /** The one that is selected. */
  readonly only: string | undefined;
}

function Members({ history, moment, eye, effects, sides, places, only, onSelect }: MembersProps): ReactNode {
  const { members, atMicros } = moment;
  const { epochSecs } = history;
  const strips = stripsAt(history, moment, eye);
  return members.map((member) => (
    <MemberView
      key={member.name}
      portrait={portraitOf(history, member, members, eye)}
      effects={effects.get(member.name)}
      strip={strips.get(member.name)!}
      at={places.of.get(member.name)!}
      tile={places.tile}
      label={memberLabel(member, members, sides, atMicros, epochSecs)}
      more={only === member.name ? moreOf(member, members, atMicros, epochSecs) : NOTHING}
      isSelected={only === member.name}
      onSelect={onSelect}
    />
  ));
}

/** Behind what is written below members: a way that runs beneath words and entries is faint there. */
function Papers({ places: { of, tile } }: { readonly places: Places }): ReactNode {
  if (tile.scale === 'chip') return null;
  const half = Math.min(WRITTEN, tile.width / 2);
  const from = tile.radius + WRITTEN_FROM;
  return [...of].map(([name, { x, y }]) => (
    <rect
      key={name}
      className="paper"
      x={tenths(x - half)}
      y={tenths(y + from)}
      width={2 * half}
      height={tile.below - from}
      rx={8}
    />
  ));
}

/** Around members that belong together. */
function Frames({ places: { frames, width } }: { readonly places: Places }): ReactNode {
  return frames.map(({ label, y, height }) => (
    <g key={label}>
      <rect className="frame" x={1} y={y} width={width - 2} height={height} rx={8} />
      <text className="frame-label" x={10} y={y + 16}>
        {label}
      </text>
    </g>
  ));
}

const NOTHING: readonly string[] = [];

/** What is written below who is selected, if nothing else has its place there. */
function moreOf(
  member: MemberAt,
  members: readonly MemberAt[],
  atMicros: number,
  epochSecs: number,
): readonly string[] {
  const { standing } = memberText(member, members, atMicros, epochSecs);
  return standing === undefined ? NOTHING : [standing];
}
