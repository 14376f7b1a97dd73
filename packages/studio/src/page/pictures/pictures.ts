import { formatInstant } from '@replsim/kernel';
import { createElement } from 'react';
import type { History } from '../../core/history/history.ts';
import { FilePicture } from '../../set/FilePicture.tsx';
import { mermaidOf } from '../../set/sequence/mermaid.ts';
import { SequencePicture } from '../../set/sequence/SequencePicture.tsx';
import { sequenceOf, tooLong } from '../../set/sequence/sequence.ts';
import { tempoOf } from '../../tempo/tempo.ts';
import { pngOf } from './canvas.ts';
import { svgOf } from './svgOf.ts';
import { LONGEST_VIDEO_MS, videoOf } from './video.ts';

/** What somebody takes away. */
export interface Taken {
  readonly name: string;
  readonly blob: Blob;
}

/** The same picture as `replsim draw --at` makes. */
function setAt(history: History, atMicros: number): string {
  return svgOf(createElement(FilePicture, { history, atMicros }));
}

export async function instantAs(format: 'svg' | 'png', history: History, atMicros: number): Promise<Taken> {
  const svg = setAt(history, atMicros);
  const blob = format === 'svg' ? svgBlob(svg) : await pngOf(svg);
  return { name: `${nameOf(atMicros)}.${format}`, blob };
}

/** A stretch of a run, from one instant to another. Unit: µs. */
export interface Stretch {
  readonly fromMicros: number;
  readonly toMicros: number;
}

/** @throws Error if so much happens in it that nobody could read the diagram */
export async function diagramAs(format: 'svg' | 'mmd', history: History, stretch: Stretch): Promise<Taken> {
  const sequence = sequenceOf(history, stretch.fromMicros, stretch.toMicros);
  const refusal = tooLong(sequence);
  if (refusal !== undefined) throw new Error(refusal);
  const blob =
    format === 'svg'
      ? svgBlob(svgOf(createElement(SequencePicture, { sequence })))
      : new Blob([mermaidOf(sequence)], { type: 'text/plain' });
  return { name: `${stretchName(stretch)}.${format}`, blob };
}

/** At automatic tempo, as the page plays it. */
export async function videoFrom(history: History, stretch: Stretch): Promise<Taken> {
  const tempo = tempoOf(history);
  const from = tempo.filmMillisAt(stretch.fromMicros);
  const lastsMs = Math.min(tempo.filmMillisAt(stretch.toMicros) - from, LONGEST_VIDEO_MS);
  const blob = await videoOf((millis) => setAt(history, tempo.atMicrosOf(from + Math.min(millis, lastsMs))), lastsMs);
  return { name: `${stretchName(stretch)}.${blob.type.includes('mp4') ? 'mp4' : 'webm'}`, blob };
}

const svgBlob = (svg: string) => new Blob([svg], { type: 'image/svg+xml' });
const nameOf = (atMicros: number) => `replsim-${formatInstant(atMicros).replace(/[^\d.]+/g, '')}s`;
const stretchName = ({ fromMicros, toMicros }: Stretch) =>
  `${nameOf(fromMicros)}-${nameOf(toMicros).replace('replsim-', '')}`;
