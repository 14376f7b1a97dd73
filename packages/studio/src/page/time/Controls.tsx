import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import type { Stop } from '../../core/history/stops.ts';
import { type Playback, SPEEDS, speedText } from './usePlayback.ts';

interface Props {
  readonly playback: Playback;
  readonly atMicros: number;
  readonly endMicros: number;
  /** Whose events and messages are gone by; undefined: everybody's. */
  readonly member: string | undefined;
  readonly onStep: (direction: 1 | -1, kind: Stop) => void;
  readonly onGo: (atMicros: number) => void;
  /** Absent where there is no text to go on from. */
  readonly onFork: (() => void) | undefined;
  readonly onHelp: () => void;
}

const STOPS: readonly (readonly [kind: Stop, back: string, on: string])[] = [
  ['event', '[', ']'],
  ['message', ',', '.'],
  ['step', '{', '}'],
];

/** What lets time go by, or goes from one event, message or step to the next. */
export function Controls(props: Props): ReactNode {
  const { playback, atMicros, endMicros, member, onStep, onGo, onFork, onHelp } = props;
  return (
    <div className="controls">
      <button type="button" onClick={() => onGo(0)} title="home" aria-label="to the beginning">
        |◀
      </button>
      <button type="button" onClick={playback.toggle} title="space">
        {playback.isPlaying ? '❚❚' : '▶'}
      </button>
      <button type="button" onClick={() => onGo(endMicros)} title="end" aria-label="to the end">
        ▶|
      </button>
      {STOPS.map(([kind, back, on]) => (
        <span key={kind} className="stops">
          <button type="button" onClick={() => onStep(-1, kind)} title={back} aria-label={`previous ${kind}`}>
            ◀
          </button>
          {kind}
          <button type="button" onClick={() => onStep(1, kind)} title={on} aria-label={`next ${kind}`}>
            ▶
          </button>
        </span>
      ))}
      <span className="hint">{member === undefined ? 'of all' : `of ${member}`}</span>
      <label>
        speed{' '}
        <select value={playback.speed} onChange={({ target }) => playback.setSpeed(Number(target.value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={each}>
              {speedText(each)}
            </option>
          ))}
        </select>
      </label>
      {/* Told by `Announcer`, and not at every frame. */}
      <output aria-live="off">
        {formatInstant(atMicros)} of {formatInstant(endMicros)}
      </output>
      {onFork && (
        <button type="button" onClick={onFork}>
          fork from here
        </button>
      )}
      <button type="button" onClick={onHelp} aria-label="keys" title="?">
        ?
      </button>
    </div>
  );
}
