import type { ReactNode } from 'react';
import type { History } from '../core/history/history.ts';
import { tempoOf } from '../tempo/tempo.ts';
import { SetPicture } from './SetPicture.tsx';

/** A ring is so high: nothing else needs the room, and words that fly stay clear of labels. Unit: px. */
const SIZE = { width: 640, least: 250 };

interface Props {
  readonly history: History;
  readonly atMicros: number;
}

/** The set at an instant as a file of its own, alike from `replsim draw --at` and from the page's camera. */
export function FilePicture({ history, atMicros }: Props): ReactNode {
  return <SetPicture {...{ history, moment: history.at(atMicros), tempo: tempoOf(history), size: SIZE }} isFile />;
}
