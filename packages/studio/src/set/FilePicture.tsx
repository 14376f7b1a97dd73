import type { ReactNode } from 'react';
import type { History } from '../core/history/history.ts';
import { tempoOf } from '../tempo/tempo.ts';
import { CLOCK_HEIGHT } from './Clock.tsx';
import { lowered, ringPlaces } from './places.ts';
import { SetPicture } from './SetPicture.tsx';

/** A ring is so high: nothing else needs the room, and words that fly stay clear of labels. Unit: px. */
const SIZE = { width: 640, least: 250 };
/** Above small members there is no other room for a bubble. Unit: px. */
const BUBBLE = 24;

interface Props {
  readonly history: History;
  readonly atMicros: number;
}

/** The set at an instant as a file of its own, alike from `replsim draw --at` and from the page's camera. */
export function FilePicture({ history, atMicros }: Props): ReactNode {
  const moment = history.at(atMicros);
  const ring = ringPlaces(
    moment.members.map(({ name }) => name),
    SIZE,
  );
  const places = lowered(ring, CLOCK_HEIGHT + (ring.tile.scale === 'chip' ? BUBBLE : 0));
  return <SetPicture {...{ history, moment, tempo: tempoOf(history), places, size: SIZE }} isFile />;
}
