import { formatInstant } from '@replsim/kernel';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import ChevronRight from 'lucide-react/icons/chevron-right';
import GitFork from 'lucide-react/icons/git-fork';
import Pause from 'lucide-react/icons/pause';
import Play from 'lucide-react/icons/play';
import SkipBack from 'lucide-react/icons/skip-back';
import SkipForward from 'lucide-react/icons/skip-forward';
import type { ReactNode } from 'react';
import type { Stop } from '../../core/history/stops.ts';
import { useActions, usePage } from '../context.ts';
import { Button, IconButton } from '../controls/Button.tsx';
import { Choice } from '../controls/Choice.tsx';
import { SPEEDS, speedText } from './usePlayback.ts';

const STOPS: readonly (readonly [kind: Stop, back: string, on: string])[] = [
  ['event', '[', ']'],
  ['message', ',', '.'],
  ['step', '{', '}'],
];
const SPEED_OPTIONS = SPEEDS.map((each) => ({ value: String(each), text: speedText(each) }));

/** What lets time go by, or goes from one event, message or step to the next. */
export function Controls(): ReactNode {
  const { travel, atMicros, live } = usePage();
  const { go, fork } = useActions();
  const { playback, endMicros } = travel;
  return (
    <div className="controls">
      <IconButton label="to the beginning" keys="Home" onClick={() => go(0)}>
        <SkipBack size={15} aria-hidden="true" />
      </IconButton>
      <PlayButton />
      <IconButton label="to the end" keys="End" onClick={() => go(endMicros)}>
        <SkipForward size={15} aria-hidden="true" />
      </IconButton>
      {/* Told by `Announcer`, and not at every frame. */}
      <output className="instant" aria-live="off">
        <strong>{formatInstant(atMicros)}</strong>
        <span className="of">{` of ${formatInstant(endMicros)}`}</span>
      </output>
      <Stops />
      <span className="gap" />
      <Choice
        label="speed"
        value={String(playback.speed)}
        options={SPEED_OPTIONS}
        onChoose={(speed) => playback.setSpeed(Number(speed))}
      />
      {!live && (
        <Button icon={<GitFork size={14} aria-hidden="true" />} onClick={fork}>
          fork from here
        </Button>
      )}
    </div>
  );
}

export function PlayButton(): ReactNode {
  const { playback } = usePage().travel;
  return (
    <IconButton
      label={playback.isPlaying ? 'pause time' : 'play'}
      keys="space"
      className="strong round"
      onClick={playback.toggle}
    >
      {playback.isPlaying ? <Pause size={16} aria-hidden="true" /> : <Play size={16} aria-hidden="true" />}
    </IconButton>
  );
}

/** To the next or the previous of its kind, of the member that is selected if one is. */
function Stops(): ReactNode {
  const { travel, member } = usePage();
  return (
    <fieldset className="all-stops" aria-label={member === undefined ? 'Go by' : `Go by what is of ${member}`}>
      {STOPS.map(([kind, back, on]) => (
        <span key={kind} className="stops">
          <IconButton label={`previous ${kind}`} keys={back} onClick={() => travel.step(-1, kind)}>
            <ChevronLeft size={15} aria-hidden="true" />
          </IconButton>
          {kind}
          <IconButton label={`next ${kind}`} keys={on} onClick={() => travel.step(1, kind)}>
            <ChevronRight size={15} aria-hidden="true" />
          </IconButton>
        </span>
      ))}
      {member !== undefined && <span className="hint">{`of ${member}`}</span>}
    </fieldset>
  );
}
