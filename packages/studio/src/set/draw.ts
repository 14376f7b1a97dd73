import type { TraceEvent } from '@replsim/protocol';
import { createElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { History } from '../core/history/history.ts';
import { FilePicture } from './FilePicture.tsx';
import { mermaidOf } from './sequence/mermaid.ts';
import { SequencePicture } from './sequence/SequencePicture.tsx';
import { sequenceOf, tooLong } from './sequence/sequence.ts';

/** Pictures of a run, made without a browser: of an instant, and of a stretch. Instants in µs. */
export interface Drawings {
  instant(atMicros: number): string;
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
    stretch(fromMicros, toMicros, format) {
      const sequence = sequenceOf(history, fromMicros, toMicros);
      return format === 'mermaid' ? mermaidOf(sequence) : markup(createElement(SequencePicture, { sequence }));
    },
    refusal: (fromMicros, toMicros) => tooLong(sequenceOf(history, fromMicros, toMicros)),
  };
}

function markup(picture: ReactElement): string {
  return `${renderToStaticMarkup(picture)}\n`;
}
