import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import type { Playback } from './usePlayback.ts';

interface Props {
  readonly playback: Playback;
  readonly atMicros: number;
  readonly endMicros: number;
  readonly onStep: (direction: 1 | -1) => void;
  readonly onFork: () => void;
}

/** What lets time go by, or goes from event to event. */
export function Controls({ playback, atMicros, endMicros, onStep, onFork }: Props): ReactNode {
  return (
    <div className="controls">
      <button type="button" onClick={() => onStep(-1)} title="previous event: [">
        ◀ event
      </button>
      <button type="button" onClick={playback.toggle} title="space">
        {playback.isPlaying ? '❚❚' : '▶'}
      </button>
      <button type="button" onClick={() => onStep(1)} title="next event: ]">
        event ▶
      </button>
      <label>
        speed{' '}
        <select value={playback.speed} onChange={({ target }) => playback.setSpeed(Number(target.value))}>
          {[0.01, 0.1, 1, 10, 100].map((each) => (
            <option key={each} value={each}>
              {each} ×
            </option>
          ))}
        </select>
      </label>
      <output>
        {formatInstant(atMicros)} of {formatInstant(endMicros)}
      </output>
      <button type="button" onClick={onFork}>
        fork from here
      </button>
    </div>
  );
}
