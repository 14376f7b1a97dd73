import type { TraceEvent } from '@replsim/protocol';
import { createElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { History } from '../core/history/history.ts';
import { tempoOf } from '../tempo/tempo.ts';
import { FilePicture } from './FilePicture.tsx';
import { lowered, ringPlaces } from './places.ts';
import { SetPicture, type SetPictureProps } from './SetPicture.tsx';
import { mermaidOf } from './sequence/mermaid.ts';
import { SequencePicture } from './sequence/SequencePicture.tsx';
import { sequenceOf, tooLong } from './sequence/sequence.ts';

/** Pictures of a run, made without a browser: of an instant, and of a stretch. Instants in µs. */
export interface Drawings {
  instant(atMicros: number): string;
  /** A small one of an instant, for a page that has the style of the large one. */
  card(atMicros: number): string;
  stretch(fromMicros: number, toMicros: number, format: 'svg' | 'mermaid'): string;
  /** Why a stretch is not drawn, if it is not: so much happens in it that nobody could read the picture. */
  refusal(fromMicros: number, toMicros: number): string | undefined;
}

/** @param events the trace of a run with causes: without them no messages are known */
export function drawingsOf(events: readonly TraceEvent[]): Drawings {
  const history = new History();
  history.add(events);
  return {
    instant: (atMicros) => markup(createElement(FilePicture, { history, atMicros })),
    card: (atMicros) => bare(markup(createElement(SetPicture, cardOf(history, atMicros)))),
    stretch(fromMicros, toMicros, format) {
      const sequence = sequenceOf(history, fromMicros, toMicros);
      return format === 'mermaid' ? mermaidOf(sequence) : markup(createElement(SequencePicture, { sequence }));
    },
    refusal: (fromMicros, toMicros) => tooLong(sequenceOf(history, fromMicros, toMicros)),
  };
}

/** Unit: px. Above the highest member there is room for a bubble. */
const CARD = { width: 340, height: 160 };
const BUBBLE = 24;

function cardOf(history: History, atMicros: number): SetPictureProps {
  const moment = history.at(atMicros);
  const names = moment.members.map(({ name }) => name);
  const places = lowered(ringPlaces(names, CARD), BUBBLE);
  return { history, moment, tempo: tempoOf(history), places, size: CARD, showHeartbeats: false };
}

/** Without what is heard of it, pressed on it and known to the page already. */
function bare(svg: string): string {
  return svg
    .replace(/<style>.*?<\/style>|<title>.*?<\/title>/gs, '')
    .replace(/<g role="img"[^>]*class="press"><rect[^>]*><\/rect><\/g>|<line [^>]*class="grip"><\/line>/g, '')
    .replace(/ (?:aria-[a-z]+|role|data-member|xmlns)="[^"]*"/g, '')
    .replace(/<(rect|line|path|circle)([^>]*)><\/\1>/g, '<$1$2/>')
    .replace(/\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10))
    .trim();
}

function markup(picture: ReactElement): string {
  return `${renderToStaticMarkup(picture)}\n`;
}
