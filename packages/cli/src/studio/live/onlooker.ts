import type { ServerResponse } from 'node:http';
import { packedText, TracePacker } from '@replsim/scenario';
import type { KeptRecording } from './keptRecording.ts';
import type { KeptTrace } from './keptTrace.ts';

/** What all onlookers look at. */
export interface Watched {
  readonly trace: KeptTrace;
  readonly recording: KeptRecording;
  /** The lines above a recording's steps. */
  readonly header: string;
}

/**
 * Over one stream at most so many events go before it begins anew with what is kept: neither end remembers more entries than that, nor
 * does the page get more events than it can show.
 */
const MOST_EVENTS = 400_000;

/**
 * One page that follows a set: it gets what is kept, and then what happens, part by part and never more than the connection takes. One
 * that is too slow for that loses what is forgotten meanwhile, is told so, and begins anew.
 */
export class Onlooker {
  readonly #watched: Watched;
  readonly #response: ServerResponse;
  #packer = new TracePacker();
  /** Undefined before the first part. */
  #position: number | undefined;
  #sent = 0;
  #edition = 0;
  #lines = 0;
  #isFull = false;
  /** Why no more will come than there is. */
  #ending: string | undefined;

  /** @param ready called when the connection takes more again */
  constructor(response: ServerResponse, watched: Watched, ready: () => void) {
    this.#response = response;
    this.#watched = watched;
    response.on('drain', () => {
      this.#isFull = false;
      ready();
    });
  }

  /** Sends the next part, if there is one and the connection takes it. @returns whether it has sent something */
  next(): boolean {
    if (this.#isFull) return false;
    const { trace } = this.#watched;
    if (this.#position === undefined || this.#position < trace.forgotten || this.#sent > MOST_EVENTS) {
      this.#begin();
      return true;
    }
    const events = trace.from(this.#position);
    if (events.length === 0) return this.#nextLines() || this.#last();
    this.#position += events.length;
    this.#sent += events.length;
    this.#send('trace', packedText(this.#packer.pack(events)));
    return true;
  }

  /** After what there is, no more will come. @param text why */
  end(text: string): void {
    this.#ending = text;
  }

  #begin(): void {
    const { trace } = this.#watched;
    const { forgotten, forgottenMicros } = trace;
    this.#packer = new TracePacker();
    this.#position = forgotten;
    this.#sent = 0;
    this.#edition = 0;
    this.#send('begin', JSON.stringify({ forgotten, forgottenMicros }));
    this.#send('trace', packedText(this.#packer.pack(trace.standing)));
  }

  #nextLines(): boolean {
    const { recording, header } = this.#watched;
    const isNew = this.#edition !== recording.edition;
    if (isNew) {
      this.#edition = recording.edition;
      this.#lines = 0;
    }
    const lines = recording.lines(this.#lines);
    if (!isNew && lines.length === 0) return false;
    this.#lines += lines.length;
    const text = lines.join('');
    const begun = isNew ? { isWhole: recording.isWhole, head: headOf(header, recording.gap) } : undefined;
    this.#send('recording', JSON.stringify({ text, ...(begun && { begun }) }));
    return true;
  }

  #last(): boolean {
    if (this.#ending !== undefined && !this.#response.writableEnded) {
      this.#send('ended', JSON.stringify({ text: this.#ending }));
      this.#response.end();
    }
    return false;
  }

  #send(event: string, data: string): void {
    // What is not taken at once waits in memory: one part at most.
    this.#isFull = !this.#response.write(`event: ${event}\ndata: ${data}\n\n`);
  }
}

/** What a recording says of itself is wrong of one that lacks something. */
function headOf(header: string, gap: string | undefined): string {
  return gap === undefined ? header : gap + header.replaceAll(/^#.*\n/gm, '');
}
